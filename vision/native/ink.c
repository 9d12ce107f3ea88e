/* Connected pieces of ink with their moments, at several levels in one walk over the picture.

   The same as vision/ink.py does with OpenCV, which stays the reference: runs of ink are joined row by row
   (8 neighbours) with a union-find, and area, moments and colour are summed run by run. Only cells that hold
   paper are looked at. No global state, so that several pictures may be read at once. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 4, FIELDS = 13, CHUNK = 8 };

typedef struct {
    int64_t area, sum_x, sum_y, sum_xx, sum_yy, sum_xy, cold, red;
    int32_t left, right, top, foot;
    int32_t parent;
} Piece;

typedef struct {
    int32_t start, end, piece; /* columns start..end-1 */
} Run;

typedef struct {
    Piece *pieces;
    int32_t count, room;
    Run *rows[2];
    int32_t lengths[2];
} Level;

static int32_t root_of(Piece *pieces, int32_t number)
{
    while (pieces[number].parent != number) {
        pieces[number].parent = pieces[pieces[number].parent].parent;
        number = pieces[number].parent;
    }
    return number;
}

static int32_t join(Piece *pieces, int32_t one, int32_t other)
{
    one = root_of(pieces, one);
    other = root_of(pieces, other);
    if (one == other)
        return one;
    Piece *into = &pieces[one], *from = &pieces[other];
    from->parent = one;
    into->area += from->area;
    into->sum_x += from->sum_x;
    into->sum_y += from->sum_y;
    into->sum_xx += from->sum_xx;
    into->sum_yy += from->sum_yy;
    into->sum_xy += from->sum_xy;
    into->cold += from->cold;
    into->red += from->red;
    if (from->left < into->left) into->left = from->left;
    if (from->right > into->right) into->right = from->right;
    if (from->top < into->top) into->top = from->top;
    if (from->foot > into->foot) into->foot = from->foot;
    return one;
}

/* A new piece; -1 when memory is short. */
static int32_t new_piece(Level *level, int32_t x, int32_t y)
{
    if (level->count == level->room) {
        int32_t room = level->room ? 2 * level->room : 1024;
        Piece *larger = realloc(level->pieces, sizeof(Piece) * (size_t)room);
        if (!larger)
            return -1;
        level->pieces = larger;
        level->room = room;
    }
    Piece *piece = &level->pieces[level->count];
    memset(piece, 0, sizeof *piece);
    piece->left = piece->right = x;
    piece->top = piece->foot = y;
    piece->parent = level->count;
    return level->count++;
}

/* Adds a run of ink to the piece above it or to a new one; `seen` walks along the runs of the row above. */
static int add_run(Level *level, int now, int32_t *seen, int32_t start, int32_t end, int32_t y,
                   const uint8_t *pixels)
{
    Run *above = level->rows[!now];
    int32_t piece = -1, last = level->lengths[!now];
    while (*seen < last && above[*seen].end < start)
        ++*seen;
    for (int32_t other = *seen; other < last && above[other].start <= end; ++other)
        piece = piece < 0 ? root_of(level->pieces, above[other].piece)
                          : join(level->pieces, piece, above[other].piece);
    if (piece < 0 && (piece = new_piece(level, start, y)) < 0)
        return -1;
    Piece *into = &level->pieces[piece];
    int64_t count = end - start, first = start, last_x = end - 1;
    int64_t sum_x = (first + last_x) * count / 2, cold = 0, red = 0;
    int64_t squares = last_x * (last_x + 1) * (2 * last_x + 1) / 6 - (first - 1) * first * (2 * first - 1) / 6;
    for (int32_t x = start; x < end; ++x) {
        cold += pixels[3 * x] + pixels[3 * x + 1];
        red += pixels[3 * x + 2];
    }
    into->area += count;
    into->sum_x += sum_x;
    into->sum_y += count * y;
    into->sum_xx += squares;
    into->sum_yy += count * (int64_t)y * y;
    into->sum_xy += sum_x * y;
    into->cold += cold;
    into->red += red;
    if (start < into->left) into->left = start;
    if (end - 1 > into->right) into->right = end - 1;
    into->foot = y;
    level->rows[now][level->lengths[now]++] = (Run){start, end, piece};
    return 0;
}

/* Brightness of the paper along one row, as bilinear interpolation between cells gives it. */
static void level_row(const uint8_t *cells, int columns, int rows, int cell, int y, float *out)
{
    float at = (y + 0.5f) / (float)cell - 0.5f;
    int upper = at < 0 ? 0 : (int)at;
    int lower = upper + 1 < rows ? upper + 1 : rows - 1;
    float part = at < 0 ? 0 : at - (float)upper;
    for (int column = 0; column < columns; ++column)
        out[column] = (1 - part) * cells[upper * columns + column] + part * cells[lower * columns + column];
}

/* Which of CHUNK pixels are ink at each level; `around` is the paper's brightness of the cell before, of this
   one and of the one after, `offset` where in the cell the chunk begins. Free of branches for the compiler. */
static void ink_of_chunk(const uint8_t *pixels, int offset, int cell, const float *around, const int *shares,
                         int levels, uint8_t ink[][CHUNK], uint8_t *any)
{
    float dark[CHUNK], bright[CHUNK];
    for (int step = 0; step < CHUNK; ++step) {
        float at = ((float)(offset + step) + 0.5f) / (float)cell - 0.5f;
        float slope = at < 0 ? around[1] - around[0] : around[2] - around[1];
        bright[step] = around[1] + at * slope;
    }
    for (int step = 0; step < CHUNK; ++step) {
        int blue = pixels[3 * step], green = pixels[3 * step + 1], red = pixels[3 * step + 2];
        int least = blue < green ? blue : green;
        dark[step] = (float)((least < red ? least : red) * 256);
    }
    for (int number = 0; number < levels; ++number) {
        float share = (float)shares[number];
        uint8_t some = 0;
        for (int step = 0; step < CHUNK; ++step)
            some |= ink[number][step] = dark[step] < bright[step] * share;
        any[number] = some;
    }
}

/* Finds the ink of a picture.

   pixels: blue, green, red, `stride` bytes a row. level and paper: rows x columns of cells of `cell` pixels
   (a multiple of CHUNK),
   brightness of the paper and whether the cell belongs to paper. shares: how many parts in 256 of the paper's
   brightness ink stays below, darkest allowed first or not. out: room x FIELDS doubles (level, area, left,
   top, right, foot, and the sums x, y, xx, yy, xy, cold, red). Returns the number of pieces written, at most
   `room`; -1 when memory is short. Pieces of less than `least` pixels are left out. */
int find_ink(const uint8_t *pixels, int64_t stride, const uint8_t *level, const uint8_t *paper, int columns,
             int rows, int cell, const int *shares, int levels, int least, double *out, int room)
{
    int32_t width = columns * cell;
    int written = 0, failed = levels > LEVELS_MAX;
    Level found[LEVELS_MAX];
    memset(found, 0, sizeof found);
    float *brightness = malloc(sizeof(float) * (size_t)columns);
    failed |= !brightness;
    for (int number = 0; number < levels && !failed; ++number)
        for (int row = 0; row < 2; ++row) {
            found[number].rows[row] = malloc(sizeof(Run) * (size_t)(width / 2 + 2));
            failed |= !found[number].rows[row];
        }
    for (int32_t y = 0; y < rows * cell && !failed; ++y) {
        const uint8_t *line = pixels + y * stride, *cells = paper + (y / cell) * columns;
        int now = y & 1;
        int32_t open[LEVELS_MAX], seen[LEVELS_MAX];
        for (int number = 0; number < levels; ++number) {
            open[number] = -1;
            seen[number] = found[number].lengths[now] = 0;
        }
        level_row(level, columns, rows, cell, y, brightness);
        for (int column = 0; column < columns && !failed; ++column) {
            int32_t x = column * cell, end = x + cell;
            if (!cells[column]) {
                for (int number = 0; number < levels; ++number)
                    if (open[number] >= 0) {
                        failed |= add_run(&found[number], now, &seen[number], open[number], x, y, line);
                        open[number] = -1;
                    }
                continue;
            }
            float around[3] = {
                brightness[column ? column - 1 : 0], brightness[column],
                brightness[column + 1 < columns ? column + 1 : column],
            };
            for (; x < end; x += CHUNK) {
                uint8_t ink[LEVELS_MAX][CHUNK];
                uint8_t any[LEVELS_MAX];
                ink_of_chunk(line + 3 * x, x - column * cell, cell, around, shares, levels, ink, any);
                for (int number = 0; number < levels; ++number) {
                    if (!any[number] && open[number] < 0)
                        continue;
                    for (int step = 0; step < CHUNK; ++step)
                        if (ink[number][step]) {
                            if (open[number] < 0)
                                open[number] = x + step;
                        } else if (open[number] >= 0) {
                            failed |= add_run(&found[number], now, &seen[number], open[number], x + step, y, line);
                            open[number] = -1;
                        }
                }
            }
        }
        for (int number = 0; number < levels; ++number)
            if (open[number] >= 0)
                failed |= add_run(&found[number], now, &seen[number], open[number], width, y, line);
    }
    for (int number = 0; number < levels && !failed; ++number)
        for (int32_t which = 0; which < found[number].count && written < room; ++which) {
            const Piece *piece = &found[number].pieces[which];
            if (piece->parent != which || piece->area < least)
                continue;
            double fields[FIELDS] = {
                number, (double)piece->area, piece->left, piece->top, piece->right, piece->foot,
                (double)piece->sum_x, (double)piece->sum_y, (double)piece->sum_xx, (double)piece->sum_yy,
                (double)piece->sum_xy, (double)piece->cold, (double)piece->red,
            };
            memcpy(out + (size_t)written * FIELDS, fields, sizeof fields);
            ++written;
        }
    for (int number = 0; number < levels && number < LEVELS_MAX; ++number) {
        free(found[number].pieces);
        free(found[number].rows[0]);
        free(found[number].rows[1]);
    }
    free(brightness);
    return failed ? -1 : written;
}
