/* sparse_products_f32: products of sparse rows with weights in floats, on vectors of floats.
 *
 * Up to FLOATS_TOGETHER entries are summed in floats, and these sums in doubles, so that the error does not
 * grow with the length of a row. */
#ifndef KERNEL_SPARSE_PRODUCTS_F32_INC_H
#define KERNEL_SPARSE_PRODUCTS_F32_INC_H

#include "kernel/dense/linear_simd.h"
#include "kernel/sparse/sparse_products.h"

enum {
    FLOATS_AHEAD = 16,     /* entries between prefetch and use */
    FLOATS_VECTORS = 4,    /* of classes at once */
    FLOATS_LINE = 16,      /* numbers of a line of the cache */
    FLOATS_TOGETHER = 256, /* entries that are summed in floats */
};

struct floats_strip {
    struct sparse_rows rows;
    const float *w;
    size_t width; /* classes in all */
    size_t from;  /* the first class of the strip, */
    size_t count; /* and how many it has */
    part last;    /* the lanes of its last vector */
    double *out;
};

/* What a loop over a strip is compiled for. */
struct floats_case {
    bool wide, f64;
    int vectors;
};

/* Some entries of a row. `as` is a constant where it is called. */
HOT void floats_sum(const struct floats_strip *s, uint64_t e, uint64_t end, struct floats_case as, float *to)
{
    const struct sparse_rows *rows = &s->rows;
    const uint64_t all = sparse_start(rows, rows->rows);
    const int vectors = as.vectors;
    vec sum[FLOATS_VECTORS];
    UNROLL for (int v = 0; v < vectors; v++) sum[v] = vec_all(0);
    for (; e < end; e++) {
        const float *at = s->w + sparse_column(rows, e, as.wide) * s->width + s->from;
        vec value = vec_all((float)sparse_value(rows, e, as.f64));
        if (e + FLOATS_AHEAD < all) {
            size_t column = sparse_column(rows, e + FLOATS_AHEAD, as.wide);
            const float *next = s->w + column * s->width + s->from;
            for (size_t c = 0; c < (size_t)vectors * LANES; c += FLOATS_LINE)
                __builtin_prefetch(next + c);
        }
        UNROLL for (int v = 0; v < vectors; v++)
        {
            const float *w = at + (size_t)v * LANES;
            sum[v] = vec_fma(v + 1 < vectors ? vec_load(w) : vec_load_part(w, s->last), value, sum[v]);
        }
    }
    UNROLL for (int v = 0; v < vectors; v++) vec_store(to + v * LANES, sum[v]);
}

HOT void floats_rows(const struct floats_strip *s, struct floats_case as)
{
    float sum[FLOATS_VECTORS * LANES];
    for (size_t i = 0; i < s->rows.rows; i++) {
        double *restrict to = s->out + i * s->width + s->from;
        uint64_t e = sparse_start(&s->rows, i), end = sparse_start(&s->rows, i + 1);
        uint64_t stop = end - e < FLOATS_TOGETHER ? end : e + FLOATS_TOGETHER;
        floats_sum(s, e, stop, as, sum);
        for (size_t c = 0; c < s->count; c++)
            to[c] = (double)sum[c];
        for (e = stop; e < end; e = stop) {
            stop = end - e < FLOATS_TOGETHER ? end : e + FLOATS_TOGETHER;
            floats_sum(s, e, stop, as, sum);
            for (size_t c = 0; c < s->count; c++)
                to[c] += (double)sum[c];
        }
    }
}

HOT void floats_strips(struct floats_strip s, bool wide, bool f64)
{
    enum { CLASSES = FLOATS_VECTORS * LANES };
    for (s.from = 0; s.from < s.width; s.from += CLASSES) {
        s.count = least(s.width - s.from, CLASSES);
        size_t vectors = (s.count + LANES - 1) / LANES;
        s.last = part_of(s.count - (vectors - 1) * LANES);
        if (vectors == 4)
            floats_rows(&s, (struct floats_case){wide, f64, 4});
        else if (vectors == 3)
            floats_rows(&s, (struct floats_case){wide, f64, 3});
        else if (vectors == 2)
            floats_rows(&s, (struct floats_case){wide, f64, 2});
        else
            floats_rows(&s, (struct floats_case){wide, f64, 1});
    }
}

HOT void sparse_floats(struct sparse_rows rows, size_t width, const float *w, double *out)
{
    const struct floats_strip s = {.rows = rows, .w = w, .width = width, .out = out};
#define BODY(wide, f64) floats_strips(s, wide, f64)
    BY_WIDTH(rows, BODY);
#undef BODY
}

#endif
