/* neighbour_lists: neighbour_lists.h on vectors of floats. */
#include "kernel/dense/linear_simd.h"
#include "kernel/small/neighbour_lists.h"

/* Vectors of a group of queries, and points whose products are in registers at a time. */
enum { QUERY_VECTORS = NEIGHBOUR_QUERIES / LANES };
#if defined(__AVX512F__)
enum { POINTS_AT_ONCE = 8 };
#else
enum { POINTS_AT_ONCE = 2 };
#endif

/* A bit for each lane in which a < b. */
HOT uint32_t lanes_below(vec a, vec b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((native)a, (native)b, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((native)a, (native)b, _CMP_LT_OQ));
#else
    ivec below = a < b;
    uint32_t bits = 0;
    if (!vec_any(below))
        return 0;
    for (int lane = 0; lane < LANES; lane++)
        bits |= (below[lane] ? 1U : 0U) << lane;
    return bits;
#endif
}

/* The LANES numbers that end one before at[], `before` being those in front of it. A load would have to wait for the
 * stores that it overlaps. */
HOT vec vec_one_before(vec at, vec before)
{
#if defined(__AVX512F__)
    return (vec)_mm512_alignr_epi32((__m512i)at, (__m512i)before, LANES - 1);
#elif defined(__AVX2__)
    __m256i middle = _mm256_permute2x128_si256((__m256i)before, (__m256i)at, 0x21);
    return (vec)_mm256_alignr_epi8((__m256i)at, middle, 12);
#else
    vec shifted = {before[LANES - 1]};
    for (int lane = 1; lane < LANES; lane++)
        shifted[lane] = at[lane - 1];
    return shifted;
#endif
}

/* Lanes that are chosen: a mask register where there are some. vec_select takes three instructions instead of one. */
#if defined(__AVX512F__)
typedef __mmask16 lane_choice;
#else
typedef ivec lane_choice;
#endif

HOT lane_choice lanes_at_most(vec a, vec b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((native)a, (native)b, _CMP_LE_OQ);
#else
    return a <= b;
#endif
}

HOT vec lanes_choose(lane_choice chosen, vec yes, vec no)
{
#if defined(__AVX512F__)
    return (vec)_mm512_mask_mov_ps((native)no, chosen, (native)yes);
#elif defined(__AVX2__)
    return (vec)_mm256_blendv_ps((native)no, (native)yes, (native)chosen);
#else
    return vec_select(chosen, yes, no);
#endif
}

/* Inserts a point behind those of the list that are as near; the last one moves into the padding. From the end to the
 * beginning, since an entry is read by those behind it. Rows are moved as the bits of floats. */
HOT void list_insert(const struct neighbour_lists *lists, size_t query, float value, uint32_t row)
{
    float *values = lists->value + query * lists->stride + NEIGHBOUR_PAD;
    uint32_t *rows = lists->row + query * lists->stride + NEIGHBOUR_PAD;
    size_t last = (lists->count - 1) / LANES * LANES;
    vec new_value = vec_all(value), new_row = (vec)ivec_all((int32_t)row), at = vec_load(values + last), at_row;
    memcpy(&at_row, rows + last, sizeof at_row);
    for (size_t i = last;; i -= LANES) {
        vec before = vec_load(values + i - LANES), before_row;
        memcpy(&before_row, rows + i - LANES, sizeof before_row);
        vec shifted = vec_one_before(at, before), shifted_row = vec_one_before(at_row, before_row);
        lane_choice stays = lanes_at_most(at, new_value), first = lanes_at_most(shifted, new_value);
        vec_store(values + i, lanes_choose(stays, at, lanes_choose(first, new_value, shifted)));
        shifted_row = lanes_choose(stays, at_row, lanes_choose(first, new_row, shifted_row));
        memcpy(rows + i, &shifted_row, sizeof shifted_row);
        if (i == 0)
            break;
        at = before;
        at_row = before_row;
    }
    lists->worst[query] = values[lists->count - 1];
}

/* Inserts one point into the lists of the queries of `near`, bits. */
static __attribute__((noinline)) void point_insert(const struct neighbour_lists *lists, uint32_t near,
                                                   const float *value, uint32_t row)
{
    for (; near; near &= near - 1) {
        size_t query = (size_t)__builtin_ctz(near);
        if (lists->own[query] != row)
            list_insert(lists, query, value[query], row);
    }
}

/* Compares POINTS_AT_ONCE points with all queries. */
HOT void points_compare(const struct neighbour_lists *lists, const struct neighbour_points *points, size_t first)
{
    vec sum[POINTS_AT_ONCE][QUERY_VECTORS];
    UNROLL for (size_t i = 0; i < POINTS_AT_ONCE; i++) UNROLL for (size_t v = 0; v < QUERY_VECTORS; v++) sum[i][v] =
        vec_all(0);
    for (size_t j = 0; j < lists->dimensions; j++) {
        const float *x = points->x + j * NEIGHBOUR_POINTS + first, *query = lists->query + j * NEIGHBOUR_QUERIES;
        vec q[QUERY_VECTORS];
        UNROLL for (size_t v = 0; v < QUERY_VECTORS; v++) q[v] = vec_load(query + v * LANES);
        UNROLL for (size_t i = 0; i < POINTS_AT_ONCE; i++) UNROLL for (size_t v = 0; v < QUERY_VECTORS; v++) sum[i][v] =
            vec_fma(vec_all(x[i]), q[v], sum[i][v]);
    }
    UNROLL for (size_t i = 0; i < POINTS_AT_ONCE; i++)
    {
        float value[NEIGHBOUR_QUERIES];
        uint32_t near = 0;
        UNROLL for (size_t v = 0; v < QUERY_VECTORS; v++)
        {
            sum[i][v] = vec_all(points->norm[first + i]) - 2 * sum[i][v];
            near |= lanes_below(sum[i][v], vec_load(lists->worst + v * LANES)) << (v * LANES);
        }
        if (near) {
            UNROLL for (size_t v = 0; v < QUERY_VECTORS; v++) vec_store(value + v * LANES, sum[i][v]);
            point_insert(lists, near, value, points->row[first + i]);
        }
    }
}

static void neighbours_run(const struct neighbour_lists *lists, const struct neighbour_points *points)
{
    for (size_t first = 0; first < NEIGHBOUR_POINTS; first += POINTS_AT_ONCE)
        points_compare(lists, points, first);
}

/* No FMA: the reference rounds products. */
HOT vec wave_of(vec turns, float size)
{
    vec half = (vec)(((ivec)turns & (ivec)vec_all(-0.0F)) | (ivec)vec_all(0.5F));
    vec t = turns - __builtin_convertvector(__builtin_convertvector(turns + half, ivec), vec), y = t * t;
    return size * (1 + y * (WAVE_1 + y * (WAVE_2 + y * (WAVE_3 + y * (WAVE_4 + WAVE_5 * y)))));
}

static void waves_run(float *turns, size_t n, float size)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        vec_store(turns + i, wave_of(vec_load(turns + i), size));
    if (i < n) {
        float rest[LANES] = {0};
        memcpy(rest, turns + i, (n - i) * sizeof *rest);
        vec_store(rest, wave_of(vec_load(rest), size));
        memcpy(turns + i, rest, (n - i) * sizeof *rest);
    }
}
