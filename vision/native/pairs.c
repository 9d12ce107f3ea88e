/* From pieces of ink to spots, and from spots to the places where an index may be.

   The same, number by number and in the same order, as vision/ink.py and vision/locate.py do with numpy, which stays
   the reference. Sorted by x, each is compared only with those in reach. No global state. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Products and sums are rounded one by one, as numpy does: a level spot comes out exactly level. */
#pragma GCC optimize("fp-contract=off")

enum { FIELDS = 13 };

typedef struct {
    double x;
    int32_t number;
} Key;

static int smaller(int one, int other)
{
    return one < other ? one : other;
}

/* Sorts by x, alike ones by number; returns which of the two holds the result. */
static Key *sorted(Key *keys, Key *spare, int count)
{
    for (int width = 1; width < count; width *= 2) {
        for (int start = 0; start < count; start += 2 * width) {
            int middle = smaller(start + width, count), end = smaller(start + 2 * width, count);
            for (int at = start, one = start, other = middle; at < end; ++at)
                spare[at] = one < middle && (other == end || keys[one].x <= keys[other].x) ? keys[one++]
                                                                                           : keys[other++];
        }
        Key *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

/* Which pieces are spots: longest and shortest side of the box, the share of it that is ink; how far two pieces of
   different levels may differ in place and area and be one; the least contrast that redness is measured by. */
typedef struct {
    double longest[2], shortest, filled, place, area[2], contrast;
} SpotRule;

static int fits(const double *piece, const SpotRule *rule)
{
    double wide = piece[4] - piece[2] + 1, high = piece[5] - piece[3] + 1;
    double longest = wide > high ? wide : high, shortest = wide > high ? high : wide;
    return longest >= rule->longest[0] && longest <= rule->longest[1] && shortest >= rule->shortest &&
           piece[1] / (wide * high) > rule->filled;
}

/* Whether an earlier level has shown the piece of one key, too. */
static int seen_before(const double *pieces, const Key *keys, int count, Key key, const SpotRule *rule)
{
    const double *mine = pieces + (int64_t)key.number * FIELDS;
    double y = mine[7] / mine[1], end = key.x + rule->place;
    for (int at = 0; at < count && keys[at].x < end; ++at) {
        const double *other = pieces + (int64_t)keys[at].number * FIELDS;
        double ratio = mine[1] / other[1];
        if (other[0] < mine[0] && fabs(y - other[7] / other[1]) < rule->place && ratio > rule->area[0] &&
            ratio < rule->area[1])
            return 1;
    }
    return 0;
}

static void measure(const double *piece, double white, double contrast, double *centre, double *spread,
                    double *redness)
{
    double area = piece[1], x = piece[6] / area, y = piece[7] / area, cold = piece[11] / area / 2;
    double light = white - cold, share = (piece[12] / area - cold) / (light > contrast ? light : contrast);
    centre[0] = x;
    centre[1] = y;
    spread[0] = piece[8] / area - x * x + 1.0 / 12;
    spread[1] = spread[2] = piece[10] / area - x * y;
    spread[3] = piece[9] / area - y * y + 1.0 / 12;
    *redness = share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Turns the pieces that `find_ink` has found (count x FIELDS) into spots, each told once.

   white: brightness of the whitest paper. centres (x, y), spreads (xx, xy, xy, yy), areas and redness have room for
   `count` each. Returns how many there are; -1 when memory is short. */
int spots_of_pieces(const double *pieces, int count, const SpotRule *rule, double white, double *centres,
                    double *spreads, double *areas, double *redness)
{
    Key *room = malloc(2 * sizeof(Key) * ((size_t)count + 1));
    uint8_t *seen = calloc((size_t)count + 1, 1);
    int fitting = 0, written = 0, first = 0;
    for (int number = 0; number < count && room && seen; ++number) {
        const double *piece = pieces + (int64_t)number * FIELDS;
        seen[number] = !fits(piece, rule);
        if (!seen[number])
            room[fitting++] = (Key){piece[6] / piece[1], number};
    }
    const Key *keys = fitting ? sorted(room, room + fitting, fitting) : room;
    for (int at = 0; at < fitting; ++at) {
        while (keys[first].x < keys[at].x - rule->place)
            ++first;
        seen[keys[at].number] = (uint8_t)seen_before(pieces, keys + first, fitting - first, keys[at], rule);
    }
    for (int number = 0; number < count && room && seen; ++number) {
        const double *piece = pieces + (int64_t)number * FIELDS;
        if (seen[number])
            continue;
        measure(piece, white, rule->contrast, centres + 2 * written, spreads + 4 * written, redness + written);
        areas[written++] = piece[1];
    }
    int failed = !room || !seen;
    free(room);
    free(seen);
    return failed ? -1 : written;
}

/* Which spots belong together, as vision/locate.py names it. */
typedef struct {
    double rank_reach, pip_reach, span;
    double merge_reach, merge_size[2], merge_tint;
    double pair_reach, apart, touch[2], pip_size[2], tint, wide, slim[2];
    double stretch[2], long_area, long_reach;
} PairRule;

typedef struct {
    double x, y, xx, xy, yy, area, redness, size;
    int32_t number;
} Spot;

/* Spots sorted by x, alike ones by number. */
typedef struct {
    Spot *spots;
    int count;
} Row;

typedef struct {
    double *centres, *downs, *heights;
    int count, room;
} Found;

static void add(Found *found, double x, double y, double down_x, double down_y, double height)
{
    if (found->count == found->room)
        return;
    found->centres[2 * found->count] = x;
    found->centres[2 * found->count + 1] = y;
    found->downs[2 * found->count] = down_x;
    found->downs[2 * found->count + 1] = down_y;
    found->heights[found->count++] = height;
}

static double size_of(double xx, double yy)
{
    return 2.5 * sqrt(xx + yy);
}

/* The first spot of a row that does not lie left of x. */
static int first_from(Row row, double x)
{
    int low = 0, high = row.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (row.spots[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next spot of a row from `at` on that is nearer to another one than `reach`, but is not that one; the row's
   length when there is none. `gap` gets the distance. */
static int next_near(Row row, int at, const Spot *spot, double reach, double span, double *gap)
{
    double end = spot->x + (reach < span ? reach : span);
    for (; at < row.count && row.spots[at].x < end; ++at) {
        const Spot *other = &row.spots[at];
        if (fabs(other->y - spot->y) >= reach || other->number == spot->number)
            continue;
        *gap = hypot(other->x - spot->x, other->y - spot->y);
        if (*gap < reach)
            return at;
    }
    return row.count;
}

static Spot united(const Spot *one, const Spot *other, int number)
{
    double area = one->area + other->area, share = one->area / area, rest = 1 - share;
    double x = one->x - other->x, y = one->y - other->y, between = share * rest;
    Spot both = {
        one->x * share + other->x * rest,
        one->y * share + other->y * rest,
        one->xx * share + other->xx * rest + between * x * x,
        one->xy * share + other->xy * rest + between * x * y,
        one->yy * share + other->yy * rest + between * y * y,
        area,
        one->redness * share + other->redness * rest,
        0,
        number,
    };
    both.size = size_of(both.xx, both.yy);
    return both;
}

/* Writes the unions of spots that may be the two digits of a ten or a broken glyph, at most `room`. */
static int unite(Row singles, const PairRule *rule, Spot *unions, int room)
{
    int count = 0;
    for (const Spot *one = singles.spots; one < singles.spots + singles.count; ++one) {
        double reach = rule->merge_reach * one->size, gap;
        int at = first_from(singles, one->x - (reach < rule->span ? reach : rule->span));
        while ((at = next_near(singles, at, one, reach, rule->span, &gap)) < singles.count && count < room) {
            const Spot *other = &singles.spots[at++];
            double ratio = one->size / other->size;
            if (one->number < other->number && ratio > rule->merge_size[0] && ratio < rule->merge_size[1] &&
                fabs(one->redness - other->redness) < rule->merge_tint) {
                unions[count] = united(one, other, singles.count + count);
                ++count;
            }
        }
    }
    return count;
}

/* Standard deviation of a spot along a direction. */
static double along(const Spot *spot, double x, double y)
{
    return sqrt(x * x * spot->xx + 2 * x * y * spot->xy + y * y * spot->yy);
}

static int within(double value, const double *limits)
{
    return value > limits[0] && value < limits[1];
}

static void judge(const Spot *rank, const Spot *pip, double distance, const PairRule *rule, Found *found)
{
    double x = (pip->x - rank->x) / distance, y = (pip->y - rank->y) / distance;
    double rank_half = rule->rank_reach * along(rank, x, y), pip_half = rule->pip_reach * along(pip, x, y);
    if (!within(distance / (rank_half + pip_half), rule->touch) || !within(pip_half / rank_half, rule->pip_size))
        return;
    double wide = along(rank, -y, x) * rule->rank_reach / rank_half;
    double slim = along(pip, -y, x) * rule->pip_reach / pip_half, shift = (distance + pip_half - rank_half) / 2;
    if (wide < rule->wide && within(slim, rule->slim))
        add(found, rank->x + x * shift, rank->y + y * shift, x, y, distance + rank_half + pip_half);
}

static void pair(Row ranks, Row pips, const PairRule *rule, Found *found)
{
    for (const Spot *rank = ranks.spots; rank < ranks.spots + ranks.count && found->count < found->room; ++rank) {
        double reach = rule->pair_reach * rank->size, gap;
        int at = first_from(pips, rank->x - (reach < rule->span ? reach : rule->span));
        while ((at = next_near(pips, at, rank, reach, rule->span, &gap)) < pips.count) {
            const Spot *pip = &pips.spots[at++];
            if (gap > rule->apart && fabs(rank->redness - pip->redness) < rule->tint)
                judge(rank, pip, gap, rule, found);
        }
    }
}

/* Adds spots that may be a rank that has run into its pip, in one of the two directions (`sign` 1 or -1): at first
   steep ones point down, flat ones left, level ones right. */
static void stretched(const Spot *spots, int count, const PairRule *rule, double sign, Found *found)
{
    for (const Spot *spot = spots; spot < spots + count; ++spot) {
        double more = spot->xx - spot->yy, twice = 2 * spot->xy, root = hypot(more, twice);
        double large = (spot->xx + spot->yy + root) / 2;
        double small = (spot->xx * spot->yy - spot->xy * spot->xy) / large;
        if (!(spot->area > rule->long_area) || !within(sqrt(large / small), rule->stretch))
            continue;
        double x = more > 0 ? -(more + root) : twice, y = more > 0 ? -twice : root - more;
        double length = hypot(x, y) * (more > 0 && twice == 0 ? -sign : sign);
        add(found, spot->x, spot->y, x / length, y / length, 2 * rule->long_reach * sqrt(large));
    }
}

/* Copies spots in the order of their x. */
static Row row_of(const Spot *spots, int count, Spot *out, Key *room)
{
    for (int number = 0; number < count; ++number)
        room[number] = (Key){spots[number].x, number};
    const Key *keys = sorted(room, room + count, count);
    for (int at = 0; at < count; ++at)
        out[at] = spots[keys[at].number];
    return (Row){out, count};
}

/* Finds the places where an index may be among `count` spots, given as `spots_of_pieces` gives them.

   centres and downs (x, y) and heights have room for `room` places; what is beyond is not looked at, nor are more
   than `unions` pairs of spots taken for one. Returns how many there are; -1 when memory is short. */
int pair_spots(const double *centres, const double *spreads, const double *areas, const double *redness, int count,
               const PairRule *rule, int unions, double *found_centres, double *downs, double *heights, int room)
{
    size_t most = (size_t)count + (size_t)unions;
    Found found = {found_centres, downs, heights, 0, room};
    Spot *all = malloc(sizeof(Spot) * (most + 1)), *pips = malloc(sizeof(Spot) * ((size_t)count + 1));
    Spot *ranks = malloc(sizeof(Spot) * (most + 1));
    Key *keys = malloc(2 * sizeof(Key) * (most + 1));
    int failed = !all || !pips || !ranks || !keys;
    if (!failed) {
        for (int number = 0; number < count; ++number) {
            const double *spread = spreads + 4 * number;
            all[number] = (Spot){
                centres[2 * number], centres[2 * number + 1], spread[0], spread[1], spread[3], areas[number],
                redness[number], size_of(spread[0], spread[3]), number,
            };
        }
        Row singles = row_of(all, count, pips, keys);
        int united_count = unite(singles, rule, all + count, unions);
        pair(row_of(all, count + united_count, ranks, keys), singles, rule, &found);
        stretched(all, count, rule, 1, &found);
        stretched(all, count, rule, -1, &found);
    }
    free(all);
    free(pips);
    free(ranks);
    free(keys);
    return failed ? -1 : found.count;
}
