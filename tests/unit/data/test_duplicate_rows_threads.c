/* Rows of the same features: found by any number of threads as by a comparison of all. */
#include <stdlib.h>
#include <string.h>

#include "data/duplicate_rows.h"
#include "fixtures/test.h"

enum { ROWS = 30000, CONTENTS = 700 };

/* The content of a row: mostly one of CONTENTS, and some of its own. */
static uint32_t content_of(size_t row)
{
    return row % 3 == 0 ? (uint32_t)(CONTENTS + row) : (uint32_t)(row * 2654435761u >> 7) % CONTENTS;
}

/* The first row of each content, without hashes. */
static void expect_first(size_t rows, uint64_t *first)
{
    static uint64_t seen[CONTENTS + ROWS];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < rows; i++) {
        uint64_t *one = &seen[content_of(i)];
        *one = *one ? *one : i + 1;
        first[i] = *one - 1;
    }
}

static void check_matrix(struct matrix *x, const uint64_t *wanted)
{
    uint64_t *first = malloc(ROWS * sizeof *first);
    for (size_t threads = 1; CHECK(first != NULL) && threads <= 4; threads++) {
        memset(first, 0xff, ROWS * sizeof *first);
        CHECK(duplicates_find(x, threads, first, NULL) == TEMPER_OK);
        CHECKF(memcmp(first, wanted, (size_t)x->rows * sizeof *first) == 0, "%zu threads, %d rows", threads,
               (int)x->rows);
    }
    free(first);
}

TEST(equal_rows_of_many)
{
    enum { COLUMNS = 40 };
    static float dense[ROWS * COLUMNS];
    static uint64_t wanted[ROWS], start[ROWS + 1];
    static uint32_t column[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++)
            dense[i * COLUMNS + j] = (float)(content_of(i) + j);
        start[i + 1] = i + 1;
        column[i] = content_of(i);
    }
    for (size_t rows = ROWS; rows > 0; rows = rows > 5000 ? rows - 12500 : rows / 70) {
        struct matrix x = {
            .kind = MATRIX_F32, .rows = rows, .columns = COLUMNS, .nonzeros = rows * COLUMNS, .dense = dense};
        expect_first(rows, wanted);
        check_matrix(&x, wanted);
        x = (struct matrix){.kind = MATRIX_CSR,
                            .rows = rows,
                            .columns = CONTENTS + ROWS,
                            .nonzeros = rows * COLUMNS, /* as if they were worth threads */
                            .row_start = start,
                            .column = column,
                            .value = dense};
        for (size_t i = 0; i < rows; i++)
            dense[i] = 1;
        check_matrix(&x, wanted);
        for (size_t i = 0; i < rows; i++)
            dense[i] = (float)(content_of(i / COLUMNS) + i % COLUMNS);
    }
}

/* All rows in one bucket. */
TEST(all_rows_are_equal)
{
    static const unsigned char bytes[ROWS];
    static const uint64_t wanted[ROWS];
    struct matrix x = {.kind = MATRIX_U8, .rows = ROWS, .columns = 1, .nonzeros = ROWS, .dense = bytes};
    check_matrix(&x, wanted);
}

TEST_LIST(LISTED(equal_rows_of_many), LISTED(all_rows_are_equal))
