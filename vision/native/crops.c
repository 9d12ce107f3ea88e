/* Crops of a picture for the networks, and what their pixels tell besides.

   The same as vision/rectify.py does with OpenCV and numpy, now and then a tone up or down. Nothing is allocated and
   nothing kept, so that several threads may cut at once; the caller has checked all sizes. */

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pixels are taken apart as little-endian words"
#endif

enum { CHANNELS = 3, CELL = 2 * CHANNELS, COLUMNS_MAX = 256, SAMPLE_STEP = 4, TONES = 256, PERSPECTIVE = 9 };

/* Where the pixels of one row of a crop lie: bytes to the upper left one of four pixels of the picture, and how far
   to the right and down between them. */
typedef struct {
    int64_t at[COLUMNS_MAX];
    float across[COLUMNS_MAX], down[COLUMNS_MAX];
} Row;

/* 0..most; 0 for what is no number. */
static float within(float value, float most)
{
    value = value > 0 ? value : 0;
    return value < most ? value : most;
}

static void place_row(const double *matrix, int terms, int row, int columns, int width, int height,
                      int64_t stride, Row *out)
{
    float x_step = (float)matrix[0], x_first = (float)matrix[1] * (float)row + (float)matrix[2];
    float y_step = (float)matrix[3], y_first = (float)matrix[4] * (float)row + (float)matrix[5];
    for (int column = 0; column < columns; ++column) {
        out->across[column] = x_first + x_step * (float)column;
        out->down[column] = y_first + y_step * (float)column;
    }
    for (int column = 0; column < columns && terms == PERSPECTIVE; ++column) {
        float far = (float)(matrix[6] * column + matrix[7] * row + matrix[8]);
        out->across[column] /= far;
        out->down[column] /= far;
    }
    for (int column = 0; column < columns; ++column) {
        float x = within(out->across[column], (float)(width - 1));
        float y = within(out->down[column], (float)(height - 1));
        int32_t left = (int32_t)x, top = (int32_t)y;
        left = left < width - 2 ? left : width - 2;
        top = top < height - 2 ? top : height - 2;
        out->at[column] = top * stride + CHANNELS * left;
        out->across[column] = x - (float)left;
        out->down[column] = y - (float)top;
    }
}

/* The nearest whole number of 0..2^22, the even one of two: adding 3 * 2^22 leaves no room for a fraction. */
static float rounded(float value)
{
    return (value + 12582912.0f) - 12582912.0f;
}

/* One channel of each of the four pixels around a place, joined by how far it lies between them. A word of the left
   pixel begins with its blue, one of the right pixel ends with its red: neither reads beyond the two. */
static uint32_t between(uint32_t words[4][COLUMNS_MAX], int column, int channel, float across, float down)
{
    float tones[4];
    for (int corner = 0; corner < 4; ++corner)
        tones[corner] = (float)(int32_t)((words[corner][column] >> (8 * (channel + (corner & 1)))) & 255);
    float upper = tones[0] + across * (tones[1] - tones[0]);
    float lower = tones[2] + across * (tones[3] - tones[2]);
    return (uint32_t)(int32_t)rounded(upper + down * (lower - upper));
}

/* Cuts `count` crops of rows x columns pixels (at most COLUMNS_MAX columns) out of a picture of at least 2 x 2.

   pixels: blue, green, red, `stride` bytes a row. matrices: for each crop 2 x 3 (`terms` 6) or 3 x 3 (9) that lead
   from its pixels (x, y, 1) to the picture's. crops: count x rows x columns x 3. Between pixels bilinear; outside,
   the border repeats. */
void cut_crops(const uint8_t *pixels, int64_t stride, int width, int height, const double *matrices, int terms,
               int count, int rows, int columns, uint8_t *crops)
{
    Row row;
    uint32_t words[4][COLUMNS_MAX], tones[COLUMNS_MAX];
    for (int64_t line = 0; line < (int64_t)count * rows; ++line, crops += CHANNELS * columns) {
        place_row(matrices + terms * (line / rows), terms, (int)(line % rows), columns, width, height, stride,
                  &row);
        for (int column = 0; column < columns; ++column) {
            const uint8_t *upper = pixels + row.at[column];
            memcpy(&words[0][column], upper, 4);
            memcpy(&words[1][column], upper + 2, 4);
            memcpy(&words[2][column], upper + stride, 4);
            memcpy(&words[3][column], upper + stride + 2, 4);
        }
        for (int column = 0; column < columns; ++column) {
            tones[column] = 0;
            for (int channel = 0; channel < CHANNELS; ++channel)
                tones[column] |= between(words, column, channel, row.across[column], row.down[column])
                                 << (8 * channel);
        }
        for (int column = 0; column < columns - 1; ++column)
            memcpy(crops + CHANNELS * column, &tones[column], 4);
        memcpy(crops + CHANNELS * (columns - 1), &tones[columns - 1], CHANNELS);
    }
}

/* What crops are evened by: how many of the sampled tones are darker than the paper; the least brightness that paper
   is taken to have, its tone in an evened crop, the share of its brightness from which a pixel counts as paper; and
   where rank and pip stand (first and last + 1: middle columns of both, rows of the rank, rows of the pip). */
typedef struct {
    int32_t darker;
    float floor, tone, bright;
    int32_t columns[2], rows[2][2];
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

/* How much of each channel's light the ink of some rows takes away: darker pixels count for more. */
static void tint_of(const uint8_t *crop, int columns, const int32_t *rows, const int32_t *span, const float *white,
                    float *tint)
{
    float sums[CHANNELS + 1][COLUMNS_MAX], total[CHANNELS + 1] = {0}, share[CHANNELS];
    for (int channel = 0; channel < CHANNELS; ++channel)
        share[channel] = 1 / white[channel];
    for (int sum = 0; sum <= CHANNELS; ++sum)
        for (int column = span[0]; column < span[1]; ++column)
            sums[sum][column] = 0;
    for (int row = rows[0]; row < rows[1]; ++row)
        for (int column = span[0]; column < span[1]; ++column) {
            const uint8_t *pixel = crop + CHANNELS * (row * columns + column);
            float dark[CHANNELS], most = 0;
            for (int channel = 0; channel < CHANNELS; ++channel) {
                float part = 1 - (float)pixel[channel] * share[channel];
                dark[channel] = part > 0 ? part : 0;
                most = dark[channel] > most ? dark[channel] : most;
            }
            for (int channel = 0; channel < CHANNELS; ++channel)
                sums[channel][column] += dark[channel] * most * most;
            sums[CHANNELS][column] += most * most;
        }
    for (int sum = 0; sum <= CHANNELS; ++sum)
        for (int column = span[0]; column < span[1]; ++column)
            total[sum] += sums[sum][column];
    for (int channel = 0; channel < CHANNELS; ++channel)
        tint[channel] = total[channel] / (total[CHANNELS] > 1e-6f ? total[CHANNELS] : 1e-6f);
}

/* One crop with its light taken out. Folded, each 2 x 2 pixels lie together, twelve tones a cell. */
static void even_crop(const uint8_t *crop, int rows, int columns, const float *scale, int folded, uint8_t *out)
{
    float scales[CHANNELS * COLUMNS_MAX];
    uint8_t line[CHANNELS * COLUMNS_MAX];
    for (int tone = 0; tone < CHANNELS * columns; ++tone)
        scales[tone] = scale[tone % CHANNELS];
    for (int row = 0; row < rows; ++row, crop += CHANNELS * columns) {
        uint8_t *even = folded ? line : out + row * CHANNELS * columns;
        for (int tone = 0; tone < CHANNELS * columns; ++tone) {
            float value = rounded((float)crop[tone] * scales[tone]);
            even[tone] = (uint8_t)(int32_t)(value < 255 ? value : 255);
        }
        if (folded)
            for (int cell = 0; cell < columns / 2; ++cell)
                memcpy(out + ((row / 2 * (columns / 2) + cell) * 2 + row % 2) * CELL, line + cell * CELL, CELL);
    }
}

/* Takes the light out of `count` crops of rows x columns pixels (at most COLUMNS_MAX columns; both even when folded),
   and measures them: evened as the crops, paper (count) the share of it, tints (count x 2 x 3, or none) those of rank
   and pip. */
void even_crops(const uint8_t *crops, int count, int rows, int columns, const Rule *rule, int folded, uint8_t *evened,
                float *paper, float *tints)
{
    int64_t size = (int64_t)rows * columns * CHANNELS;
    for (int64_t number = 0; number < count; ++number, crops += size, evened += size) {
        float white[CHANNELS], scale[CHANNELS];
        paper[number] = paper_of(crops, rows, columns, rule, white);
        for (int part = 0; part < 2 && tints; ++part, tints += CHANNELS)
            tint_of(crops, columns, rule->rows[part], rule->columns, white, tints);
        for (int channel = 0; channel < CHANNELS; ++channel)
            scale[channel] = rule->tone / white[channel];
        even_crop(crops, rows, columns, scale, folded, evened);
    }
}
