/* tmpr_verify: checks the bulk of an opened .tmpr file, block by block.
 *
 * A block is valid if its checksum is right, which detects accidents, and if its values can be used without further
 * checks, which detects files that were made to do harm. No element crosses a block boundary: sections begin at
 * multiples of 64 bytes, and so do blocks. */
#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

#include "base/path.h"
#include "base/thread.h"
#include "data/classes.h"
#include "data/memory/page_window.h"
#include "data/read/elements.h"
#include "data/tmpr/tmpr_layout.h"

/* ---- What an array must be like -------------------------------------------------------------- */

/* Returns the first of the elements [from, to) that is invalid; `to` if there is none. Elements around them may be
 * read, but not relied upon: their block was perhaps not checked. */
typedef uint64_t check_fn(const struct dataset *data, uint64_t from, uint64_t to);

/* Labels index the class table, and so must be below the number of classes. */
static uint64_t check_labels(const struct dataset *data, uint64_t from, uint64_t to)
{
    while (from < to && data->label[from] < data->classes.count)
        from++;
    return from;
}

/* Weights must be finite and not negative; x - x is 0 exactly for finite x. */
static uint64_t check_weights(const struct dataset *data, uint64_t from, uint64_t to)
{
    while (from < to && data->weight[from] >= 0 && data->weight[from] - data->weight[from] == 0)
        from++;
    return from;
}

/* Row starts ascend (not strictly, since rows may be empty) from 0 to the number of entries. */
static uint64_t check_row_start(const struct dataset *data, uint64_t from, uint64_t to)
{
    const uint64_t *start = data->x.row_start;
    for (uint64_t i = from; i < to; i++) {
        if ((i == 0 && start[i] != 0) || start[i] > data->x.nonzeros)
            return i;
        if (i == data->x.rows ? start[i] != data->x.nonzeros : start[i] > start[i + 1])
            return i;
    }
    return to;
}

/* The last row that begins at or before an entry, by bisection. row_start may not be verified yet: whatever it
 * contains, the result is a valid row. */
static uint64_t row_of_entry(const struct matrix *x, uint64_t entry)
{
    uint64_t low = 0, high = x->rows;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (x->row_start[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Columns must be within the matrix, and ascend strictly within a row, as the sparse kernels require. The first entry
 * of the range may be in the middle of a row. */
static uint64_t check_columns(const struct dataset *data, uint64_t from, uint64_t to)
{
    const struct matrix *x = &data->x;
    uint64_t row = row_of_entry(x, from);
    for (uint64_t i = from; i < to; i++) {
        while (row + 1 < x->rows && x->row_start[row + 1] <= i)
            row++;
        bool first = x->row_start[row] == i;
        if (x->column[i] >= x->columns || (!first && i > 0 && x->column[i] <= x->column[i - 1]))
            return i;
    }
    return to;
}

/* Values must be finite; any byte is. */
static uint64_t check_values(const struct dataset *data, uint64_t from, uint64_t to)
{
    const float *f32 = data->x.kind == MATRIX_CSR ? data->x.value : data->x.dense;
    const double *f64 = data->x.dense;
    if (data->x.kind == MATRIX_U8)
        return to;
    if (data->x.kind == MATRIX_F64)
        return from + first_not_finite_f64(f64 + from, (size_t)(to - from));
    return from + first_not_finite_f32(f32 + from, (size_t)(to - from));
}

/* ---- One block ------------------------------------------------------------------------------- */

/* What the elements of each section must satisfy. Line numbers (TMPR_LINES) are only shown in messages, and may be
 * anything. */
static const struct {
    check_fn *check; /* NULL: anything will do */
    uint64_t size;   /* of an element; 0: that of the matrix */
    const char *must;
} rules[TMPR_SECTIONS] = {
    [TMPR_LABELS] = {check_labels, sizeof(uint32_t), "label must be below the number of classes"},
    [TMPR_WEIGHTS] = {check_weights, sizeof(double), "weight must be finite and not negative"},
    [TMPR_ROW_START] = {check_row_start, sizeof(uint64_t), "row start must not descend"},
    [TMPR_COLUMNS] = {check_columns, sizeof(uint32_t), "column must ascend within the features"},
    [TMPR_VALUES] = {check_values, 0, "value must be finite"},
};

/* Bytes of an element of a section. */
static uint64_t element_size(const struct dataset *data, int section)
{
    if (rules[section].size)
        return rules[section].size;
    return data->x.kind == MATRIX_U8 ? 1 : data->x.kind == MATRIX_F64 ? sizeof(double) : sizeof(float);
}

/* Checks the elements of a section that are in the bytes [range[0], range[1]) of the file. Block boundaries are
 * multiples of every element size, so that no element is split. */
static temper_status check_section(const struct dataset *data, const struct tmpr_layout *layout, int section,
                                   const uint64_t range[2], temper_error *error)
{
    char place[PATH_SHOWN];
    uint64_t begin = layout->offset[section], end = begin + layout->length[section];
    uint64_t from = range[0] > begin ? range[0] : begin, to = range[1] < end ? range[1] : end;
    if (!rules[section].check || from >= to)
        return TEMPER_OK;
    uint64_t size = element_size(data, section), last = (to - begin) / size;
    uint64_t bad = rules[section].check(data, (from - begin) / size, last);
    if (bad == last)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: its checksums are right, but its content is not: %s, which number %llu "
                     "does not; convert its source again",
                     source_shown(data, place), rules[section].must, (unsigned long long)bad + 1);
}

/* Decodes the layout from the mapped header again. It was checked when the file was opened; keeping it would add a
 * field to every dataset. */
static temper_status layout_of(const struct dataset *data, struct tmpr_layout *layout, temper_error *error)
{
    char place[PATH_SHOWN];
    if (!data->storage.mapping)
        return error_set(error, TEMPER_BUG, "%s: is not an opened .tmpr file; please report this",
                         source_shown(data, place));
    return tmpr_header_decode(data->storage.mapping, data->file.path ? data->file.path : "", layout, error);
}

/* Verifies one block: the checksum first, then the values of every section in it. page_window_bytes announces the
 * access, so that pages read earlier can be dropped under a memory limit. */
static temper_status check_block(const struct dataset *data, const struct tmpr_layout *layout, size_t block,
                                 temper_error *error)
{
    const unsigned char *bytes = data->storage.mapping;
    char place[PATH_SHOWN];
    uint64_t stored, range[2];
    tmpr_block_range(layout, block, &range[0], &range[1]);
    page_window_bytes(data->storage.pages, bytes + range[0], (size_t)(range[1] - range[0]),
                      bytes + data->storage.mapping_length);
    memcpy(&stored, bytes + layout->offset[TMPR_CHECKSUMS] + block * sizeof stored, sizeof stored);
    if (XXH3_64bits(bytes + range[0], (size_t)(range[1] - range[0])) != stored)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: damaged somewhere in bytes %llu to %llu: their checksum does not "
                         "match; copy it again, or convert its source again",
                         source_shown(data, place), (unsigned long long)range[0], (unsigned long long)range[1] - 1);
    temper_status status = TEMPER_OK;
    for (int i = TMPR_LABELS; i < TMPR_SECTIONS && status == TEMPER_OK; i++)
        status = check_section(data, layout, i, range, error);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Verifies the blocks that contain the elements [elements[0], elements[1]) of a section; absent sections and empty
 * ranges are valid. */
static temper_status verify_elements(const struct dataset *data, const struct tmpr_layout *layout, int section,
                                     const uint64_t elements[2], temper_error *error)
{
    static const uint64_t line_size = sizeof(uint64_t);
    uint64_t size = section == TMPR_LINES ? line_size : element_size(data, section);
    uint64_t begin = layout->offset[section] - tmpr_bulk_offset(layout);
    if (layout->length[section] == 0 || elements[0] >= elements[1])
        return TEMPER_OK;
    size_t first = (size_t)((begin + elements[0] * size) / TMPR_BLOCK);
    size_t last = (size_t)((begin + elements[1] * size - 1) / TMPR_BLOCK);
    temper_status status = TEMPER_OK;
    for (size_t block = first; block <= last && status == TEMPER_OK; block++)
        status = check_block(data, layout, block, error);
    return status;
}

/* The range of matrix entries of the rows [rows[0], rows[1]). For a sparse matrix row_start must be verified before. */
static void entries_of_rows(const struct matrix *x, const uint64_t rows[2], uint64_t entries[2])
{
    for (int i = 0; i < 2; i++)
        entries[i] = x->kind == MATRIX_CSR ? x->row_start[rows[i]] : rows[i] * x->columns;
}

/* Verifies all blocks with data of the rows [from, to). row_start, which has one element more, is verified before it is
 * used to find the entries. */
temper_status tmpr_verify_rows(const struct dataset *data, uint64_t from, uint64_t to, temper_error *error)
{
    struct tmpr_layout layout = {0};
    uint64_t rows[2] = {from, to}, starts[2] = {from, to + 1}, entries[2];
    temper_status status = layout_of(data, &layout, error);
    if (status == TEMPER_OK && (to > layout.rows || from > to))
        return error_set(error, TEMPER_USAGE, "there are no rows %llu to %llu; ask for some of the %llu",
                         (unsigned long long)from, (unsigned long long)to, (unsigned long long)layout.rows);
    for (int i = TMPR_LABELS; i < TMPR_ROW_START && status == TEMPER_OK; i++)
        status = verify_elements(data, &layout, i, rows, error);
    if (status == TEMPER_OK)
        status = verify_elements(data, &layout, TMPR_ROW_START, starts, error);
    if (status != TEMPER_OK)
        return status;
    entries_of_rows(&data->x, rows, entries);
    status = verify_elements(data, &layout, TMPR_COLUMNS, entries, error);
    return status == TEMPER_OK ? verify_elements(data, &layout, TMPR_VALUES, entries, error) : status;
}

/* ---- All blocks, on several threads ---------------------------------------------------------- */

/* The work of all threads. The layout is decoded once. */
struct tmpr_verification {
    const struct dataset *data;
    struct tmpr_layout layout;
    atomic_size_t first_bad; /* the lowest block that is not right */
};

/* Verifies one block, and lowers first_bad if it is invalid. No message is made here: the caller makes it for the
 * lowest bad block, so that it does not depend on which thread was first. */
static temper_status verify_work(void *context, size_t block, size_t worker)
{
    struct tmpr_verification *v = context;
    (void)worker;
    temper_status status = check_block(v->data, &v->layout, block, NULL);
    size_t lowest = atomic_load(&v->first_bad);
    while (status != TEMPER_OK && block < lowest)
        if (atomic_compare_exchange_weak(&v->first_bad, &lowest, block))
            break;
    return status;
}

/* Verifies all blocks on several threads, and reports the first invalid one. */
temper_status tmpr_verify(const struct dataset *data, size_t threads, temper_error *error)
{
    struct tmpr_verification v = {.data = data};
    TRY(layout_of(data, &v.layout, error));
    atomic_init(&v.first_bad, v.layout.blocks);
    temper_status status =
        parallel_blocks(v.layout.blocks, threads ? threads : thread_count_default(), verify_work, &v);
    size_t bad = atomic_load(&v.first_bad);
    if (status == TEMPER_OK)
        return TEMPER_OK;
    if (bad == v.layout.blocks) /* not a block: there was no memory for the threads */
        return error_no_memory(error);
    /* A general message first: if the block is valid when it is checked again (the file is changing), an error must
     * still be set. */
    error_set(error, status, "%s", "damaged; copy it again");
    check_block(data, &v.layout, bad, error);
    return status;
}
