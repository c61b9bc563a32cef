/* turned: a counting sort of the entries by column. */
#include "objective/sparse/csc.h"

#include "base/memory.h"
#include "base/disk_array.h"
#include "data/memory/page_window.h"

void turned_count(const struct matrix *x, struct turned *to)
{
    for (size_t row = 0; row < x->rows; row++) {
        pages_rows(x, row, 1);
        const uint64_t end = matrix_start(x, row + 1);
        for (uint64_t e = matrix_start(x, row); e < end; e++)
            to->start[(size_t)matrix_column(x, e) + 2]++;
    }
    for (size_t j = 2; j < to->columns + 2; j++)
        to->start[j] += to->start[j - 1];
}

void turned_fill(const struct matrix *x, struct turned *to, size_t from, size_t end)
{
    for (size_t row = 0; row < x->rows; row++) {
        pages_rows(x, row, 1);
        const uint64_t behind = matrix_start(x, row + 1);
        for (uint64_t e = matrix_start(x, row); e < behind; e++) {
            const size_t column = matrix_column(x, e);
            if (column < from || column >= end)
                continue;
            uint64_t at = to->start[column + 1]++;
            to->row[at] = (uint32_t)row;
            if (x->value64)
                to->value64[at] = x->value64[e];
            else
                to->value[at] = x->value[e];
        }
    }
}

bool turned_make(const struct matrix *x, uint64_t memory, struct turned *out)
{
    if (turned_spills(x, memory))
        return turned_spill_make(x, memory, out);
    out->columns = (size_t)x->columns;
    out->nonzeros = x->nonzeros;
    out->start = mem_zeroed(out->columns + 2, sizeof *out->start);
    out->row = mem_alloc((size_t)x->nonzeros, sizeof *out->row);
    if (x->value64)
        out->value64 = mem_alloc((size_t)x->nonzeros, sizeof *out->value64);
    else
        out->value = mem_alloc((size_t)x->nonzeros, sizeof *out->value);
    if (!out->start || !out->row || !(x->value64 ? (void *)out->value64 : out->value))
        return false;
    turned_count(x, out);
    turned_fill(x, out, 0, out->columns);
    turned_divide(out);
    return true;
}

void turned_drop(struct turned *turned)
{
    mem_free(turned->row);
    mem_free(turned->value);
    mem_free(turned->value64);
    turned->row = NULL;
    turned->value = NULL;
    turned->value64 = NULL;
}

void turned_free(struct turned *turned)
{
    mem_free(turned->start);
    pages_free(turned->pages);
    array_free(turned->spill, turned->row);
    array_free(turned->spill, turned->value);
    mem_free(turned->value64);
    spill_free(turned->spill);
    mem_free(turned->bounds);
    *turned = (struct turned){0};
}

/* The first column of a group. */
static size_t group_start(const struct turned *turned, size_t group)
{
    uint64_t wanted = turned->nonzeros / TURNED_GROUPS * group;
    size_t low = 0, high = turned->columns;
    if (group >= TURNED_GROUPS)
        return turned->columns;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (turned->start[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void turned_divide(struct turned *turned)
{
    for (size_t group = 0; group <= TURNED_GROUPS; group++)
        turned->group[group] = group_start(turned, group);
}

struct turned_group turned_group(const struct turned *turned, size_t group)
{
    size_t from = turned->group[group], to = turned->group[group + 1];
    struct sparse_rows entries = {.start = turned->start + from,
                                  .column = turned->row,
                                  .value = turned->value,
                                  .value64 = turned->value64,
                                  .rows = to - from};
    return (struct turned_group){turned->first + from, turned->first + to, entries};
}
