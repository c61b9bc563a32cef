/* isa_neon_f64: all kernels on vectors of doubles, compiled for NEON. */
#define SET(name) name##_neon
#include "kernel/dispatch/isa_f64.inc.h"
