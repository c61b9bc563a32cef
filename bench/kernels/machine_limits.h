/* limits: what the machine can do at best; compiled for the machine at hand. */
#ifndef LIMITS_H
#define LIMITS_H

#include <stddef.h>

/* Reads n floats, as fast as it gets. */
float limit_read(const float *x, size_t n);

/* `rounds` multiply-adds on each of a register file's worth of vectors; returns how many single
 * multiply-adds that makes. */
double limit_fma(size_t rounds, float *sink);

#endif
