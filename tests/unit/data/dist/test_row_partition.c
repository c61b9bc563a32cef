/* How rows are cut into parts: by the shape of the data, of which no number is looked at. */
#include "data/dist/row_partition.h"
#include "fixtures/test.h"

static struct row_partition cut(enum matrix_kind kind, uint64_t rows, uint64_t columns, size_t classes)
{
    const struct dataset data = {.x = {.kind = kind, .rows = rows, .columns = columns, .nonzeros = rows * columns},
                                 .classes = {.count = classes}};
    return row_partition_of(&data);
}

/* Sparse rows of so many entries. */
static struct row_partition cut_sparse(uint64_t rows, uint64_t columns, uint64_t entries)
{
    const struct dataset data = {
        .x = {.kind = MATRIX_CSR, .rows = rows, .columns = columns, .nonzeros = rows * entries},
        .classes = {.count = 2}};
    return row_partition_of(&data);
}

static void check_covers(struct row_partition parts, uint64_t rows)
{
    CHECK(parts.count * parts.rows_each >= rows);
    CHECK((parts.count - 1) * parts.rows_each < rows);
}

/* Models of such data must stay what they were. */
TEST(most_data_has_64_parts_at_most)
{
    static const uint64_t rows[] = {1, 1000, 70000, 581012, 2000000, 2097151};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t classes = 2; classes < 12; classes += 9)
            for (int kind = MATRIX_F32; kind <= MATRIX_U8; kind++) {
                struct row_partition parts = cut((enum matrix_kind)kind, rows[i], 54, classes);
                CHECK(parts.count >= 1 && parts.count <= PARTS_USUAL);
                check_covers(parts, rows[i]);
            }
    CHECK(cut(MATRIX_F32, 2000000, 250, 2).count > PARTS_USUAL / 2);
}

TEST(large_data_has_more)
{
    struct row_partition doubled = cut(MATRIX_F32, 2097152, 54, 2);
    CHECK(doubled.count > PARTS_USUAL && doubled.count <= 2 * PARTS_USUAL);
    struct row_partition most = cut(MATRIX_F32, 25000000000, 100, 2); /* 10 TB */
    CHECK(most.count > 8000 && most.count <= 8192);
    check_covers(most, 25000000000);
    struct row_partition wide = cut(MATRIX_F32, 2500000, 1000000, 2); /* the same, in few rows */
    CHECK(wide.count > 1000 && (double)wide.count <= 10e12 / 1024 / 8e6 + 1);
    CHECK(!wide.transposed);
}

/* Each part has a gradient; adding them up must not count. */
TEST(wide_rows_have_no_more_than_their_gradients_allow)
{
    struct row_partition many = cut(MATRIX_F32, 4200000, 1000, 1000); /* gradients of 8 MB */
    CHECK((double)many.count <= 4200000 * 4000.0 / 64 / 8e6 + 1);
    struct row_partition sparse = cut_sparse(16777216, 60000, 10);
    CHECK(!sparse.transposed && sparse.count <= PARTS_USUAL);
    struct row_partition narrow = cut_sparse(16777216, 1000, 10);
    CHECK(narrow.count > 512 && narrow.count <= 1024);
}

/* 48 gradients of 80 kB for each of them would be 5 % of the data. */
TEST(searches_take_parts_together_where_their_sums_are_large)
{
    struct row_partition parts = cut(MATRIX_F32, 2000000, 10000, 2);
    CHECK(parts.count > 512 && parts.together == 8);
    CHECK(cut(MATRIX_F32, 25000000000, 100, 2).together == 1);
    CHECK(cut(MATRIX_F32, 2000000, 250, 2).together == 1);
}

/* Every rank has whole parts, as many as any other but for one; of 1,000 ranks nobody has none. */
TEST(a_thousand_processes_have_rows)
{
    struct row_partition parts = cut(MATRIX_F32, 25000000000, 100, 2);
    for (size_t rank = 0; rank < 1000; rank++) {
        size_t own = row_partition_first(&parts, rank + 1, 1000) - row_partition_first(&parts, rank, 1000);
        CHECK(own == parts.count / 1000 || own == parts.count / 1000 + 1);
    }
    CHECK(row_partition_first(&parts, 1000, 1000) == parts.count);
}

TEST_LIST(LISTED(most_data_has_64_parts_at_most), LISTED(large_data_has_more),
          LISTED(wide_rows_have_no_more_than_their_gradients_allow),
          LISTED(searches_take_parts_together_where_their_sums_are_large), LISTED(a_thousand_processes_have_rows))
