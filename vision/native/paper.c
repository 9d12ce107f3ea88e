/* A sample of a picture and how bright its cells are, as vision/paper.py does with OpenCV and numpy. */

#include <stdint.h>
#include <string.h>

enum { CHANNELS = 3, BLOCK = 256 };

/* Every `step`-th pixel of every `step`-th row, rows x columns of them, from the pixel `first`, `first` on. A word
   holds a pixel and one byte more, which the next pixel, or the last one of the row, does without. */
void sample_pixels(const uint8_t *pixels, int64_t stride, int first, int step, int rows, int columns, uint8_t *out)
{
    for (int row = 0; row < rows; ++row) {
        const uint8_t *from = pixels + (first + (int64_t)row * step) * stride + CHANNELS * first;
        for (int column = 0; column < columns - 1; ++column, from += CHANNELS * step, out += CHANNELS)
            memcpy(out, from, 4);
        if (columns > 0)
            memcpy(out, from, CHANNELS);
        out += columns > 0 ? CHANNELS : 0;
    }
}

static uint8_t lesser(uint8_t one, uint8_t other)
{
    return one < other ? one : other;
}

/* The darkest channel of each of `count` pixels. */
static void darkest(const uint8_t *restrict pixels, int count, uint8_t *restrict out)
{
    for (int x = 0; x < count; ++x)
        out[x] = lesser(lesser(pixels[3 * x], pixels[3 * x + 1]), pixels[3 * x + 2]);
}

/* Means of the darkest channel over each 2 x 2 pixels of a sample, rounded to the nearest, half up: rows x columns. */
void mean_darkest(const uint8_t *sample, int rows, int columns, uint8_t *out)
{
    uint8_t upper[2 * BLOCK], lower[2 * BLOCK];
    int64_t stride = (int64_t)2 * CHANNELS * columns;
    for (int row = 0; row < rows; ++row, sample += 2 * stride, out += columns)
        for (int start = 0; start < columns; start += BLOCK) {
            int count = columns - start < BLOCK ? columns - start : BLOCK;
            darkest(sample + 2 * CHANNELS * start, 2 * count, upper);
            darkest(sample + 2 * CHANNELS * start + stride, 2 * count, lower);
            for (int cell = 0; cell < count; ++cell) {
                int sum = upper[2 * cell] + upper[2 * cell + 1] + lower[2 * cell] + lower[2 * cell + 1];
                out[start + cell] = (uint8_t)((sum + 2) >> 2);
            }
        }
}
