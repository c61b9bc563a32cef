/* Any bytes as libsvm text: the same rows on one thread and on three, or a refusal with advice. */
#define _GNU_SOURCE
#include "reading.h"

static void check_same(const struct dataset *one, const struct dataset *many)
{
    size_t entries = (size_t)one->x.nonzeros, rows = (size_t)one->x.rows;
    REQUIRE(one->x.rows == many->x.rows && one->x.nonzeros == many->x.nonzeros, "another size");
    REQUIRE(memcmp(one->x.value, many->x.value, entries * sizeof *one->x.value) == 0, "values");
    REQUIRE(memcmp(one->x.column, many->x.column, entries * sizeof *one->x.column) == 0, "columns");
    REQUIRE(memcmp(one->line, many->line, rows * sizeof *one->line) == 0, "lines");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int zero_based = size > 0 && data[0] == '0';
    const temper_read_options single = {.threads = 1, .zero_based = zero_based};
    const temper_read_options several = {.threads = 3, .zero_based = zero_based};
    struct dataset *one = fuzz_read(read_libsvm, data, size, single);
    struct dataset *many = fuzz_read(read_libsvm, data, size, several);
    REQUIRE(!one == !many, "one of them was refused");
    if (one)
        check_same(one, many);
    dataset_free(one);
    dataset_free(many);
    return 0;
}
