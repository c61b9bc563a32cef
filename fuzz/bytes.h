/* bytes: what a fuzz target reads its input from. Past the end there are zeros. */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The input that is left; every take_ function consumes some of it. */
struct bytes {
    const uint8_t *at;
    size_t left;
};

/* A violated requirement aborts the process, and the fuzzer keeps the input. With -DFUZZ_STOP=(void)0 all violations of
 * an input are listed instead. */
#ifndef FUZZ_STOP
#define FUZZ_STOP abort()
#endif
#define REQUIRE(condition, ...)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #condition);                                    \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fprintf(stderr, "\n");                                                                                     \
            FUZZ_STOP;                                                                                                 \
        }                                                                                                              \
    } while (0)

static inline uint8_t take_byte(struct bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

static inline uint64_t take_word(struct bytes *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word = word << 8 | take_byte(bytes);
    return word;
}

/* Any double at all. */
static inline double take_bits(struct bytes *bytes)
{
    uint64_t word = take_word(bytes);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* In [0, 1), two bytes fine. */
static inline double take_share(struct bytes *bytes)
{
    unsigned high = take_byte(bytes);
    return (high << 8 | take_byte(bytes)) / 65536.0;
}

#endif
