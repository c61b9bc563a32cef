/* dual_rows: gathers the rows of all processes in each of them. */
#include "objective/sparse/dual_rows.h"

#include "base/memory.h"
#include "data/memory/page_window.h"
#include "objective/objective_internal.h"

/* The own rows in the form that is gathered. */
struct packed_rows {
    uint64_t *length;
    uint32_t *column;
    double *value;
    size_t *bytes; /* room for a number for each process */
};

static void pack_rows(const struct matrix *x, const struct packed_rows *own)
{
    for (uint64_t i = 0, entry = 0; i < x->rows; i++) {
        page_window_row(x, i);
        const struct row row = matrix_row(x, i);
        own->length[i] = row.count;
        for (size_t e = 0; e < row.count; e++, entry++) {
            own->column[entry] = row_column(&row, e);
            own->value[entry] = row_value(&row, e);
        }
    }
}

/* The arrays of all processes from those of each. */
static temper_status gather_entries(const struct objective *o, const struct packed_rows *own, struct dual_rows *rows,
                                    temper_error *error)
{
    const temper_comm *comm = o->spec.data->ranks.comm;
    const size_t entries = (size_t)o->x->nonzeros, ranks = comm_size(comm);
    pack_rows(o->x, own);
    TRY(gather_labels(&rows->labels, own->length, sizeof *own->length, rows->start + 1, error));
    rows->start[0] = 0;
    for (size_t i = 0; i < rows->labels.rows; i++)
        rows->start[i + 1] += rows->start[i];
    TRY(comm_gather_each(comm, &entries, sizeof entries, own->bytes, error));
    for (size_t r = 0; r < ranks; r++)
        own->bytes[r] *= sizeof *own->column;
    TRY(comm_gather(comm, own->column, own->bytes, rows->column, error));
    for (size_t r = 0; r < ranks; r++)
        own->bytes[r] *= sizeof *own->value / sizeof *own->column;
    return comm_gather(comm, own->value, own->bytes, rows->value, error);
}

temper_status dual_rows_gather(const struct objective *o, struct dual_rows *rows, temper_error *error)
{
    const struct dataset *data = o->spec.data;
    const size_t all = (size_t)dataset_all_nonzeros(data), entries = (size_t)o->x->nonzeros;
    const struct packed_rows own = {.length = mem_alloc((size_t)o->x->rows + 1, sizeof *own.length),
                                    .column = mem_alloc(entries + 1, sizeof *own.column),
                                    .value = mem_alloc(entries + 1, sizeof *own.value),
                                    .bytes = mem_alloc(comm_size(data->ranks.comm), sizeof *own.bytes)};
    rows->start = mem_alloc((size_t)dataset_all_rows(data) + 1, sizeof *rows->start);
    rows->column = mem_alloc(all + 1, sizeof *rows->column);
    rows->value = mem_alloc(all + 1, sizeof *rows->value);
    bool enough = own.length && own.column && own.value && own.bytes && rows->start && rows->column && rows->value;
    temper_status status = comm_agree(data->ranks.comm, enough ? TEMPER_OK : error_no_memory(error), error);
    if (status == TEMPER_OK && enough)
        status = gather_entries(o, &own, rows, error);
    mem_free(own.length);
    mem_free(own.column);
    mem_free(own.value);
    mem_free(own.bytes);
    rows->x = (struct matrix){.kind = MATRIX_CSR,
                              .rows = dataset_all_rows(data),
                              .columns = o->x->columns,
                              .nonzeros = all,
                              .row_start = rows->start,
                              .column = rows->column,
                              .value64 = rows->value};
    return status;
}

void dual_rows_free(struct dual_rows *rows)
{
    gathered_labels_free(&rows->labels);
    mem_free(rows->start);
    mem_free(rows->column);
    mem_free(rows->value);
}
