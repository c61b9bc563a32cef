/* isa_avx2_f64: all kernels on vectors of doubles, compiled for AVX2 and FMA. */
#define SET(name) name##_avx2
#include "kernel/dispatch/isa_f64.inc.h"
