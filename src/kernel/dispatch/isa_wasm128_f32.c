/* isa_wasm128_f32: all kernels on vectors of floats, compiled for WebAssembly's vectors of 128 bits. */
#define SET(name) name##_wasm128
#include "kernel/dispatch/isa_f32.inc.h"
