/* What the survey's network takes: the picture made smaller and evenly bright, its pixels laid together in squares.

   The same to the last bit as vision/survey.py does with OpenCV. Nothing is allocated and nothing kept, so that
   several threads may work at once; the caller has checked all sizes. */

#include <stdint.h>
#include <string.h>

enum { CHANNELS = 3, PATCH = 4, CELL = 2 * PATCH, WORDS = PATCH * PATCH * CHANNELS / 4, TONES = 256 };
enum { LONG_PX = 1024, SCALE_MOST = 4 };

/* The tone that this share of the picture is darker than is brought to another one, by such a factor. */
typedef struct {
    double share, tone, least, most;
} Rule;

/* A picture that is made smaller by the whole number `scale`: of each square as many pixels a side, the four in the
   middle count, in an odd one the middle one alone. */
typedef struct {
    const uint8_t *pixels;
    int64_t stride;
    int width, height, scale; /* of the smaller picture; pixels of the larger one for one of it */
} Picture;

/* The two rows in the middle of the squares that make row `row` of the smaller picture: the first one's middle. */
static const uint8_t *upper_of(const Picture *from, int row)
{
    int first = (from->scale - 1) / 2;
    return from->pixels + ((int64_t)row * from->scale + first) * from->stride + CHANNELS * first;
}

/* The factor for a picture: looks at every CELL-th pixel of the smaller one, each by its brightest channel. */
static float gain_of(const Picture *from, const Rule *rule)
{
    int even = from->scale % 2 == 0, right = even * CHANNELS, white = 0;
    int64_t below = even * from->stride, counts[TONES] = {0}, total = 0, darker;
    for (int row = 0; row < from->height; row += CELL) {
        const uint8_t *at = upper_of(from, row);
        for (int column = 0; column < from->width; column += CELL, at += CELL * from->scale * CHANNELS) {
            int most = 0;
            for (int channel = 0; channel < CHANNELS; ++channel) {
                const uint8_t *tone = at + channel;
                int sum = tone[0] + tone[right] + tone[below] + tone[below + right];
                most = sum > most ? sum : most;
            }
            ++counts[(most + 2) >> 2];
            ++total;
        }
    }
    for (darker = counts[0]; (double)darker < rule->share * (double)total; darker += counts[white])
        ++white;
    double gain = rule->tone / (white > 1 ? white : 1);
    gain = gain > rule->least ? gain : rule->least;
    return (float)(gain < rule->most ? gain : rule->most);
}

/* The mean of four tones around each place, rounded: in bytes, as a processor does 32 and more at once. The mean of
   two means, both rounded up, is one too high where it was rounded up once more and one of the two had been. */
static void mean_row(const uint8_t *upper, const uint8_t *lower, int right, int count, uint8_t *out)
{
    for (int at = 0; at < count; ++at) {
        uint8_t first = (uint8_t)((upper[at] + lower[at] + 1) >> 1);
        uint8_t second = (uint8_t)((upper[at + right] + lower[at + right] + 1) >> 1);
        uint8_t odd = (uint8_t)((upper[at] ^ lower[at]) | (upper[at + right] ^ lower[at + right]));
        out[at] = (uint8_t)(((first + second + 1) >> 1) - ((first ^ second) & odd & 1));
    }
}

/* The lowest tone of a word times `gain`: the nearest whole number, the even one of two, 255 at most. That goes in
   between, so that product and sum are not joined; the sum with 3 * 2^22 has the whole number in its lowest bits. */
static uint32_t brighter(uint32_t tones, float gain, float most)
{
    uint32_t bits;
    float value = (float)(int32_t)(tones & 255) * gain;
    value = (value < most ? value : most) + 12582912.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits & 255;
}

/* Words of four tones each, all of them times `gain`. */
static void brighten(const uint32_t *tones, int words, float gain, uint32_t *out)
{
    float most = TONES - 1;
    for (int at = 0; at < words; ++at)
        out[at] = brighter(tones[at], gain, most) | brighter(tones[at] >> 8, gain, most) << 8 |
                  brighter(tones[at] >> 16, gain, most) << 16 | brighter(tones[at] >> 24, gain, most) << 24;
}

/* The network's input, rows x columns squares of PATCH x PATCH pixels each.

   pixels: blue, green, red, `stride` bytes a row, `scale` (at most SCALE_MOST) times as wide and high as the smaller
   picture of width x height (at most LONG_PX). Beyond that one its last row and column repeat. */
void survey_patches(const uint8_t *pixels, int64_t stride, int width, int height, int scale, const Rule *rule,
                    int rows, int columns, uint32_t *patches)
{
    Picture from = {pixels, stride, width, height, scale};
    uint8_t lines[PATCH][LONG_PX * SCALE_MOST * CHANNELS + 1];
    uint32_t strip[LONG_PX / PATCH * WORDS + 1];
    float gain = gain_of(&from, rule);
    int step = scale * CHANNELS, even = scale % 2 == 0, last = (width - 1) * step;
    for (int row = 0; row < rows; ++row, patches += columns * WORDS) {
        for (int part = 0; part < PATCH; ++part) {
            int line = row * PATCH + part;
            const uint8_t *upper = upper_of(&from, line < height ? line : height - 1);
            mean_row(upper, upper + even * stride, even * CHANNELS, last + CHANNELS, lines[part]);
            for (int at = last + step; at < columns * PATCH * step; at += step)
                memcpy(lines[part] + at, lines[part] + last, CHANNELS);
        }
        /* Each pixel is copied with a byte too many, which the next one overwrites. */
        uint8_t *to = (uint8_t *)strip;
        for (int column = 0; column < columns; ++column)
            for (int part = 0; part < PATCH; ++part)
                for (int pixel = 0; pixel < PATCH; ++pixel, to += CHANNELS)
                    memcpy(to, lines[part] + (column * PATCH + pixel) * step, CHANNELS + 1);
        brighten(strip, columns * WORDS, gain, patches);
    }
}
