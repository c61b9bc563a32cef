/* isa_avx512_f64: all kernels on vectors of doubles, compiled for AVX-512 (F, DQ, VL, BW). */
#define SET(name) name##_avx512
#include "kernel/dispatch/isa_f64.inc.h"
