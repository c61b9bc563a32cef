/* isa_wasm128_f64: all kernels on vectors of doubles, compiled for WebAssembly's vectors of 128 bits. */
#define SET(name) name##_wasm128
#include "kernel/dispatch/isa_f64.inc.h"
