/* read_distributed: MPI: one text read by several processes.
 *
 * They agree on the classes (numbered by first appearance over all rows), the number of columns, the line numbers and
 * the first fault: the results and messages are those of a single process. */
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#include "data/csv/csv.h"
#include "data/dist/distributed_read.h"
#include "data/dist/row_partition.h"
#include "data/dist/scatter_rows.h"
#include "data/quote_text.h"
#include "data/read/csr_builder.h"
#include "data/schema.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* Frees what a reader has filled, so that the same dataset can be read again; notes stay for the user. Needed twice:
 * before the rank of the first fault reads its lines again for the message, and before a file that could not be read in
 * pieces is read by one process. */
static void reset(struct dataset *data)
{
    matrix_free(&data->x);
    classes_free(&data->classes);
    names_free(&data->features);
    schema_free(data->schema);
    mem_free(data->label);
    mem_free(data->line);
    mem_free(data->file.path);
    data->schema = NULL;
    data->label = NULL;
    data->line = NULL;
    data->file.path = NULL;
}

/* Reads this process's share of the lines. CSV files are opened as a whole: their reader needs the header line first
 * and then finds the boundaries of its own range, since line breaks may be quoted. Other formats begin at any line. */
static temper_status read_own(struct distributed_read *p, uint64_t lines_before)
{
    struct data_reader *reader = p->reader;
    /* lines_before is 0 at first; only a second read, for a message, knows it. */
    reader->rank.active = true;
    reader->rank.lines_before = reader->rank.lines = lines_before;
    TRY(p->read == read_csv
            ? source_open(reader->path, &reader->source, reader->error)
            : source_open_lines(reader->path, p->comm->rank, p->comm->size, &reader->source, reader->error));
    return p->read(reader, p->data);
}

/* All-gathers one report from each process: how much it has read, and with what result. Every later decision is a
 * function of these reports, so that all processes decide alike. */
temper_status distributed_read_report(struct distributed_read *p, temper_status read)
{
    const struct dataset *data = p->data;
    /* What the other processes need to know of this one's rows. */
    struct rank_report mine = {.size = p->size,
                               .rows = data->x.rows,
                               .columns = data->x.columns,
                               .nonzeros = data->x.nonzeros,
                               .lines = p->reader->rank.lines,
                               .filled = data->file.missing_filled,
                               .dropped = data->file.missing_dropped,
                               .status = read,
                               .labelled = data->label != NULL,
                               .weighted = data->weight != NULL,
                               .kind = data->x.kind};
    /* A hash in place of the names: it is enough for a comparison. */
    for (size_t j = 0; j < data->features.count; j++)
        mine.features = XXH64(data->features.name[j], strlen(data->features.name[j]), mine.features);
    for (size_t c = 0; c < data->classes.count; c++)
        mine.names += strlen(data->classes.name[c]) + 1;
    return comm_gather_each(p->comm, &mine, sizeof mine, p->report, p->reader->error);
}

/* Lines are divided by their offset in the file: files of different sizes (a stale copy on one machine) would give
 * missing or repeated rows. */
static temper_status check_copies(const struct distributed_read *p)
{
    /* Compared with the first process: equality is transitive. */
    for (size_t r = 1; r < p->comm->size; r++)
        if (p->report[r].size != p->report[0].size)
            return error_set(p->reader->error, TEMPER_BAD_DATA,
                             "%s: has %llu bytes for one process and %llu for another; give all of "
                             "them the same file",
                             place_text(p->reader->path).text, (unsigned long long)p->report[0].size,
                             (unsigned long long)p->report[r].size);
    return TEMPER_OK;
}

/* Whether the rows of the ranks below `to` have labels; the first rank with rows decides. */
static enum sparse_labels labels_before(const struct distributed_read *p, size_t to)
{
    /* Ranks without rows (more processes than lines) do not count. */
    for (size_t r = 0; r < to; r++)
        if (p->report[r].rows)
            return p->report[r].labelled ? SPARSE_LABELLED : SPARSE_UNLABELLED;
    return SPARSE_NO_ROWS;
}

/* The first rank whose read has failed, or whose rows have labels where those before have none (or the reverse): the
 * position of the first fault in the file. The number of ranks if there is none. */
static size_t first_fault(const struct distributed_read *p)
{
    size_t r = 0;
    for (; r < p->comm->size && p->report[r].status == TEMPER_OK; r++) {
        /* Two faults are possible: a failed read, and labels that contradict earlier rows. */
        enum sparse_labels before = labels_before(p, r);
        enum sparse_labels here = p->report[r].labelled ? SPARSE_LABELLED : SPARSE_UNLABELLED;
        if (p->report[r].rows && before != SPARSE_NO_ROWS && before != here)
            break;
    }
    return r;
}

/* Whether no process has rows, or none has features. One process then reads all again, which gives its usual message.
 */
static bool is_empty(const struct distributed_read *p)
{
    bool rows = false, columns = false;
    /* One process with rows is enough. */
    for (size_t r = 0; r < p->comm->size; r++) {
        rows = rows || p->report[r].rows > 0;
        columns = columns || p->report[r].columns > 0;
    }
    return !rows || !columns;
}

/* Whether missing values were filled by the means of one process's rows, or rows dropped. */
static bool has_gaps(const struct distributed_read *p)
{
    bool gaps = false;
    for (size_t r = 0; r < p->comm->size; r++)
        gaps = gaps || p->report[r].filled > 0;
    return gaps && p->reader->options->automatic;
}

/* The rank of the first fault reads again, now with the number of lines before its own, so that its message has the
 * right line. The message is then passed to all processes. */
static temper_status report_fault(struct distributed_read *p, size_t failed)
{
    uint64_t lines = 0;
    temper_status status = TEMPER_OK;
    /* Ranks hold consecutive lines, so their counts add up to the line number. */
    for (size_t r = 0; r < failed; r++)
        lines += p->report[r].lines;
    p->reader->rank.labels_before = (int)labels_before(p, failed);
    if (p->comm->rank == failed) {
        reset(p->data);
        status = read_own(p, lines);
        /* The second read has succeeded: the file was changed in between. */
        if (status == TEMPER_OK)
            status = error_set(p->reader->error, TEMPER_IO,
                               "%s: has changed while it was read; leave it as it is, and try "
                               "again",
                               place_text(p->reader->path).text);
    }
    return comm_agree(p->comm, status, p->reader->error);
}

/* ---- Classes, columns, lines, notes ---------------------------------------------------------- */

/* All-gathers the class names in the order of the ranks, each followed by '\0', in memory that the caller frees. The
 * reports contain the lengths. */
static char *gather_names(struct distributed_read *p, temper_status *status)
{
    const struct classes *classes = &p->data->classes;
    size_t all = 0;
    /* Each rank's names and their total length. */
    for (size_t r = 0; r < p->comm->size; r++) {
        p->in_bytes[r] = (size_t)p->report[r].names;
        all += p->in_bytes[r];
    }
    char *names = mem_alloc(all + 1, 1), *mine = mem_alloc(p->in_bytes[p->comm->rank], 1);
    *status = comm_agree(p->comm, names && mine ? TEMPER_OK : error_no_memory(p->reader->error), p->reader->error);
    if (*status == TEMPER_OK && names && mine) { /* in all processes */
        /* This rank's names, one after the other. */
        size_t at = 0;
        for (size_t c = 0; c < classes->count; c++) {
            size_t length = strlen(classes->name[c]) + 1;
            memcpy(mine + at, classes->name[c], length);
            at += length;
        }
        names[all] = '\0';
        *status = comm_gather(p->comm, mine, p->in_bytes, names, p->reader->error);
    }
    mem_free(mine);
    return names;
}

/* Merges the classes of all processes and renumbers the labels. Adding the names rank by rank numbers classes by first
 * appearance over all rows, as one process would. *whole is set if they are too many: one process then reports it. */
static temper_status merge_classes(struct distributed_read *p, bool *whole)
{
    temper_status status;
    struct classes merged = {0}, *own = &p->data->classes;
    char *names = gather_names(p, &status);
    uint32_t *number_of = mem_alloc(own->count, sizeof *number_of);
    const char *name = names;
    /* All processes walk through the same text in the same order, and so get the same numbers. */
    for (size_t r = 0; status == TEMPER_OK && r < p->comm->size; r++)
        for (const char *end = name + p->report[r].names; status == TEMPER_OK && name < end; name += strlen(name) + 1) {
            uint32_t number = classes_add(&merged, name, strlen(name));
            *whole = *whole || number == CLASSES_FULL;
            if (number == CLASSES_NO_MEMORY)
                status = error_no_memory(p->reader->error);
        }
    if (status == TEMPER_OK && !number_of)
        status = error_no_memory(p->reader->error);
    status = comm_agree(p->comm, status, p->reader->error);
    /* The number of each class of this process among all. */
    for (size_t c = 0; status == TEMPER_OK && c < own->count; c++)
        number_of[c] = classes_find(&merged, own->name[c], strlen(own->name[c]));
    for (uint64_t i = 0; status == TEMPER_OK && !*whole && p->data->label && i < p->data->x.rows; i++)
        p->data->label[i] = number_of[p->data->label[i]];
    mem_free(names);
    mem_free(number_of);
    /* Only now the dataset changes. */
    if (status == TEMPER_OK && !*whole) {
        classes_free(own);
        *own = merged;
    } else {
        classes_free(&merged);
    }
    return status;
}

/* Every process gets the notes of all, since any of them may show them; dataset_note drops repeated lines. */
static temper_status merge_notes(struct distributed_read *p)
{
    char *notes = NULL;
    temper_status status = scatter_notes(p->data, p->comm, &notes, p->reader->error);
    /* Notes are lines of one text. */
    for (const char *line = notes; status == TEMPER_OK && *line;) {
        size_t length = strcspn(line, "\n");
        dataset_note(p->data, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    mem_free(notes);
    return status;
}

/* Adds up the reports: totals, the rows each rank has read (p->has), and line numbers relative to the file. */
static void merge_counts(struct distributed_read *p)
{
    struct dataset *data = p->data;
    uint64_t lines = 0;
    /* The totals start from 0 in a dataset that was just read. */
    data->ranks.comm = p->comm;
    data->file.missing_filled = data->file.missing_dropped = 0;
    for (size_t r = 0; r < p->comm->size; r++) {
        const struct rank_report *report = &p->report[r];
        p->has[r] = data->ranks.all_rows;
        lines += r < p->comm->rank ? report->lines : 0;
        data->ranks.all_rows += report->rows;
        data->ranks.all_nonzeros += report->nonzeros;
        data->file.missing_filled += report->filled;
        data->file.missing_dropped += report->dropped;
        data->x.columns = report->columns > data->x.columns ? report->columns : data->x.columns;
    }
    p->has[p->comm->size] = data->ranks.all_rows;
    /* Lines were counted from this process's first line. */
    for (uint64_t i = 0; data->line && i < data->x.rows; i++)
        data->line[i] += lines;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* After this every process has the same classes, columns and notes, and the rows that its parts consist of. */
temper_status distributed_read_agree(struct distributed_read *p, bool *whole)
{
    temper_status status = merge_classes(p, whole);
    if (status != TEMPER_OK || *whole)
        return status;
    merge_counts(p);
    status = merge_notes(p);
    csv_note_missing(p->data, p->data->ranks.all_rows, false, false);
    /* The partition depends on the totals, so it is known only now: p->gets are the rows that each rank is to hold.
     * Rows of a rank are whole parts, not the lines that it has read. */
    const struct row_partition parts = row_partition_of(p->data);
    for (size_t r = 0; r <= p->comm->size; r++)
        p->gets[r] = row_partition_first_row(&parts, p->data->ranks.all_rows, r, p->comm->size);
    return status == TEMPER_OK ? redistribute_rows(p) : status;
}

/* Reads in all processes and merges. *whole asks the caller to read all rows in one process instead, where only that
 * gives the right message. */
static temper_status read_parts(struct distributed_read *p, bool *whole)
{
    temper_status read = read_own(p, 0);
    /* No fault of the text: of this process alone, which may not have come as far as the others. */
    if (read == TEMPER_NO_MEMORY || read == TEMPER_IO)
        return read;
    TRY(distributed_read_report(p, read));
    temper_status status = check_copies(p);
    if (status != TEMPER_OK)
        return status;
    /* A fault is reported for the file as a whole: the first one in the order of the lines. */
    size_t failed = first_fault(p);
    if (failed < p->comm->size && !p->reader->options->automatic)
        return report_fault(p, failed);
    /* What is inferred from all rows has to be read as one, and so has a table with gaps. */
    *whole = failed < p->comm->size || has_gaps(p) || is_empty(p);
    if (!*whole)
        status = distributed_read_agree(p, whole);
    /* What was read is given up, and the caller reads all rows in one process. */
    if (*whole)
        reset(p->data);
    else if (status == TEMPER_OK)
        status = comm_agree(p->comm, read_complete(p->reader, p->data), p->reader->error);
    return status;
}

/* Arrays with one entry for each rank; distributed_read_end frees them after failures too. */
temper_status distributed_read_start(struct distributed_read *p)
{
    size_t size = p->comm->size;
    p->report = mem_alloc(size, sizeof *p->report);
    p->has = mem_alloc(size + 1, sizeof *p->has);
    p->gets = mem_alloc(size + 1, sizeof *p->gets);
    p->out_bytes = mem_alloc(size, sizeof *p->out_bytes);
    p->in_bytes = mem_alloc(size, sizeof *p->in_bytes);
    return p->report && p->has && p->gets && p->out_bytes && p->in_bytes ? TEMPER_OK
                                                                         : error_no_memory(p->reader->error);
}

void distributed_read_end(struct distributed_read *p)
{
    void *blocks[] = {p->report, p->has, p->gets, p->out_bytes, p->in_bytes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        mem_free(blocks[i]);
}

/* Reads one file with all processes of options->comm. The state of the reader is restored, since it may read again as
 * one process. */
temper_status read_distributed(struct data_reader *reader, reader_fn *read, struct dataset *data, bool *whole)
{
    struct distributed_read p = {.reader = reader, .read = read, .comm = reader->options->comm, .data = data};
    /* The source was opened to detect the format; its size is needed to compare copies. */
    p.size = source_file_size(reader->source);
    data_reader_close_source(reader);
    temper_status status = distributed_read_start(&p);
    data->file.path = mem_alloc(strlen(reader->path) + 1, 1);
    if (status == TEMPER_OK && !data->file.path)
        status = error_no_memory(reader->error);
    status = comm_agree(p.comm, status, reader->error);
    /* Messages refer to the path, so the dataset has it before reading. */
    if (status == TEMPER_OK && data->file.path) {
        memcpy(data->file.path, reader->path, strlen(reader->path) + 1);
        status = read_parts(&p, whole);
    }
    distributed_read_end(&p);
    reader->rank = (struct rank_lines){0};
    return status;
}
