/* Connected pieces of ink with their moments, at several levels in one walk over the picture.

   The same as vision/ink.py does with OpenCV, which stays the reference: runs of ink are joined row by row
   (8 neighbours) with a union-find, and area, moments and colour are summed run by run. Only cells that hold
   paper are looked at. No global state, so that several pictures may be read at once. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 4, FIELDS = 13, CHUNK = 8 };

/* Times eight bytes of 0 or 1, this gives them as the eight highest bits, the first one lowest. */
#define GATHER UINT64_C(0x0102040810204080)

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

typedef struct {
    int32_t first, last; /* cells first..last-1 */
} Stretch;

/* What is looked at of one row at a time: where there is paper; tones of the darkest channel, times 256; brightness
   of the paper, cell by cell and pixel by pixel; and which pixels are ink. To sum up a run: the tones to the left of
   each pixel in its stretch, blue + green in the lower half and red in the upper half; and all smaller squares. */
typedef struct {
    Stretch *stretches;
    float *dark, *cells, *bright;
    uint8_t *ink;
    uint64_t *tones;
    int64_t *squares;
} Line;

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
static int add_run(Level *level, int now, int32_t *seen, int32_t start, int32_t end, int32_t y, const Line *line)
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
    int64_t count = end - start, sum_x = (int64_t)(start + end - 1) * count / 2;
    uint64_t tones = line->tones[end] - line->tones[start];
    into->area += count;
    into->sum_x += sum_x;
    into->sum_y += count * y;
    into->sum_xx += line->squares[end] - line->squares[start];
    into->sum_yy += count * (int64_t)y * y;
    into->sum_xy += sum_x * y;
    into->cold += (int64_t)(tones & UINT32_MAX);
    into->red += (int64_t)(tones >> 32);
    if (start < into->left) into->left = start;
    if (end - 1 > into->right) into->right = end - 1;
    into->foot = y;
    level->rows[now][level->lengths[now]++] = (Run){start, end, piece};
    return 0;
}

/* Brightness of the paper along one row, as bilinear interpolation between cells gives it. */
static void level_row(const uint8_t *cells, int columns, int rows, int cell, int y, float *out)
{
    float at = ((float)y + 0.5f) / (float)cell - 0.5f;
    int upper = at < 0 ? 0 : (int)at;
    int lower = upper + 1 < rows ? upper + 1 : rows - 1;
    float part = at < 0 ? 0 : at - (float)upper;
    for (int column = 0; column < columns; ++column)
        out[column] = (1 - part) * cells[upper * columns + column] + part * cells[lower * columns + column];
}

/* Brightness of the paper at each pixel of the cells first..last-1: bilinear, the border's cells repeated. */
static void brighten(const Line *line, int first, int last, int columns, int cell)
{
    for (int column = first; column < last; ++column) {
        float here = line->cells[column], before = line->cells[column ? column - 1 : 0];
        float after = line->cells[column + 1 < columns ? column + 1 : column];
        float *bright = line->bright + column * cell;
        for (int step = 0; step < cell; ++step) {
            float at = ((float)step + 0.5f) / (float)cell - 0.5f;
            bright[step] = here + at * (at < 0 ? here - before : after - here);
        }
    }
}

static void darken(const Line *line, int start, int end, const uint8_t *pixels)
{
    for (int x = start; x < end; ++x) {
        uint8_t blue = pixels[3 * x], green = pixels[3 * x + 1], red = pixels[3 * x + 2];
        uint8_t least = blue < green ? blue : green;
        line->dark[x] = (float)((least < red ? least : red) * 256);
    }
    line->tones[start] = 0;
    for (int x = start; x < end; ++x)
        line->tones[x + 1] = line->tones[x] + (uint64_t)(pixels[3 * x] + pixels[3 * x + 1]) +
                             ((uint64_t)pixels[3 * x + 2] << 32);
}

/* Which of `chunks` chunks of pixels are ink, the first one lowest. */
static uint64_t bits_of(const uint8_t *ink, int chunks)
{
    uint64_t bits = 0, chunk;
    for (int number = 0; number < chunks; ++number) {
        memcpy(&chunk, ink + CHUNK * number, sizeof chunk);
        bits |= (chunk * GATHER) >> 56 << (CHUNK * number);
    }
    return bits;
}

/* Adds the ink between start and end, both multiples of CHUNK, to the pieces of a level. */
static int scan(Level *level, int now, int32_t *seen, const Line *line, int start, int end, int32_t y, float share)
{
    uint8_t *ink = line->ink;
    int32_t open = -1, failed = 0;
    for (int x = start; x < end; ++x)
        ink[x] = line->dark[x] < line->bright[x] * share;
    for (int x = start; x < end; x += CHUNK * CHUNK) {
        int chunks = (end - x) / CHUNK < CHUNK ? (end - x) / CHUNK : CHUNK;
        uint64_t bits = bits_of(ink + x, chunks), turns = bits ^ (bits << 1 | (open >= 0));
        for (turns &= UINT64_MAX >> (CHUNK * (CHUNK - chunks)); turns; turns &= turns - 1) {
            int step = x + __builtin_ctzll(turns);
            if (open >= 0)
                failed |= add_run(level, now, seen, open, step, y, line);
            open = open < 0 ? step : -1;
        }
    }
    if (open >= 0)
        failed |= add_run(level, now, seen, open, end, y, line);
    return failed;
}

/* Stretches of cells that hold paper, in one row of cells; returns how many. */
static int stretches_of(const uint8_t *paper, int columns, Stretch *out)
{
    int count = 0;
    for (int column = 0; column < columns; ++column)
        if (paper[column] && column && paper[column - 1])
            out[count - 1].last = column + 1;
        else if (paper[column])
            out[count++] = (Stretch){column, column + 1};
    return count;
}

/* Finds the ink of one row of pixels, at all levels. */
static int ink_of_row(Level *found, int levels, const int *shares, const Line *line, int count, int columns, int cell,
                      int32_t y, const uint8_t *pixels)
{
    int now = y & 1, failed = 0;
    int32_t seen[LEVELS_MAX] = {0};
    for (int number = 0; number < levels; ++number)
        found[number].lengths[now] = 0;
    for (const Stretch *part = line->stretches; part < line->stretches + count; ++part) {
        brighten(line, part->first, part->last, columns, cell);
        darken(line, part->first * cell, part->last * cell, pixels);
        for (int number = 0; number < levels; ++number)
            failed |= scan(&found[number], now, &seen[number], line, part->first * cell, part->last * cell, y,
                           (float)shares[number]);
    }
    return failed;
}

static int write_pieces(const Level *level, int number, int least, double *out, int room)
{
    int written = 0;
    for (int32_t which = 0; which < level->count && written < room; ++which) {
        const Piece *piece = &level->pieces[which];
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
    return written;
}

/* Whether there is memory for rows of `columns` cells and `width` pixels. */
static int has_room(Line *line, int columns, size_t width)
{
    *line = (Line){
        malloc(sizeof(Stretch) * (size_t)columns), malloc(sizeof(float) * width),
        malloc(sizeof(float) * (size_t)columns),   malloc(sizeof(float) * width),
        malloc(width),                             malloc(sizeof(uint64_t) * (width + 1)),
        malloc(sizeof(int64_t) * (width + 1)),
    };
    for (int64_t x = 0, sum = 0; line->squares && x <= (int64_t)width; sum += x * x, ++x)
        line->squares[x] = sum;
    return line->stretches && line->dark && line->cells && line->bright && line->ink && line->tones && line->squares;
}

static void release(Line *line)
{
    free(line->stretches);
    free(line->dark);
    free(line->cells);
    free(line->bright);
    free(line->ink);
    free(line->tones);
    free(line->squares);
}

/* Finds the ink of a picture.

   pixels: blue, green, red, `stride` bytes a row. level and paper: rows x columns of cells of `cell` pixels
   (a multiple of CHUNK), brightness of the paper and whether the cell belongs to paper. shares: how many parts in
   256 of the paper's brightness ink stays below, for each of at most LEVELS_MAX levels. out: room x FIELDS doubles
   (level, area, left, top, right, foot, and the sums x, y, xx, yy, xy, cold, red). Returns the number of pieces
   written, at most `room`; -1 when memory is short. Pieces of less than `least` pixels are left out. */
int find_ink(const uint8_t *pixels, int64_t stride, const uint8_t *level, const uint8_t *paper, int columns,
             int rows, int cell, const int *shares, int levels, int least, double *out, int room)
{
    size_t width = (size_t)columns * (size_t)cell;
    int written = 0, count = 0;
    Level found[LEVELS_MAX];
    memset(found, 0, sizeof found);
    Line line;
    int failed = !has_room(&line, columns, width);
    for (int number = 0; number < levels; ++number)
        for (int row = 0; row < 2; ++row) {
            found[number].rows[row] = malloc(sizeof(Run) * (width / 2 + 2));
            failed |= !found[number].rows[row];
        }
    for (int32_t y = 0; y < rows * cell && !failed; ++y) {
        if (y % cell == 0)
            count = stretches_of(paper + (size_t)(y / cell) * (size_t)columns, columns, line.stretches);
        if (count)
            level_row(level, columns, rows, cell, y, line.cells);
        failed |= ink_of_row(found, levels, shares, &line, count, columns, cell, y, pixels + y * stride);
    }
    for (int number = 0; number < levels && !failed; ++number)
        written += write_pieces(&found[number], number, least, out + (size_t)written * FIELDS, room - written);
    for (int number = 0; number < levels; ++number) {
        free(found[number].pieces);
        free(found[number].rows[0]);
        free(found[number].rows[1]);
    }
    release(&line);
    return failed ? -1 : written;
}
