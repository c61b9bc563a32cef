/* What the machine can do at best: reading memory, multiplying, the matrix products of a BLAS. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/bench.h"
#include "kernels/bench_arrays.h"
#include "kernels/machine_limits.h"
#include "peers/blas_peer.h"

enum { BEYOND = 64 << 20, WITHIN = 64 << 10, SIDE = 1024, MULTIPLICATIONS = 100000 };

struct stretch {
    const float *x;
    size_t count;
    float sink;
};

struct square {
    const struct blas *blas;
    const float *a;
    float *product;
};

static void run_read(void *context)
{
    struct stretch *s = context;
    s->sink += limit_read(s->x, s->count);
}

static void run_multiply(void *context)
{
    limit_fma(MULTIPLICATIONS, context);
}

static void run_product(void *context)
{
    const struct square *s = context;
    s->blas->sgemm(BLAS_ROW_MAJOR, BLAS_PLAIN, BLAS_PLAIN, SIDE, SIDE, SIDE, 1, s->a, SIDE, s->a, SIDE, 0, s->product,
                   SIDE);
}

static void products(const float *x)
{
    struct blas blas;
    struct square square = {&blas, x, array_zeros((size_t)SIDE * SIDE, sizeof(float))};
    char what[120];
    if (square.product && blas_open(&blas)) {
        struct contender c = {.run = run_product, .context = &square, .work = 1};
        bench_time(&c, 1);
        snprintf(what, sizeof what, "OpenBLAS (%s), a product of 1,024 x 1,024 floats", blas.kernels);
        bench_limit(what, 2.0 * SIDE * SIDE * SIDE / c.nanoseconds, "GF/s");
    }
    free(square.product);
}

void bench_limits(const char *folder)
{
    (void)folder;
    float *x = array_normals(BEYOND, 1), sink;
    if (!x)
        return;
    struct stretch large = {x, BEYOND, 0}, small = {x, WITHIN, 0};
    struct contender c[] = {
        {.run = run_read, .context = &large, .work = sizeof(float) * (double)BEYOND},
        {.run = run_read, .context = &small, .work = sizeof(float) * (double)WITHIN},
        {.run = run_multiply, .context = &sink, .work = 2 * limit_fma(MULTIPLICATIONS, &sink)},
    };
    bench_section("Limits of this machine, one thread");
    bench_time(c, 3);
    bench_limit("reading floats, beyond the caches", 1 / c[0].nanoseconds, "GB/s");
    bench_limit("reading floats, in the second-level cache", 1 / c[1].nanoseconds, "GB/s");
    bench_limit("multiplying and adding floats, in registers", 1 / c[2].nanoseconds, "GF/s");
    products(x);
    free(x);
}
