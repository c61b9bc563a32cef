/* isa_neon_f32: all kernels on vectors of floats, compiled for NEON. */
#define SET(name) name##_neon
#include "kernel/dispatch/isa_f32.inc.h"
