/* decimal: the shortest digits of numbers of ordinary size, in whole numbers. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

enum { DECIMAL_DIGITS = 17 };

/* Of value > 0: *digits has DECIMAL_DIGITS digits, d.ddd * 10^exponent, of which those behind the
 * first 15, or 16, are 0 if the number reads back without them. They are the nearest ones, ties to
 * even, as printf has them. False, and nothing done, outside about 1e-11 .. 1e14. */
bool decimal_shortest(double value, uint64_t *digits, int *exponent);

#endif
