/* isa_avx2_f32: all kernels on vectors of floats, compiled for AVX2 and FMA. */
#define SET(name) name##_avx2
#include "kernel/dispatch/isa_f32.inc.h"
