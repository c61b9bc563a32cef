/* stream_shared: several processes go through one file together. */
#include "base/memory.h"
#include "data/batches/batch_reader_internal.h"
#include "data/dist/scatter_rows.h"

/* The first portion tells everyone what the columns are, and whether there are labels. */
static temper_status pass_over(struct batch_reader *stream, bool *some, temper_error *error)
{
    if (stream->begun)
        return batch_reader_rows(stream, NULL, some, error);
    struct dataset *first = mem_zeroed(1, sizeof *first);
    if (!first)
        return error_no_memory(error);
    temper_status status = batch_reader_rows(stream, first, some, error);
    dataset_free(first);
    return status;
}

/* What the readers of all have noted, in the order of the rows. */
static temper_status take_notes(struct batch_reader *stream, const temper_comm *comm, const struct dataset *data,
                                temper_error *error)
{
    char *notes = NULL;
    temper_status status = scatter_notes(data, comm, &notes, error);
    if (status == TEMPER_OK && !batch_reader_add_notes(stream, notes))
        status = error_no_memory(error);
    mem_free(notes);
    return status;
}

static temper_status count_missing(struct batch_reader *stream, const temper_comm *comm, const struct dataset *data,
                                   uint64_t kept, bool *some, temper_error *error)
{
    uint64_t dropped = 0, filled = 0;
    temper_status status = comm_count(comm, data->file.missing_dropped, NULL, &dropped, error);
    if (status == TEMPER_OK)
        status = comm_count(comm, data->file.missing_filled, NULL, &filled, error);
    batch_reader_count(stream, kept, dropped, filled);
    *some = kept > 0 || dropped > 0;
    return status;
}

/* A portion for each process, one after another; *some as long as any has rows. */
static temper_status share_portions(struct batch_reader *stream, const temper_comm *comm, struct dataset *data,
                                    bool *some, temper_error *error)
{
    bool there = true;
    *some = false;
    uint64_t all = 0, before = 0;
    temper_status status = TEMPER_OK;
    for (size_t r = 0; status == TEMPER_OK && there && r < comm->size; r++)
        status = r == comm->rank ? batch_reader_rows(stream, data, &there, error) : pass_over(stream, &there, error);
    status = comm_agree(comm, status, error);
    if (status == TEMPER_OK)
        status = comm_count(comm, data->x.rows, &before, &all, error);
    if (status == TEMPER_OK)
        status = take_notes(stream, comm, data, error);
    if (status == TEMPER_OK)
        status = count_missing(stream, comm, data, all, some, error);
    if (data->x.rows == 0)
        data->x.kind = MATRIX_CSR; /* of which any number of columns will do */
    data->ranks.comm = comm;
    data->ranks.first_row = before;
    data->ranks.all_rows = all;
    return status;
}

temper_status batch_reader_shared_rows(struct batch_reader *stream, struct dataset *data, bool *some,
                                       temper_error *error)
{
    const temper_comm *comm = stream->options.comm;
    if (batch_reader_can_split(stream))
        return share_portions(stream, comm, data, some, error);
    temper_status status = batch_reader_rows(stream, data, some, error);
    if (status == TEMPER_OK && *some && !batch_reader_add_notes(stream, data->notes))
        status = error_no_memory(error);
    if (status == TEMPER_OK && *some)
        batch_reader_count(stream, data->x.rows, data->file.missing_dropped, data->file.missing_filled);
    status = comm_agree(comm, status, error);
    return status == TEMPER_OK && *some ? scatter_rows(data, comm, error) : status;
}
