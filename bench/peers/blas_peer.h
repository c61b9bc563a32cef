/* peers_blas: OpenBLAS, if the machine has it; nothing is linked with it. */
#ifndef PEERS_BLAS_H
#define PEERS_BLAS_H

#include <stddef.h>

enum { BLAS_ROW_MAJOR = 101, BLAS_PLAIN = 111, BLAS_TRANSPOSED = 112 };

struct blas {
    void (*dgemv)(int order, int transposed, int rows, int columns, double alpha, const double *a, int lda,
                  const double *x, int incx, double beta, double *y, int incy);
    void (*sgemm)(int order, int turn_a, int turn_b, int m, int n, int k, float alpha, const float *a, int lda,
                  const float *b, int ldb, float beta, float *c, int ldc);
    const char *kernels; /* what it says it runs */
};

/* False, and a line says so, if there is none. One thread, and the kernels of this processor:
 * releases older than a processor fall back to very slow ones. */
int blas_open(struct blas *blas);

#endif
