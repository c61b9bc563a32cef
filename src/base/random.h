/* random: numbers that are a pure function of (seed, stream, index).
 *
 * A counter-based generator (Philox4x32-10) has no state, so the same seed gives the same numbers for
 * any number of threads or processes, in any order. A stream is one use of randomness (folds, noise,
 * initial weights), so that uses are independent of each other. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t seed;
    uint32_t stream;
};

/* The generator: four words from a counter and a key. */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

uint64_t random_bits(struct random random, uint64_t index);
/* In [0, 1), a multiple of 2^-53. */
double random_uniform(struct random random, uint64_t index);
/* In [0, bound), without bias; bound > 0. */
uint64_t random_below(struct random random, uint64_t index, uint64_t bound);
/* Mean 0, standard deviation 1. */
double random_normal(struct random random, uint64_t index);
/* A uniformly random order of 0..count-1. */
void random_permutation(struct random random, size_t *order, size_t count);

#endif
