/* file_list: reads the files of a list one after another, and concatenates them.
 *
 * Options that concern single files are passed to each of them; those that concern all rows (classes, class weights)
 * are applied to the whole afterwards. Sparse files may differ in their number of columns, and get that of the widest.
 * With at least as many files as processes each process reads a range of the files, and the rows then move to the
 * processes that hold their parts; otherwise every process reads all files and keeps its own rows. */
#include "data/read/file_list.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/dist/distributed_read.h"
#include "data/dist/scatter_rows.h"
#include "data/quote_text.h"
#include "data/read/file_names.h"
#include "data/schema.h"
#include "data/subset.h"
#include "data/weights.h"

/* A list of files that is being read. */
struct file_list_reader {
    const char *path; /* of the list, '@' and all; of a folder, or a pattern */
    const temper_read_options *options;
    temper_read_options each; /* what a file is read by: options for all rows left out */
    const struct schema *schema;
    temper_error *error;
    struct names files; /* as they are opened */
};

/* ---- Options ------------------------------------------------------------------------------------- */

/* Refuses options that need all rows at once: labels in one file, a memory limit, and means over a column. The remedy
 * is to convert the list to one file first. */
static temper_status check_options(const struct file_list_reader *list)
{
    const temper_read_options *options = list->options;
    const char *option = options->labels ? "--labels" : options->memory ? "--memory" : NULL;
    if (options->missing && strcmp(options->missing, "mean") == 0)
        option = "--missing mean";
    if (!option)
        return TEMPER_OK;
    return error_set(list->error, TEMPER_USAGE,
                     "%s is for one file, and %s names several; make one of them first: temper "
                     "convert %s all.tmpr",
                     option, place_text(list->path).text, place_text(list->path).text);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Gives all sparse datasets without feature names the number of columns of the widest: a libsvm file may lack the last
 * columns of others, because it has only zeros there. */
static void unify_columns(struct dataset *const *set, size_t count)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < count; i++)
        columns = set[i]->x.columns > columns ? set[i]->x.columns : columns;
    for (size_t i = 0; i < count; i++)
        if (set[i]->x.kind == MATRIX_CSR && set[i]->features.count == 0)
            set[i]->x.columns = columns;
}

/* Concatenates neighbouring datasets in pairs until one is left, in set[0]: each row is copied log2(files) times, not
 * once for each file. Consumed datasets are freed, and their pointers set to NULL, so that the caller can free the rest
 * after a failure. */
static temper_status join_all(const struct file_list_reader *list, struct dataset **set, size_t count)
{
    /* One round halves the number of datasets; an odd last one moves down unchanged. */
    for (; count > 1; count = (count + 1) / 2)
        for (size_t i = 0; i < count; i += 2) {
            struct dataset *whole = set[i];
            if (i + 1 < count) {
                TRY(dataset_concat(set[i], set[i + 1], &whole, list->error));
                dataset_free(set[i]);
                dataset_free(set[i + 1]);
            }
            set[i] = set[i + 1 < count ? i + 1 : i] = NULL;
            set[i / 2] = whole;
        }
    return TEMPER_OK;
}

/* Gives the dataset the path of the list. Line numbers refer to single files, and are removed. */
static temper_status rename_whole(const struct file_list_reader *list, struct dataset *data)
{
    size_t length = strlen(list->path) + 1;
    char *source = mem_alloc(length, 1);
    if (!source)
        return error_no_memory(list->error);
    mem_free(data->file.path);
    data->file.path = memcpy(source, list->path, length);
    dataset_free_array(data, data->line);
    data->line = NULL;
    return TEMPER_OK;
}

/* Reads the files [from, to) of the list and concatenates them. Every file is read with list->each: options for all
 * rows are left out. */
static temper_status read_files(const struct file_list_reader *list, size_t from, size_t to, struct dataset **out)
{
    size_t count = to - from;
    struct dataset **set = (struct dataset **)mem_zeroed(count, sizeof(struct dataset *));
    temper_status status = set ? TEMPER_OK : error_no_memory(list->error);
    /* All files of this process are in memory at once until they are concatenated. */
    for (size_t i = 0; status == TEMPER_OK && i < count; i++)
        status = dataset_read_like(list->files.name[from + i], &list->each, list->schema, &set[i], list->error);
    if (status == TEMPER_OK) {
        unify_columns(set, count);
        status = join_all(list, set, count);
    }
    if (status == TEMPER_OK)
        status = rename_whole(list, set[0]);
    /* After success only set[0] is in use, and the others are NULL. */
    for (size_t i = status == TEMPER_OK ? 1 : 0; set && i < count; i++)
        dataset_free(set[i]);
    if (status == TEMPER_OK)
        *out = set[0];
    mem_free((void *)set);
    return status;
}

/* ---- Several processes ----------------------------------------------------------------------- */

/* The files of all ranks must have the same kind of matrix, columns and labels. The names of features are compared by a
 * hash; the number of columns of sparse data may differ. All ranks have the same reports, and so refuse together. */
static temper_status check_alike(const struct file_list_reader *list, const struct distributed_read *p)
{
    const struct rank_report *first = &p->report[0];
    /* Every rank is compared with the first one; the first difference is reported. */
    for (size_t r = 1; r < p->comm->size; r++) {
        const struct rank_report *report = &p->report[r];
        const char *what = report->kind != first->kind           ? "keep their numbers in one way"
                           : report->features != first->features ? "have the same names of columns"
                           : report->kind != MATRIX_CSR && report->columns != first->columns
                               ? "have the same number of columns"
                           : report->labelled != first->labelled ? "all have labels, or none"
                                                                 : NULL;
        if (what)
            return error_set(list->error, TEMPER_BAD_DATA,
                             "%s: its files do not %s; give files of one format and the same "
                             "columns",
                             place_text(list->path).text, what);
    }
    return TEMPER_OK;
}

/* If the files of any rank have weights, rows without weights get 1: weights must be present on all ranks or on none.
 * */
static temper_status even_weights(const struct distributed_read *p)
{
    struct dataset *data = p->data;
    bool weighted = false;
    for (size_t r = 0; r < p->comm->size; r++)
        weighted = weighted || p->report[r].weighted;
    if (!weighted || data->weight)
        return TEMPER_OK;
    data->weight = mem_alloc((size_t)data->x.rows, sizeof *data->weight);
    if (!data->weight)
        return error_no_memory(p->reader->error);
    for (size_t i = 0; i < data->x.rows; i++)
        data->weight[i] = 1;
    return TEMPER_OK;
}

/* Every rank reports what it has read; if all files fit together, classes are unified and rows move to the ranks that
 * they belong to. Collective: all ranks return the same status. */
static temper_status exchange_rows(const struct file_list_reader *list, struct distributed_read *p)
{
    bool too_many = false;
    temper_status status = distributed_read_start(p);
    if (status == TEMPER_OK)
        status = distributed_read_report(p, TEMPER_OK);
    if (status == TEMPER_OK)
        status = check_alike(list, p);
    if (status == TEMPER_OK)
        status = comm_agree(p->comm, even_weights(p), list->error);
    if (status == TEMPER_OK)
        status = distributed_read_agree(p, &too_many);
    if (status == TEMPER_OK && too_many)
        status = error_set(list->error, TEMPER_BAD_DATA,
                           "the files have more than %s classes together; check their label "
                           "columns",
                           count_shown(MOST_CLASSES).text);
    if (status == TEMPER_OK && p->data->label)
        status = dataset_sort_classes(p->data, list->error);
    distributed_read_end(p);
    return comm_agree(p->comm, status, list->error);
}

/* Each rank reads a consecutive range of the files, then receives the rows of its part. Files may differ in size, and
 * so the rows are redistributed afterwards. */
static temper_status read_shared(const struct file_list_reader *list, struct dataset **out)
{
    const temper_comm *comm = list->options->comm;
    /* Consecutive ranges keep the order of the rows; sizes differ by at most one file. */
    size_t from = list->files.count * comm->rank / comm->size;
    size_t to = list->files.count * (comm->rank + 1) / comm->size;
    struct data_reader reader = {.path = list->path, .options = list->options, .error = list->error};
    struct dataset *data = NULL;
    temper_status status = comm_agree(comm, read_files(list, from, to, &data), list->error);
    struct distributed_read p = {.reader = &reader, .comm = comm, .data = data};
    if (status == TEMPER_OK)
        status = exchange_rows(list, &p);
    if (status == TEMPER_OK)
        *out = data;
    else
        dataset_free(data);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Applies the options that concern all rows, in the order of data/read/read.h: classes are selected before class
 * weights are computed. */
static temper_status apply_options(const struct file_list_reader *list, struct dataset *data)
{
    const temper_read_options *options = list->options;
    temper_status status = TEMPER_OK;
    if (options->classes)
        status = select_classes(data, options->classes, list->error);
    if (status == TEMPER_OK && options->class_weight)
        status = weights_by_class(options->class_weight, data, list->error);
    return status;
}

/* With at least one file per rank each rank reads its own files; otherwise, or if an option needs all rows, all ranks
 * read everything and keep their part. */
static temper_status read_rows(const struct file_list_reader *list, struct dataset **out)
{
    const temper_read_options *options = list->options;
    /* A schema is matched to each file in the same way on all ranks, which the reports do not cover. */
    bool for_all_rows = options->classes || options->class_weight || list->schema;
    if (!comm_alone(options->comm) && list->files.count >= options->comm->size && !for_all_rows)
        return read_shared(list, out);
    struct dataset *data = NULL;
    temper_status status = read_files(list, 0, list->files.count, &data);
    if (status == TEMPER_OK)
        status = apply_options(list, data);
    status = comm_agree(options->comm, status, list->error);
    if (status == TEMPER_OK)
        status = scatter_rows(data, options->comm, list->error);
    if (status == TEMPER_OK)
        *out = data;
    else
        dataset_free(data);
    return status;
}

/* Reads the list and its files. list.each is the caller's options without those for all rows, which are applied after
 * the concatenation, and without the communicator: each file is read by one process. */
temper_status file_list_read(const char *path, const temper_read_options *options, const struct schema *schema,
                             struct dataset **out, temper_error *error)
{
    struct file_list_reader list = {
        .path = path, .options = options, .each = *options, .schema = schema, .error = error};
    list.each.comm = NULL;
    list.each.automatic = 0; /* each file could be inferred differently */
    list.each.classes = list.each.class_weight = NULL;
    temper_status status = check_options(&list);
    if (status == TEMPER_OK)
        status = file_names_find(path, options->comm, &list.files, error);
    if (status == TEMPER_OK)
        status = read_rows(&list, out);
    names_free(&list.files);
    return status;
}
