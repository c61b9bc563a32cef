/* margin_sparse: losses of margins for t2 < 1 on vectors of doubles; included by margin.inc.h. */

/* Entry [offset] for each lane. */
HOT vec sparse_lookup(const double *from, ivec offset)
{
#if defined(__AVX512F__)
    return (vec)_mm512_i64gather_pd((__m512i)offset, from, 8);
#else
    vec found;
    for (int lane = 0; lane < LANES; lane++)
        found[lane] = from[offset[lane]];
    return found;
#endif
}

/* The coefficients of a vector of margins, and the positions in their intervals. */
struct sparse_place {
    ivec offset;          /* from the first coefficient of the table */
    ivec solved, outside; /* by a polynomial; beyond the edge of support; neither: the exact path */
    vec x, x_per_margin;
};

/* As margin_sparse_polynomial does it, by integer operations on the bits of 1 + |m| or of the gap. */
HOT struct sparse_place sparse_place(const struct margin_sparse *sparse, vec m)
{
    enum { CELL_BITS = MANTISSA_BITS - 1 };
    const ivec one = (ivec)vec_all(1), negative = m < 0;
    vec size = vec_abs(m), gap = (sparse->edge - size) + sparse->edge_low;
    ivec central = size < sparse->central;
    ivec solved = gap > vec_select(negative, vec_all(sparse->smallest[1]), vec_all(sparse->smallest[0]));
    vec z = vec_select(central, 1 + size, vec_select(solved, gap, vec_all(1)));
    ivec bits = (ivec)z, cell = bits >> CELL_BITS, octave = (bits >> MANTISSA_BITS) - (one >> MANTISSA_BITS);
    ivec inner = cell - (one >> CELL_BITS), outer = sparse->first_cell - cell;
    ivec index = ((inner & central) | (outer & ~central)) + (negative & MARGIN_SPARSE_SIDE);
    const whole low_bits = ((whole)1 << CELL_BITS) - 1;
    vec from_one = (vec)((bits & low_bits) | one);
    ivec sign = (negative ^ ~central) & (ivec)vec_all(-0.0);
    return (struct sparse_place){
        .offset = (index & solved) * (MARGIN_SPARSE_DEGREE + 1),
        .solved = solved,
        .outside = gap <= 0,
        .x = vec_fma(from_one, vec_all(4), vec_all(-5)),
        .x_per_margin = (vec)(((ivec)vec_all(4) - (octave << MANTISSA_BITS)) | sign),
    };
}

/* Results of a vector once its polynomials are evaluated: the constants beyond the edge, and the exact path for lanes
 * close to it. */
HOT void sparse_finish(const struct margin_table *table, vec m, const struct sparse_place *place,
                       struct margin_vec *loss)
{
    const double *outside = table->sparse.outside;
    struct margin_vec constant = {.slope = vec_all(0), .curvature = vec_all(0)};
    constant.value = vec_select(m < 0, vec_all(outside[1]), vec_all(outside[0]));
    *loss = margin_select(place->outside, constant, *loss);
    ivec exact = ~(place->outside | place->solved);
    if (vec_any(exact))
        replace_lanes(table, m, exact, loss);
}

/* GROUP vectors by Horner's scheme; the curvature comes along, as its cost is hidden by the gathers. */
static __attribute__((noinline)) void sparse_margins(const struct margin_table *table, const vec *m,
                                                     struct margin_vec *loss)
{
    const struct margin_sparse *sparse = &table->sparse;
    const double *first = sparse->coefficient[0];
    struct sparse_place place[GROUP];
    vec value[GROUP], slope[GROUP], half_curvature[GROUP];
    for (int g = 0; g < GROUP; g++) {
        place[g] = sparse_place(sparse, m[g]);
        value[g] = sparse_lookup(first + sparse->degree, place[g].offset);
        slope[g] = half_curvature[g] = vec_all(0);
    }
    for (int i = sparse->degree - 1; i >= 0; i--)
#pragma GCC unroll 4
        for (int g = 0; g < GROUP; g++) {
            half_curvature[g] = vec_fma(half_curvature[g], place[g].x, slope[g]);
            slope[g] = vec_fma(slope[g], place[g].x, value[g]);
            value[g] = vec_fma(value[g], place[g].x, sparse_lookup(first + i, place[g].offset));
        }
    for (int g = 0; g < GROUP; g++) {
        vec scale = place[g].x_per_margin;
        loss[g] = (struct margin_vec){value[g], slope[g] * scale, 2 * half_curvature[g] * scale * scale};
        sparse_finish(table, m[g], &place[g], &loss[g]);
    }
}
