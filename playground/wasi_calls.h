/* wasi_calls: calls that the library makes and the C library of WebAssembly does not declare. */
#ifndef PLAYGROUND_WASI_CALLS_H
#define PLAYGROUND_WASI_CALLS_H

int mkstemp(char *path);

#endif
