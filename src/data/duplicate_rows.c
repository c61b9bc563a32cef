/* duplicate_rows: sorts the rows by a 64-bit hash and compares rows of equal hash in full; with several processes, a
 * 128-bit hash alone decides.
 *
 * Sorting brings equal rows together in O(n log n), and the comparison removes collisions, which are rare below 2^32
 * rows. Rows of other processes are not there to be compared; with 128 bits a collision among 2^40 rows has a
 * probability of about 2^-49. A third hash, of the values that are not 0, is the same for dense and sparse rows of any
 * width: folds of the calibration are assigned by it. */
#include "data/duplicate_rows.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "data/memory/page_window.h"

/* A row with its hash, to be sorted. */
struct row_hash {
    uint64_t hash, row;
};

/* Bytes of a dense row of any element type. */
static size_t dense_bytes(const struct matrix *x)
{
    size_t each = x->kind == MATRIX_F64 ? sizeof(double) : x->kind == MATRIX_F32 ? sizeof(float) : 1;
    return (size_t)x->columns * each;
}

/* The arrays of a CSR row and the sizes of their elements. Rows of one matrix have the same widths, so their bytes can
 * be hashed and compared. */
static const void *columns_of(const struct row *row)
{
    return row->column64 ? (const void *)row->column64 : row->column;
}

static size_t column_size(const struct row *row)
{
    return row->column64 ? sizeof *row->column64 : sizeof *row->column;
}

static const void *values_of(const struct row *row)
{
    return row->value64 ? (const void *)row->value64 : row->value;
}

static size_t value_size(const struct row *row)
{
    return row->value64 ? sizeof *row->value64 : sizeof *row->value;
}

/* A hash of the bytes of a row. CSR: the hash of the columns is the seed of that of the values. 0 and -0 differ, as in
 * same(). */
static uint64_t digest_row(const struct matrix *x, uint64_t index, uint64_t seed)
{
    page_window_rows(x, index, 1);
    struct row row = matrix_row(x, index);
    /* Dense rows are one block of bytes. */
    if (x->kind != MATRIX_CSR)
        return XXH64(row.dense, dense_bytes(x), seed);
    uint64_t columns = XXH64(columns_of(&row), row.count * column_size(&row), seed);
    return XXH64(values_of(&row), row.count * value_size(&row), columns);
}

/* Whether two rows are equal byte by byte. */
static bool same(const struct matrix *x, uint64_t a, uint64_t b)
{
    /* Both rows may be in pages that were dropped. */
    page_window_row(x, a);
    page_window_row(x, b);
    struct row one = matrix_row(x, a), other = matrix_row(x, b);
    if (x->kind != MATRIX_CSR)
        return memcmp(one.dense, other.dense, dense_bytes(x)) == 0;
    return one.count == other.count &&
           memcmp(columns_of(&one), columns_of(&other), one.count * column_size(&one)) == 0 &&
           memcmp(values_of(&one), values_of(&other), one.count * value_size(&one)) == 0;
}

/* By hash, then by row, so that the first of equal rows comes first. */
static int by_hash(const void *a, const void *b)
{
    const struct row_hash *one = a, *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Rows of one hash: each is compared with the first row of each distinct content, nearly always a single one.
 * first[row]: the first row with the same content. */
static void compare_run(const struct matrix *x, const struct row_hash *run, size_t count, uint64_t *first)
{
    for (size_t i = 0; i < count; i++) {
        first[run[i].row] = run[i].row;
        /* Only the first row of each content is compared. */
        for (size_t j = 0; j < i; j++)
            if (first[run[j].row] == run[j].row && same(x, run[j].row, run[i].row)) {
                first[run[i].row] = run[j].row;
                break;
            }
    }
}

/* first[i] is the smallest row that equals row i. O(n log n), and memory for one hash a row. */
temper_status duplicates_find(const struct matrix *x, uint64_t *first, temper_error *error)
{
    size_t rows = (size_t)x->rows;
    struct row_hash *digest = mem_alloc(rows, sizeof *digest);
    if (!digest)
        return error_no_memory(error);
    /* Hashes of all rows, with their indices. */
    for (size_t i = 0; i < rows; i++)
        digest[i] = (struct row_hash){digest_row(x, i, 0), i};
    qsort(digest, rows, sizeof *digest, by_hash);
    for (size_t from = 0, to; from < rows; from = to) {
        for (to = from + 1; to < rows && digest[to].hash == digest[from].hash;)
            to++;
        compare_run(x, digest + from, to - from, first);
    }
    mem_free(digest);
    return TEMPER_OK;
}

/* ---- MPI ------------------------------------------------------------------------------------- */

/* 128 bits: rows of other processes cannot be compared, so collisions must be practically impossible. */
struct wide_row_hash {
    uint64_t hash[2], row;
};

/* By hash, then by row. */
static int by_wide_hash(const void *a, const void *b)
{
    const struct wide_row_hash *one = a, *other = b;
    for (size_t i = 0; i < 2; i++)
        if (one->hash[i] != other->hash[i])
            return one->hash[i] < other->hash[i] ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Sorts, so that rows of equal hash are neighbours with the first row in front, and fills first[]. */
static void find_first(struct wide_row_hash *digest, size_t rows, uint64_t *first)
{
    /* O(n log n) in the number of all rows. */
    qsort(digest, rows, sizeof *digest, by_wide_hash);
    for (size_t i = 0; i < rows; i++) {
        /* The neighbour in front has the same content. */
        bool again = i > 0 && digest[i].hash[0] == digest[i - 1].hash[0] && digest[i].hash[1] == digest[i - 1].hash[1];
        first[digest[i].row] = again ? first[digest[i - 1].row] : digest[i].row;
    }
}

/* duplicates_find over the rows of all processes. Two hashes of each row (two seeds) are gathered in every process,
 * and each sorts all of them: 24 bytes a row in place of the rows themselves. */
temper_status duplicates_of_all(const struct dataset *data, const struct gathered_labels *all_rows, uint64_t *first,
                                temper_error *error)
{
    if (comm_alone(all_rows->comm))
        return duplicates_find(&data->x, first, error);
    struct wide_row_hash *own = mem_alloc(all_rows->own, sizeof *own);
    struct wide_row_hash *all = mem_alloc(all_rows->rows, sizeof *all);
    temper_status status = own && all ? TEMPER_OK : error_no_memory(error);
    status = comm_agree(all_rows->comm, status, error);
    for (size_t i = 0; status == TEMPER_OK && own && i < all_rows->own; i++)
        /* Global row numbers. */
        own[i] = (struct wide_row_hash){{digest_row(&data->x, i, 0), digest_row(&data->x, i, 1)}, all_rows->first + i};
    if (status == TEMPER_OK)
        status = gather_labels(all_rows, own, sizeof *own, all, error);
    if (status == TEMPER_OK && all)
        find_first(all, all_rows->rows, first);
    mem_free(own);
    mem_free(all);
    return status;
}

/* Mixes an entry into a hash; values as floats, so that a row has the same hash in any format. The constants are those
 * of a multiplicative hash, 2^64 divided by the golden ratio, and of the finaliser of SplitMix64. */
static uint64_t mix_entry(uint64_t hash, uint64_t column, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    hash = (hash ^ (column << 32 | bits)) * 0x9E3779B97F4A7C15u;
    return (hash ^ hash >> 31) * 0x94D049BB133111EBu;
}

/* The value of an entry of a dense row of any type. */
static double dense_value(const struct row *row, size_t column)
{
    return row->kind == MATRIX_F64   ? ((const double *)row->dense)[column]
           : row->kind == MATRIX_F32 ? ((const float *)row->dense)[column]
                                     : ((const uint8_t *)row->dense)[column];
}

/* A hash of the entries that are not 0: the same for dense and sparse rows, and for all widths of their numbers. */
static uint64_t hash_values(const struct matrix *x, uint64_t index)
{
    uint64_t hash = 0;
    page_window_rows(x, index, 1);
    struct row row = matrix_row(x, index);
    for (size_t i = 0; i < row.count; i++) {
        uint64_t column = row.dense ? i : row.column64 ? row.column64[i] : row.column[i];
        double value = row.dense ? dense_value(&row, i) : row.value64 ? row.value64[i] : (double)row.value[i];
        if (value != 0)
            hash = mix_entry(hash, column, value);
    }
    return hash ^ hash >> 32;
}

/* `own` is separate, because a gather must not read what it writes. */
temper_status row_hashes_of_all(const struct dataset *data, const struct gathered_labels *all_rows, uint64_t *hash,
                                temper_error *error)
{
    bool alone = comm_alone(all_rows->comm);
    uint64_t *own = alone ? hash : mem_alloc(all_rows->own, sizeof *own);
    temper_status status = comm_agree(all_rows->comm, own ? TEMPER_OK : error_no_memory(error), error);
    for (size_t i = 0; status == TEMPER_OK && own && i < all_rows->own; i++)
        own[i] = hash_values(&data->x, i);
    if (alone)
        return status;
    if (status == TEMPER_OK)
        status = gather_labels(all_rows, own, sizeof *own, hash, error);
    mem_free(own);
    return status;
}
