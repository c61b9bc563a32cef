/* isa_avx512_f32: all kernels on vectors of floats, compiled for AVX-512 (F, DQ, VL, BW). */
#define SET(name) name##_avx512
#include "kernel/dispatch/isa_f32.inc.h"
