/* peers_blas: found at run time. */
#include "peers/blas_peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void choose_kernels(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    else if (__builtin_cpu_supports("avx2"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
}

/* dlsym gives an object's pointer, and C has no cast from it to a function's. */
static int find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

int blas_open(struct blas *blas)
{
    char *(*corename)(void);
    choose_kernels();
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library || !find(library, "cblas_dgemv", &blas->dgemv) || !find(library, "cblas_sgemm", &blas->sgemm) ||
        !find(library, "openblas_get_corename", &corename)) {
        printf("  OpenBLAS is not here (on Debian: libopenblas0): not compared\n");
        return 0;
    }
    blas->kernels = corename();
    return 1;
}
