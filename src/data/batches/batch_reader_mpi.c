/* batch_reader_mpi: several processes read the batches of one file in turn, each its own. */
#include "base/memory.h"
#include "data/batches/batch_reader.h"
#include "data/dist/scatter_rows.h"

/* Passes over a batch of another rank. The first batch of the file is parsed by every rank, to learn the columns and
 * whether rows have labels; later ones are only split into lines. */
static temper_status skip_batch(struct batch_reader *batches, bool *some, temper_error *error)
{
    struct dataset *unused = mem_zeroed(1, sizeof *unused);
    if (!unused)
        return error_no_memory(error);
    temper_status status = batch_reader_rows(batches, unused, batches->begun, some, error);
    dataset_free(unused);
    return status;
}

/* Adds the notes of all ranks, in the order of the rows, so that every rank has the notes of one process. Collective.
 * */
static temper_status gather_notes(struct batch_reader *batches, const struct dataset *data, temper_error *error)
{
    char *notes = NULL;
    temper_status status = scatter_notes(data, batches->options.comm, &notes, error);
    if (status == TEMPER_OK && !batch_reader_add_notes(batches, notes))
        status = error_no_memory(error);
    mem_free(notes);
    return status;
}

/* Reads a batch for each rank, in the order of the ranks. All ranks read the same text, and so agree on where batches
 * begin and end without communication. *some is true while the first rank has a batch; ranks beyond the end of the file
 * get an empty one. */
static temper_status share_batches(struct batch_reader *batches, struct dataset *data, bool *some, temper_error *error)
{
    const temper_comm *comm = batches->options.comm;
    bool more = true;
    uint64_t all = 0, before = 0, dropped = 0, filled = 0;
    temper_status status = TEMPER_OK;
    *some = false;
    for (size_t r = 0; status == TEMPER_OK && more && r < comm->size; r++) {
        status =
            r == comm->rank ? batch_reader_rows(batches, data, false, &more, error) : skip_batch(batches, &more, error);
        *some = *some || more;
    }
    /* An error of one rank becomes the error of all, before the collective calls below. */
    TRY(comm_agree(comm, status, error));
    TRY(comm_count(comm, data->x.rows, &before, &all, error));
    TRY(gather_notes(batches, data, error));
    TRY(comm_count(comm, data->file.missing_dropped, NULL, &dropped, error));
    TRY(comm_count(comm, data->file.missing_filled, NULL, &filled, error));
    /* Sums over all ranks, so that every rank writes the same notes at the end. */
    batch_reader_count(batches, all, dropped, filled);
    if (data->x.rows == 0)
        data->x.kind = MATRIX_CSR; /* which may have any number of columns */
    data->ranks.comm = comm;
    data->ranks.first_row = before;
    data->ranks.all_rows = all;
    return TEMPER_OK;
}

/* The next batch for each of several processes. A file that cannot be read in batches is read whole by every rank,
 * which keeps the rows of its part. */
temper_status batch_reader_shared_rows(struct batch_reader *batches, struct dataset *data, bool *some,
                                       temper_error *error)
{
    const temper_comm *comm = batches->options.comm;
    if (batches->splits)
        return share_batches(batches, data, some, error);
    temper_status status = batch_reader_rows(batches, data, false, some, error);
    if (status == TEMPER_OK && *some && !batch_reader_add_notes(batches, data->notes))
        status = error_no_memory(error);
    if (status == TEMPER_OK && *some)
        batch_reader_count(batches, data->x.rows, data->file.missing_dropped, data->file.missing_filled);
    TRY(comm_agree(comm, status, error));
    return *some ? scatter_rows(data, comm, error) : TEMPER_OK;
}
