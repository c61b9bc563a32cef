/* stream_shared: several processes go through one file together. */
#include "base/memory.h"
#include "data/dist/scatter_rows.h"
#include "data/batches/batch_reader_internal.h"

/* The first portion tells everyone what the columns are, and whether there are labels. */
static temper_status pass_over(struct stream *stream, bool *some, temper_error *error)
{
    if (stream->begun)
        return stream_rows(stream, NULL, some, error);
    struct dataset *first = mem_zeroed(1, sizeof *first);
    if (!first)
        return error_no_memory(error);
    temper_status status = stream_rows(stream, first, some, error);
    dataset_free(first);
    return status;
}

/* What the readers of all have noted, in the order of the rows. */
static temper_status take_notes(struct stream *stream, const temper_comm *comm,
                                const struct dataset *data, temper_error *error)
{
    char *notes = NULL;
    temper_status status = share_notes(data, comm, &notes, error);
    if (status == TEMPER_OK && !stream_add_notes(stream, notes))
        status = error_no_memory(error);
    mem_free(notes);
    return status;
}

static temper_status count_missing(struct stream *stream, const temper_comm *comm,
                                   const struct dataset *data, uint64_t kept, bool *some,
                                   temper_error *error)
{
    uint64_t dropped = 0, filled = 0;
    temper_status status = comm_count(comm, data->missing_dropped, NULL, &dropped, error);
    if (status == TEMPER_OK)
        status = comm_count(comm, data->missing_filled, NULL, &filled, error);
    stream_count(stream, kept, dropped, filled);
    *some = kept > 0 || dropped > 0;
    return status;
}

/* A portion for each process, one after another; *some as long as any has rows. */
static temper_status share_portions(struct stream *stream, const temper_comm *comm,
                                    struct dataset *data, bool *some, temper_error *error)
{
    bool there = true;
    *some = false;
    uint64_t all = 0, before = 0;
    temper_status status = TEMPER_OK;
    for (size_t r = 0; status == TEMPER_OK && there && r < comm->size; r++)
        status = r == comm->rank ? stream_rows(stream, data, &there, error)
                                 : pass_over(stream, &there, error);
    status = comm_agree(comm, status, error);
    if (status == TEMPER_OK)
        status = comm_count(comm, data->x.rows, &before, &all, error);
    if (status == TEMPER_OK)
        status = take_notes(stream, comm, data, error);
    if (status == TEMPER_OK)
        status = count_missing(stream, comm, data, all, some, error);
    if (data->x.rows == 0)
        data->x.kind = MATRIX_CSR; /* of which any number of columns will do */
    data->comm = comm;
    data->first_row = before;
    data->all_rows = all;
    return status;
}

temper_status stream_shared_rows(struct stream *stream, struct dataset *data, bool *some,
                                 temper_error *error)
{
    const temper_comm *comm = stream->options.comm;
    if (stream_can_be_cut(stream))
        return share_portions(stream, comm, data, some, error);
    temper_status status = stream_rows(stream, data, some, error);
    if (status == TEMPER_OK && *some && !stream_add_notes(stream, data->notes))
        status = error_no_memory(error);
    if (status == TEMPER_OK && *some)
        stream_count(stream, data->x.rows, data->missing_dropped, data->missing_filled);
    status = comm_agree(comm, status, error);
    return status == TEMPER_OK && *some ? share_rows(data, comm, error) : status;
}
