/* Sizes that do not fit, blocks of no bytes, alignment, and allocations that are made to fail. */
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

TEST(mul_size_is_exact_or_refuses)
{
    size_t out = 42;
    CHECK(mul_size(6, 7, &out));
    CHECK_EQ_SIZE(out, 42);
    CHECK(mul_size(SIZE_MAX, 1, &out));
    CHECK_EQ_SIZE(out, SIZE_MAX);
    CHECK(mul_size(SIZE_MAX / 3, 3, &out));
    CHECK_EQ_SIZE(out, SIZE_MAX / 3 * 3);
    CHECK(mul_size(SIZE_MAX, 0, &out));
    CHECK_EQ_SIZE(out, 0);
    CHECK(mul_size(0, SIZE_MAX, &out));
    CHECK_EQ_SIZE(out, 0);
    out = 5;
    CHECK(!mul_size(SIZE_MAX, 2, &out));
    CHECK(!mul_size(2, SIZE_MAX, &out));
    CHECK(!mul_size(SIZE_MAX / 2 + 1, 2, &out));
    CHECK(!mul_size((size_t)1 << 32, (size_t)1 << 32, &out));
    CHECK_EQ_SIZE(out, 5);
}

TEST(add_size_is_exact_or_refuses)
{
    size_t out = 5;
    CHECK(!add_size(SIZE_MAX, 1, &out));
    CHECK(!add_size(1, SIZE_MAX, &out));
    CHECK(!add_size(SIZE_MAX, SIZE_MAX, &out));
    CHECK_EQ_SIZE(out, 5);
    CHECK(add_size(SIZE_MAX - 1, 1, &out));
    CHECK_EQ_SIZE(out, SIZE_MAX);
    CHECK(add_size(0, 0, &out));
    CHECK_EQ_SIZE(out, 0);
}

TEST(no_bytes_are_not_a_failure)
{
    void *blocks[] = {mem_alloc(0, 8), mem_zeroed(8, 0), mem_resize(NULL, 0, 0), mem_aligned(0, 1), mem_paged(0, 1)};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        CHECK(blocks[i] != NULL);
        mem_free(blocks[i]);
    }
    mem_free(NULL);
}

TEST(what_does_not_fit_is_refused)
{
    CHECK(mem_alloc(SIZE_MAX, 2) == NULL);
    CHECK(mem_zeroed(SIZE_MAX / 2, 3) == NULL);
    CHECK(mem_aligned(SIZE_MAX, 2) == NULL);
    CHECK(mem_paged(SIZE_MAX, 2) == NULL);
    CHECK(mem_paged(SIZE_MAX - 10, 1) == NULL);
    CHECK(mem_aligned(SIZE_MAX - 10, 1) == NULL); /* rounding up would wrap */
    char *block = mem_alloc(4, 1);
    if (!CHECK(block != NULL))
        return;
    memcpy(block, "abc", 4);
    CHECK(mem_resize(block, SIZE_MAX, 16) == NULL);
    CHECK_EQ_TEXT(block, "abc");
    mem_free(block);
}

TEST(zeroed_blocks_are_zero_and_resizing_keeps_bytes)
{
    unsigned char *block = mem_zeroed(1000, 3);
    if (!CHECK(block != NULL))
        return;
    size_t sum = 0;
    for (size_t i = 0; i < 3000; i++)
        sum += block[i];
    CHECK_EQ_SIZE(sum, 0);
    memset(block, 7, 3000);
    unsigned char *larger = mem_resize(block, 100000, 1);
    if (!CHECK(larger != NULL)) {
        mem_free(block);
        return;
    }
    for (size_t i = 0; i < 3000; i++)
        sum += larger[i];
    CHECK_EQ_SIZE(sum, 21000);
    mem_free(larger);
}

TEST(aligned_blocks_are_aligned_and_large_enough)
{
    for (size_t size = 1; size < 300; size += 7) {
        unsigned char *block = mem_aligned(size, 1);
        if (!CHECK(block != NULL))
            return;
        CHECK((uintptr_t)block % 64 == 0);
        memset(block, 1, size); /* a sanitizer watches */
        mem_free(block);
    }
}

/* Small pages, rounded up to huge ones, and huge ones in the middle. */
TEST(paged_blocks_are_aligned_and_large_enough)
{
    static const size_t sizes[] = {
        1, 1000, ((size_t)1 << 18) - 1, (size_t)1 << 18, ((size_t)1 << 21) + 1, (size_t)1 << 22};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *block = mem_paged(sizes[i], 1);
        if (!CHECK(block != NULL))
            return;
        CHECK((uintptr_t)block % 64 == 0);
        memset(block, 1, sizes[i]);
        mem_free(block);
    }
}

TEST(each_allocation_can_be_made_to_fail)
{
    fault_arm(1);
    CHECK(mem_alloc(1, 1) == NULL);
    CHECK(fault_fired());
    fault_arm(1);
    CHECK(mem_zeroed(1, 1) == NULL);
    fault_arm(1);
    CHECK(mem_aligned(1, 1) == NULL);
    fault_arm(1);
    CHECK(mem_paged((size_t)1 << 20, 1) == NULL);
    fault_arm(2);
    void *block = mem_alloc(1, 1);
    CHECK(block != NULL);
    CHECK(!fault_fired());
    CHECK(mem_resize(block, 2, 1) == NULL);
    CHECK(fault_fired());
    void *other = mem_alloc(1, 1);
    CHECK(other != NULL); /* only the n-th fails */
    fault_disarm();
    CHECK_EQ_SIZE(fault_count(), 3);
    mem_free(other);
    mem_free(block);
}

TEST_LIST(LISTED(mul_size_is_exact_or_refuses), LISTED(add_size_is_exact_or_refuses),
          LISTED(no_bytes_are_not_a_failure), LISTED(what_does_not_fit_is_refused),
          LISTED(zeroed_blocks_are_zero_and_resizing_keeps_bytes), LISTED(aligned_blocks_are_aligned_and_large_enough),
          LISTED(paged_blocks_are_aligned_and_large_enough), LISTED(each_allocation_can_be_made_to_fail))
