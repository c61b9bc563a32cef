/* column_margins_vectors: the loops for one type of activations; included twice by column_margins.inc.h. */

/* Without branches: the sign of the weight flips that of the activation, and rows of weight 0 are masked. */
static void COLUMN(margins)(const struct column_rows *rows, const stored *activation, double *margin)
{
    const ivec sign = (ivec)vec_all(-0.0);
    for (size_t i = 0; i < rows->count; i += LANES) {
        vec signed_weight = vec_load(rows->signed_weight + i), a = LOAD(activation + i) + rows->bias;
        ivec counts = signed_weight != 0, signed_a = (ivec)a ^ ((ivec)signed_weight & sign);
        vec_store(margin + i, (vec)(signed_a & counts));
    }
}

/* Two sums of each hide the latency of an addition. */
static void COLUMN(residuals)(const struct column_rows *rows, const double *value, const double *slope,
                              stored *residual, struct column_totals *sums)
{
    vec loss[2] = {vec_all(0), vec_all(0)}, all[2] = {vec_all(0), vec_all(0)};
    for (size_t i = 0; i < rows->count; i += 2 * LANES)
        UNROLL for (size_t k = 0; k < 2; k++)
        {
            const size_t at = i + k * LANES;
            vec signed_weight = vec_load(rows->signed_weight + at), r = signed_weight * vec_load(slope + at);
            loss[k] = vec_fma(vec_abs(signed_weight), vec_load(value + at), loss[k]);
            all[k] += r;
            STORE(residual + at, r);
        }
    sums->loss += sum_across(loss[0] + loss[1]);
    sums->residual += sum_across(all[0] + all[1]);
}

#undef stored
#undef LOAD
#undef STORE
#undef COLUMN
