/* random: Philox4x32-10, and the distributions that are drawn from it. */
#include "base/random.h"

#include <math.h>

/* Ten rounds of multiplication and exclusive or, a bijection of the counter for each key. Passes BigCrush, and needs
 * no state beyond its arguments. Rounds and constants of Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
 * as 1, 2, 3" (2011). */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t left = (uint64_t)0xD2511F53u * c0, right = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(right >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)right;
        c2 = (uint32_t)(left >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)left;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* Two 64-bit words of an index; `draw` counts the retries of random_below. */
static void random_block(struct random random, uint64_t index, uint32_t draw, uint64_t out[2])
{
    /* seed as key, everything else as counter: streams and draws never overlap */
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), random.stream, draw};
    const uint32_t key[2] = {(uint32_t)random.seed, (uint32_t)(random.seed >> 32)};
    uint32_t words[4];
    philox4x32(counter, key, words);
    out[0] = (uint64_t)words[1] << 32 | words[0];
    out[1] = (uint64_t)words[3] << 32 | words[2];
}

/* The second word of the block is discarded: one index is one number, whichever function draws it. */
uint64_t random_bits(struct random random, uint64_t index)
{
    uint64_t block[2];
    random_block(random, index, 0, block);
    return block[0];
}

/* The upper 53 bits as a multiple of 2^-53 in [0, 1). */
static double unit_interval(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* Never 1, so that it can select an interval of a partition of [0, 1). */
double random_uniform(struct random random, uint64_t index)
{
    return unit_interval(random_bits(random, index));
}

uint64_t random_below(struct random random, uint64_t index, uint64_t bound)
{
    /* Rejection sampling without modulo bias: the last, incomplete run of `bound` numbers is redrawn,
     * at most every second time. That run is shorter than `bound`, so that it is computed only for numbers near the
     * end: a division takes as long as the number itself. */
    for (uint32_t draw = 0;; draw++) {
        uint64_t block[2];
        random_block(random, index, draw, block);
        if (block[0] <= UINT64_MAX - bound || block[0] <= UINT64_MAX - (UINT64_MAX % bound + 1) % bound)
            return block[0] % bound;
    }
}

/* Box-Muller transform; the second normal of the pair is not used. */
double random_normal(struct random random, uint64_t index)
{
    uint64_t block[2];
    random_block(random, index, 0, block);
    double radius = sqrt(-2.0 * log1p(-unit_interval(block[0]))); /* 1 - u is in (0, 1] */
    return radius * cos(6.283185307179586 * unit_interval(block[1]));
}

/* Sequential, and each step uses the index of its element, so that a prefix of the draws does not depend on
 * `count`. */
void random_permutation(struct random random, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) { /* inside-out Fisher-Yates shuffle */
        size_t j = (size_t)random_below(random, i, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
