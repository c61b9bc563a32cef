/* number: text to numbers and back, correctly rounded, the same in every locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Outcome of the conversion of a token. */
enum number_result {
    NUMBER_OK,
    NUMBER_NONE,      /* no number: empty, text, or followed by something */
    NUMBER_OVERFLOW,  /* out of range of the type: 1e400 */
    NUMBER_NOT_FINITE /* nan, inf, infinity, in any case of letters, with a sign or not */
};

/* Reads the whole token [from, to), which need not end in '\0': an optional sign, decimal digits
 * with an optional point, an optional exponent. No blanks, no hexadecimal, no thousands separators.
 * Results below the normal range are rounded to the nearest denormal number or 0. */
enum number_result number_f64(const char *from, const char *to, double *out);
enum number_result number_f32(const char *from, const char *to, float *out);
/* Decimal digits only. False for an empty token, other characters, or more than 2^64 - 1. */
bool number_u64(const char *from, const char *to, unsigned long long *out);

enum { NUMBER_LENGTH = 32 };

/* The shortest decimal that reads back as the same number (1, 0.1, 1e-07 -> "1e-07"), never longer
 * than NUMBER_LENGTH - 1; returns its length. `out` ends in '\0'. */
size_t number_write_f64(double value, char out[NUMBER_LENGTH]);
size_t number_write_f32(float value, char out[NUMBER_LENGTH]);

/* The digits alone, by integer arithmetic; see number.c. */
enum { DECIMAL_DIGITS = 17 };
bool decimal_shortest(double value, uint64_t *digits, int *exponent);

#endif
