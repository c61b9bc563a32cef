/* csc_disk: the transposed copy in temporary files, where a memory limit has no place for it.
 *
 * It is filled a range of columns at a time; each range fits the limit and costs a pass over the rows. It is read in
 * order, so that pages can be dropped behind the reader. Entries and their order are the same as in memory. */
#include <assert.h>

#include "base/disk_array.h"
#include "base/memory.h"
#include "data/memory/page_window.h"
#include "objective/sparse/csc.h"

enum {
    SHARE = 4,        /* in memory, it may use a quarter of the limit, */
    WINDOW_SHARE = 8, /* in files, its resident pages an eighth */
};

/* Bytes of all entries: row index and value. */
static double entry_bytes(const struct matrix *x)
{
    size_t value = x->value64 ? sizeof(double) : sizeof(float);
    return (double)x->nonzeros * (double)(sizeof(uint32_t) + value);
}

/* Without a limit (0) never. */
bool csc_uses_disk(const struct matrix *x, uint64_t memory)
{
    return memory > 0 && entry_bytes(x) > (double)memory / SHARE;
}

/* Bytes of memory that the copy uses; in files, the resident pages and what each thread is reading. */
double csc_bytes(const struct matrix *x, uint64_t memory, size_t threads)
{
    double starts = (double)(x->columns + 2) * sizeof(uint64_t), entries = entry_bytes(x);
    if (!csc_uses_disk(x, memory))
        return starts + entries;
    return starts + (double)memory / WINDOW_SHARE + entries / CSC_GROUPS * (double)threads;
}

/* The end of the largest range of columns with at most `most` entries, but at least one column. start[j + 1] is the
 * beginning of column j at this stage. */
static size_t range_end(const struct csc_matrix *to, size_t from, uint64_t most)
{
    size_t end = from + 1;
    uint64_t first = to->start[from + 1];
    while (end < to->columns && to->start[end + 2] - first <= most)
        end++;
    return end;
}

/* Makes the copy in files; false without memory or disk space, which disk_array_failure then distinguishes. */
bool csc_disk_make(const struct matrix *x, uint64_t memory, struct csc_matrix *out)
{
    assert(matrix_is_narrow(x)); /* limits apply to data from files, which has these widths */
    uint64_t most = memory / WINDOW_SHARE / (sizeof *out->row + sizeof *out->value);
    out->columns = (size_t)x->columns;
    out->nonzeros = x->nonzeros;
    out->start = mem_zeroed(out->columns + 2, sizeof *out->start);
    out->disk = disk_array_new();
    if (!out->start || !out->disk)
        return false;
    out->row = disk_array_resize(out->disk, NULL, (size_t)x->nonzeros, sizeof *out->row);
    out->value = out->row ? disk_array_resize(out->disk, NULL, (size_t)x->nonzeros, sizeof *out->value) : NULL;
    out->pages = out->value ? page_window_of_disk_array(out->disk) : NULL;
    if (!out->pages)
        return false;
    /* Only the starts are counted in one pass; then one pass over the rows fills each range, so that random writes
     * stay within memory. */
    csc_count(x, out);
    for (size_t from = 0, end; from < out->columns; from = end) {
        end = range_end(out, from, most);
        csc_fill(x, out, from, end);
        disk_array_drop(out->disk);
    }
    csc_divide(out);
    return page_window_limit(out->pages, (size_t)(memory / WINDOW_SHARE));
}

/* Announces that a group is about to be read, so that pages of earlier ones can be dropped. */
void csc_expect(const struct csc_matrix *csc, const struct csc_group *group)
{
    const struct sparse_rows *entries = &group->entries;
    uint64_t first = entries->start[0], count = entries->start[entries->rows] - first;
    size_t entry = sizeof *csc->row + sizeof *csc->value;
    page_window_bytes(csc->pages, csc->row + first, (size_t)count * entry, NULL);
}
