/* csc: transposes a CSR matrix by a counting sort of its entries by column, O(entries + columns), which keeps the order
 * of the rows within each column. */
#include "objective/sparse/csc.h"

#include "base/disk_array.h"
#include "base/memory.h"
#include "data/memory/page_window.h"

/* First step of the counting sort: the number of entries of each column, then their running sum. Counts are stored two
 * places on, so that start[j + 1] is the beginning of column j, which the second step advances to its end. */
void csc_count(const struct matrix *x, struct csc_matrix *to)
{
    for (size_t row = 0; row < x->rows; row++) {
        /* Pages of a mapped file are announced before they are read. */
        page_window_rows(x, row, 1);
        const uint64_t end = matrix_start(x, row + 1);
        for (uint64_t e = matrix_start(x, row); e < end; e++)
            to->start[(size_t)matrix_column(x, e) + 2]++;
    }
    for (size_t j = 2; j < to->columns + 2; j++)
        to->start[j] += to->start[j - 1];
}

/* Second step, for columns [from, end): every entry goes to the next free position of its column. Rows are visited in
 * order, so they ascend within each column. */
void csc_fill(const struct matrix *x, struct csc_matrix *to, size_t from, size_t end)
{
    for (size_t row = 0; row < x->rows; row++) {
        page_window_rows(x, row, 1);
        const uint64_t behind = matrix_start(x, row + 1);
        for (uint64_t e = matrix_start(x, row); e < behind; e++) {
            /* Other columns belong to another range, under a memory limit. */
            const size_t column = matrix_column(x, e);
            if (column < from || column >= end)
                continue;
            uint64_t at = to->start[column + 1]++;
            to->row[at] = (uint32_t)row;
            /* Values keep their precision; a copy in floats is made by sell16.c only. */
            if (x->value64)
                to->value64[at] = x->value64[e];
            else
                to->value[at] = x->value[e];
        }
    }
}

/* The transposed copy, in memory or, where the memory limit demands it, in temporary files. false on failure; the
 * caller then calls csc_free. */
bool csc_make(const struct matrix *x, uint64_t memory, struct csc_matrix *out)
{
    if (csc_uses_disk(x, memory))
        return csc_disk_make(x, memory, out);
    out->columns = (size_t)x->columns;
    out->nonzeros = x->nonzeros;
    /* Two more than columns: see csc_count. */
    out->start = mem_zeroed(out->columns + 2, sizeof *out->start);
    out->row = mem_alloc((size_t)x->nonzeros, sizeof *out->row);
    if (x->value64)
        out->value64 = mem_alloc((size_t)x->nonzeros, sizeof *out->value64);
    else
        out->value = mem_alloc((size_t)x->nonzeros, sizeof *out->value);
    if (!out->start || !out->row || !(x->value64 ? (void *)out->value64 : out->value))
        return false;
    csc_count(x, out);
    csc_fill(x, out, 0, out->columns);
    csc_divide(out);
    return true;
}

/* Frees the entries but keeps the starts, once a SELL-16 copy has replaced them. Only for matrices in memory. */
void csc_drop(struct csc_matrix *csc)
{
    mem_free(csc->row);
    mem_free(csc->value);
    mem_free(csc->value64);
    csc->row = NULL;
    csc->value = NULL;
    csc->value64 = NULL;
}

/* Frees entries in memory or in files. */
void csc_free(struct csc_matrix *csc)
{
    mem_free(csc->start);
    /* The entries may be in temporary files, which are released last. */
    page_window_free(csc->pages);
    array_free(csc->disk, csc->row);
    array_free(csc->disk, csc->value);
    mem_free(csc->value64);
    disk_array_free(csc->disk);
    mem_free(csc->bounds);
    *csc = (struct csc_matrix){0};
}

/* The first column of a group: the first one that begins at or behind the group's share of the entries, by bisection.
 */
static size_t group_start(const struct csc_matrix *csc, size_t group)
{
    /* Rounded down, so that the last group has the remainder. */
    uint64_t wanted = csc->nonzeros / CSC_GROUPS * group;
    size_t low = 0, high = csc->columns;
    if (group >= CSC_GROUPS)
        return csc->columns;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (csc->start[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Divides the columns into CSC_GROUPS groups of about equal numbers of entries, the unit of work of the threads.
 * Groups depend on the entries alone, not on the number of threads. */
void csc_divide(struct csc_matrix *csc)
{
    for (size_t group = 0; group <= CSC_GROUPS; group++)
        csc->group[group] = group_start(csc, group);
}

/* A group in the form of CSR rows of the transposed matrix, so that the kernels for rows compute gradients too.
 * Borrowed. */
struct csc_group csc_group(const struct csc_matrix *csc, size_t group)
{
    /* Columns are counted from the first one of this process. */
    size_t from = csc->group[group], to = csc->group[group + 1];
    struct sparse_rows entries = {.start = csc->start + from,
                                  .column = csc->row,
                                  .value = csc->value,
                                  .value64 = csc->value64,
                                  .rows = to - from};
    return (struct csc_group){csc->first + from, csc->first + to, entries};
}
