/* Crops of a picture for the networks, and what their pixels tell besides.

   The same as vision/rectify.py does with OpenCV and numpy, now and then a tone up or down. Nothing is allocated and
   nothing kept, so that several threads may cut at once; the caller has checked all sizes. */

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pixels are taken apart as little-endian words"
#endif

/* 2^23: the bits of such a float plus a whole number end in that number, so that tones need no conversion. */
#define BIAS 8388608.0f
#define BIAS_BITS 0x4b000000

/* 3 * 2^22: plus a number, its bits end in the nearest whole one, the even one of two. */
#define WHOLE 12582912.0f
#define WHOLE_BITS 0x4b400000

enum { CHANNELS = 3, CELL = 2 * CHANNELS, COLUMNS_MAX = 256, SAMPLE_STEP = 4, TONES = 256, PERSPECTIVE = 9 };

/* Pixels that are cut at once, and words of tones that are scaled at once: a multiple of CHANNELS. */
enum { PIXELS_MAX = COLUMNS_MAX, BLOCK = 24, PAIR = 2 * sizeof(uint32_t) };

/* Some pixels of crops, row after row: where each lies in the picture, then how far it lies to the right and down
   between four pixels there; bytes to the upper left one of them, and these themselves. A pair of words holds two
   neighbours: the upper ones in its first six bytes, the lower ones in its last six. What is read besides lies between
   the first byte of the upper ones and the last one of the lower ones. */
typedef struct {
    float across[PIXELS_MAX], down[PIXELS_MAX];
    int32_t at[PIXELS_MAX];
    uint32_t upper[2 * PIXELS_MAX], lower[2 * PIXELS_MAX], tones[PIXELS_MAX];
} Part;

/* 0..most; 0 for what is no number. */
static float within(float value, float most)
{
    value = value > 0 ? value : 0;
    return value < most ? value : most;
}

/* Where the pixels of one row of a crop lie in the picture. */
static void place_row(const double *matrix, int terms, int row, int columns, float *across, float *down)
{
    float x_step = (float)matrix[0], x_first = (float)matrix[1] * (float)row + (float)matrix[2];
    float y_step = (float)matrix[3], y_first = (float)matrix[4] * (float)row + (float)matrix[5];
    for (int column = 0; column < columns; ++column) {
        across[column] = x_first + x_step * (float)column;
        down[column] = y_first + y_step * (float)column;
    }
    for (int column = 0; column < columns && terms == PERSPECTIVE; ++column) {
        float far = (float)(matrix[6] * column + matrix[7] * row + matrix[8]);
        across[column] /= far;
        down[column] /= far;
    }
}

/* Finds the four pixels of the picture around each place, and how far it lies between them. */
static void split(Part *part, int count, int width, int height, int32_t stride)
{
    for (int at = 0; at < count; ++at) {
        float x = within(part->across[at], (float)(width - 1));
        float y = within(part->down[at], (float)(height - 1));
        int32_t left = (int32_t)x, top = (int32_t)y;
        left = left < width - 2 ? left : width - 2;
        top = top < height - 2 ? top : height - 2;
        part->at[at] = top * stride + CHANNELS * left;
        part->across[at] = x - (float)left;
        part->down[at] = y - (float)top;
    }
}

/* Fetches the four pixels around each place. */
static void gather(Part *part, int count, const uint8_t *pixels, int32_t stride)
{
#pragma GCC unroll 4
    for (int at = 0; at < count; ++at) {
        const uint8_t *pixel = pixels + part->at[at];
        memcpy(&part->upper[2 * at], pixel, PAIR);
        memcpy(&part->lower[2 * at], pixel + stride - (PAIR - CELL), PAIR);
    }
}

/* The tone in the byte of a word, as a float, BIAS too much. */
static float biased(uint32_t word, int byte)
{
    uint32_t bits = BIAS_BITS | ((word >> (8 * byte)) & 255);
    float tone;
    memcpy(&tone, &bits, sizeof tone);
    return tone;
}

/* What lies between two tones that are both BIAS too much. */
static float between(float first, float second, float share)
{
    return (first - BIAS) + share * (second - first);
}

/* The nearest tone, the even one of two. */
static uint32_t nearest(float upper, float lower, float down)
{
    float value = (upper + down * (lower - upper)) + WHOLE;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 255;
}

/* Joins the four pixels around each place by how far it lies between them. */
static void join(Part *part, int count)
{
    for (int at = 0; at < count; ++at) {
        uint32_t first = part->upper[2 * at], second = part->upper[2 * at + 1];
        uint32_t third = part->lower[2 * at], fourth = part->lower[2 * at + 1];
        float across = part->across[at], down = part->down[at];
        uint32_t blue = nearest(between(biased(first, 0), biased(first, 3), across),
                                between(biased(third, 2), biased(fourth, 1), across), down);
        uint32_t green = nearest(between(biased(first, 1), biased(second, 0), across),
                                 between(biased(third, 3), biased(fourth, 2), across), down);
        uint32_t red = nearest(between(biased(first, 2), biased(second, 1), across),
                               between(biased(fourth, 0), biased(fourth, 3), across), down);
        part->tones[at] = blue | green << 8 | red << 16;
    }
}

/* Lays the tones side by side: each word but the last one with a byte too many, which the next one overwrites. */
static void lay(const Part *part, int count, uint8_t *crops)
{
#pragma GCC unroll 4
    for (int at = 0; at < count - 1; ++at)
        memcpy(crops + CHANNELS * at, &part->tones[at], sizeof part->tones[at]);
    memcpy(crops + CHANNELS * (count - 1), &part->tones[count - 1], CHANNELS);
}

/* Cuts `count` crops of rows x columns pixels (at least 1 row, at most COLUMNS_MAX columns) out of a picture of at least 2 x 2.

   pixels: blue, green, red, `stride` bytes a row, less than 2^31 bytes in all. matrices: for each crop 2 x 3 (`terms`
   6) or 3 x 3 (9) that lead from its pixels (x, y, 1) to the picture's. crops: count x rows x columns x 3. Between
   pixels bilinear; outside, the border repeats. */
void cut_crops(const uint8_t *pixels, int64_t stride, int width, int height, const double *matrices, int terms,
               int count, int rows, int columns, uint8_t *crops)
{
    Part part;
    int row = 0;
    while (count) {
        int pixel = 0;
        for (; count && pixel + columns <= PIXELS_MAX; pixel += columns) {
            place_row(matrices, terms, row, columns, part.across + pixel, part.down + pixel);
            if (++row == rows) {
                matrices += terms;
                row = 0;
                --count;
            }
        }
        split(&part, pixel, width, height, (int32_t)stride);
        gather(&part, pixel, pixels, (int32_t)stride);
        join(&part, pixel);
        lay(&part, pixel, crops);
        crops += CHANNELS * pixel;
    }
}

/* What crops are evened by: how many of the sampled tones are darker than the paper; the least brightness that paper
   is taken to have, its tone in an evened crop, and the share of its brightness from which a pixel counts as paper. */
typedef struct {
    int32_t darker;
    float floor, tone, bright;
} Rule;

/* Brightness of the paper in a crop, and the share of its sampled pixels that are about as bright. */
static float paper_of(const uint8_t *crop, int rows, int columns, const Rule *rule, float *white)
{
    int32_t counts[CHANNELS][TONES] = {{0}}, bright = 0;
    int32_t sampled = ((rows + SAMPLE_STEP - 1) / SAMPLE_STEP) * ((columns + SAMPLE_STEP - 1) / SAMPLE_STEP);
    for (int row = 0; row < rows; row += SAMPLE_STEP)
        for (int column = 0; column < columns; column += SAMPLE_STEP)
            for (int channel = 0; channel < CHANNELS; ++channel)
                ++counts[channel][crop[CHANNELS * (row * columns + column) + channel]];
    for (int channel = 0; channel < CHANNELS; ++channel) {
        int tone = TONES - 1;
        for (int32_t left = sampled - counts[channel][tone]; left > rule->darker && tone > 0;)
            left -= counts[channel][--tone];
        white[channel] = (float)tone > rule->floor ? (float)tone : rule->floor;
    }
    for (int row = 0; row < rows; row += SAMPLE_STEP)
        for (int column = 0; column < columns; column += SAMPLE_STEP) {
            const uint8_t *pixel = crop + CHANNELS * (row * columns + column);
            int all = 1;
            for (int channel = 0; channel < CHANNELS; ++channel)
                all &= (float)pixel[channel] > rule->bright * white[channel];
            bright += all;
        }
    return (float)bright / (float)sampled;
}

/* One tone of a word times `scale`: the nearest whole number, the even one of two, TONES - 1 at most. */
static uint32_t scaled(uint32_t word, int byte, float scale)
{
    float value = (float)(int32_t)((word >> (8 * byte)) & 255) * scale + WHOLE;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits -= WHOLE_BITS;
    return (bits < TONES - 1 ? bits : TONES - 1) << (8 * byte);
}

/* Times `scale`, each channel by its own: blocks of words, in which the channels come round, and what is left. */
static void scale_tones(uint8_t *tones, int64_t count, const float *scale)
{
    float scales[BLOCK + CHANNELS];
    int64_t last = count - count % (4 * BLOCK);
    for (int word = 0; word < BLOCK + CHANNELS; ++word)
        scales[word] = scale[word % CHANNELS];
    for (int64_t at = 0; at < last; at += 4 * BLOCK) {
        uint32_t words[BLOCK];
        memcpy(words, tones + at, sizeof words);
        for (int word = 0; word < BLOCK; ++word)
            words[word] = scaled(words[word], 0, scales[word]) | scaled(words[word], 1, scales[word + 1]) |
                          scaled(words[word], 2, scales[word + 2]) | scaled(words[word], 3, scales[word + 3]);
        memcpy(tones + at, words, sizeof words);
    }
    for (int64_t at = last; at < count; ++at)
        tones[at] = (uint8_t)scaled(tones[at], 0, scale[at % CHANNELS]);
}

/* The pixels of a crop with each 2 x 2 of them together, twelve tones a cell. */
static void fold(const uint8_t *crop, int rows, int columns, uint8_t *out)
{
    int64_t size = CHANNELS * columns;
    for (int row = 0; row < rows; row += 2, crop += 2 * size)
        for (int64_t at = 0; at < size; at += CELL, out += 2 * CELL) {
            memcpy(out, crop + at, CELL);
            memcpy(out + CELL, crop + size + at, CELL);
        }
}

/* Takes the light out of `count` crops of rows x columns pixels (at most COLUMNS_MAX columns; both even when folded),
   and measures them: evened as the crops, paper (count) the share of it. */
void even_crops(const uint8_t *crops, int count, int rows, int columns, const Rule *rule, int folded, uint8_t *evened,
                float *paper)
{
    int64_t size = (int64_t)rows * columns * CHANNELS;
    for (int64_t number = 0; number < count; ++number, crops += size, evened += size) {
        float white[CHANNELS], scale[CHANNELS];
        paper[number] = paper_of(crops, rows, columns, rule, white);
        for (int channel = 0; channel < CHANNELS; ++channel)
            scale[channel] = rule->tone / white[channel];
        if (folded)
            fold(crops, rows, columns, evened);
        else
            memcpy(evened, crops, (size_t)size);
        scale_tones(evened, size, scale);
    }
}
