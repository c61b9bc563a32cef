/* Any bytes as libsvm text: the same rows on one thread and on three, or a refusal with advice. */
#define _GNU_SOURCE
#include "read_fixture.h"

/* The number of threads must not change a bit of the result. */
static void check_same(const struct dataset *one, const struct dataset *many)
{
    size_t entries = (size_t)one->x.nonzeros, rows = (size_t)one->x.rows;
    REQUIRE(one->x.rows == many->x.rows && one->x.nonzeros == many->x.nonzeros, "another size");
    REQUIRE(memcmp(one->x.value, many->x.value, entries * sizeof *one->x.value) == 0, "values");
    REQUIRE(memcmp(one->x.column, many->x.column, entries * sizeof *one->x.column) == 0, "columns");
    REQUIRE(memcmp(one->line, many->line, rows * sizeof *one->line) == 0, "lines");
}

/* Returns the text after so many blank lines that its middle is at the boundary of two chunks: only then is there work
 * for several threads. The caller frees it. */
static uint8_t *in_two_chunks(const uint8_t *data, size_t size, size_t *length)
{
    const size_t chunk = 1 << 18;
    /* The text begins half its length before the boundary. */
    size_t blank = size / 2 < chunk ? chunk - size / 2 : 0;
    uint8_t *text = malloc(blank + size + 1);
    REQUIRE(text, "no memory");
    memset(text, '\n', blank);
    if (size > 0)
        memcpy(text + blank, data, size);
    *length = blank + size;
    return text;
}

/* One thread and three must both accept the text, with equal rows, or both refuse it. */
static void check_threads(const uint8_t *data, size_t size, int zero_based)
{
    const temper_read_options single = {.threads = 1, .zero_based = zero_based};
    const temper_read_options several = {.threads = 3, .zero_based = zero_based};
    size_t length;
    uint8_t *text = in_two_chunks(data, size, &length);
    struct dataset *one = fuzz_read(read_libsvm, text, length, single);
    struct dataset *many = fuzz_read(read_libsvm, text, length, several);
    REQUIRE(!one == !many, "one of them was refused");
    if (one)
        check_same(one, many);
    dataset_free(one);
    dataset_free(many);
    free(text);
}

/* Indices count from 0 if the input begins with that digit. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int zero_based = size > 0 && data[0] == '0';
    const temper_read_options options = {.threads = 1, .zero_based = zero_based};
    dataset_free(fuzz_read(read_libsvm, data, size, options));
    if (size > 0 && (31 * size + data[size / 2] + data[size - 1]) % 64 == 0) /* it takes long */
        check_threads(data, size, zero_based);
    return 0;
}
