/* shards: the files of a list, read one after another and joined. */
#include "data/read/file_list.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/dist/distributed_read.h"
#include "data/dist/scatter_rows.h"
#include "data/quote_text.h"
#include "data/subset.h"
#include "data/weights.h"

struct shards {
    const char *path; /* of the list, '@' and all */
    const temper_read_options *options;
    temper_read_options each; /* what a file is read by: options for all rows left out */
    const struct schema *schema;
    temper_error *error;
    struct text text; /* of the list; its lines are cut into names */
    char **file;      /* as they are opened */
    size_t count;
};

/* ---- The list -------------------------------------------------------------------------------- */

/* The next name, cut out of the text, or NULL at its end. */
static char *next_name(char **at)
{
    while (**at) {
        char *line = *at + strspn(*at, " \t\r\n"), *end = line + strcspn(line, "\n");
        *at = *end ? end + 1 : end;
        while (end > line && strchr(" \t\r", end[-1]))
            end--;
        *end = '\0';
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

/* From where the list is, unless the name says where. */
static char *place(const struct shards *shards, const char *name)
{
    const char *list = shards->path + 1, *slash = strrchr(list, '/');
    size_t folder = slash && name[0] != '/' ? (size_t)(slash + 1 - list) : 0;
    size_t length = strlen(name) + 1;
    char *path = mem_alloc(folder + length, 1);
    if (path) {
        memcpy(path, list, folder);
        memcpy(path + folder, name, length);
    }
    return path;
}

static temper_status add_names(struct shards *shards)
{
    char *at = shards->text.bytes, *name;
    size_t most = 1;
    for (const char *c = at; *c; c++)
        most += *c == '\n';
    shards->file = (char **)mem_alloc(most, sizeof *shards->file);
    if (!shards->file)
        return error_no_memory(shards->error);
    while ((name = next_name(&at))) {
        if (name[0] == '@' || strcmp(name, "-") == 0)
            return error_set(shards->error, TEMPER_BAD_DATA, "%s: '%.64s' is not a file; name files, one per line",
                             place_text(shards->path).text, name);
        if (!(shards->file[shards->count] = place(shards, name)))
            return error_no_memory(shards->error);
        shards->count++;
    }
    return TEMPER_OK;
}

static temper_status read_list(struct shards *shards)
{
    temper_status status = comm_read_file(shards->options->comm, shards->path + 1, &shards->text, shards->error);
    if (status != TEMPER_OK)
        return status;
    if (shards->text.length && strlen(shards->text.bytes) == shards->text.length)
        status = add_names(shards);
    if (status == TEMPER_OK && shards->count == 0)
        status = error_set(shards->error, TEMPER_BAD_DATA, "%s: names no files; write a text with a file a line",
                           place_text(shards->path).text);
    return status;
}

/* What needs all rows at once, or a file for all of them, has no meaning for each file. */
static temper_status check_options(const struct shards *shards)
{
    const temper_read_options *options = shards->options;
    const char *option = options->labels ? "--labels" : options->memory ? "--memory" : NULL;
    if (options->missing && strcmp(options->missing, "mean") == 0)
        option = "--missing mean";
    if (!option)
        return TEMPER_OK;
    return error_set(shards->error, TEMPER_USAGE,
                     "%s is for one file, and %s names several; make one of them first: temper "
                     "convert %s all.tmpr",
                     option, place_text(shards->path).text, place_text(shards->path).text);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* libsvm: a file may lack the last columns of others. */
static void widen(struct dataset *const *set, size_t count)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < count; i++)
        columns = set[i]->x.columns > columns ? set[i]->x.columns : columns;
    for (size_t i = 0; i < count; i++)
        if (set[i]->x.kind == MATRIX_CSR && set[i]->features.count == 0)
            set[i]->x.columns = columns;
}

/* Neighbours two by two, until there is one: each row is copied a few times, not once a file. */
static temper_status join_all(const struct shards *shards, struct dataset **set, size_t count)
{
    for (; count > 1; count = (count + 1) / 2)
        for (size_t i = 0; i < count; i += 2) {
            struct dataset *whole = set[i];
            if (i + 1 < count) {
                temper_status status = dataset_concat(set[i], set[i + 1], &whole, shards->error);
                if (status != TEMPER_OK)
                    return status;
                dataset_free(set[i]);
                dataset_free(set[i + 1]);
            }
            set[i] = set[i + 1 < count ? i + 1 : i] = NULL;
            set[i / 2] = whole;
        }
    return TEMPER_OK;
}

/* Lines are those of one file, and so are left out. */
static temper_status rename_whole(const struct shards *shards, struct dataset *data)
{
    size_t length = strlen(shards->path) + 1;
    char *source = mem_alloc(length, 1);
    if (!source)
        return error_no_memory(shards->error);
    mem_free(data->file.path);
    data->file.path = memcpy(source, shards->path, length);
    dataset_free_array(data, data->line);
    data->line = NULL;
    return TEMPER_OK;
}

/* Files from .. to as one. */
static temper_status read_files(const struct shards *shards, size_t from, size_t to, struct dataset **out)
{
    size_t count = to - from;
    struct dataset **set = (struct dataset **)mem_zeroed(count, sizeof(struct dataset *));
    temper_status status = set ? TEMPER_OK : error_no_memory(shards->error);
    for (size_t i = 0; status == TEMPER_OK && i < count; i++)
        status = dataset_read_like(shards->file[from + i], &shards->each, shards->schema, &set[i], shards->error);
    if (status == TEMPER_OK) {
        widen(set, count);
        status = join_all(shards, set, count);
    }
    if (status == TEMPER_OK)
        status = rename_whole(shards, set[0]);
    for (size_t i = status == TEMPER_OK ? 1 : 0; set && i < count; i++)
        dataset_free(set[i]);
    if (status == TEMPER_OK)
        *out = set[0];
    mem_free((void *)set);
    return status;
}

/* ---- Several processes ----------------------------------------------------------------------- */

static temper_status check_alike(const struct shards *shards, const struct distributed_read *p)
{
    const struct told *first = &p->told[0];
    for (size_t r = 1; r < p->comm->size; r++) {
        const struct told *told = &p->told[r];
        const char *what = told->kind != first->kind           ? "keep their numbers in one way"
                           : told->features != first->features ? "have the same names of columns"
                           : told->kind != MATRIX_CSR && told->columns != first->columns
                               ? "have the same number of columns"
                           : told->labelled != first->labelled ? "all have labels, or none"
                                                               : NULL;
        if (what)
            return error_set(shards->error, TEMPER_BAD_DATA,
                             "%s: its files do not %s; give files of one format and the same "
                             "columns",
                             place_text(shards->path).text, what);
    }
    return TEMPER_OK;
}

/* Where others have weights, those that have none weigh 1. */
static temper_status even_weights(const struct distributed_read *p)
{
    struct dataset *data = p->data;
    bool weighted = false;
    for (size_t r = 0; r < p->comm->size; r++)
        weighted = weighted || p->told[r].weighted;
    if (!weighted || data->weight)
        return TEMPER_OK;
    data->weight = mem_alloc((size_t)data->x.rows, sizeof *data->weight);
    if (!data->weight)
        return error_no_memory(p->reader->error);
    for (size_t i = 0; i < data->x.rows; i++)
        data->weight[i] = 1;
    return TEMPER_OK;
}

static temper_status exchange(const struct shards *shards, struct distributed_read *p)
{
    bool too_many = false;
    temper_status status = distributed_read_start(p);
    if (status == TEMPER_OK)
        status = distributed_read_report(p, TEMPER_OK);
    if (status == TEMPER_OK)
        status = check_alike(shards, p);
    if (status == TEMPER_OK)
        status = comm_agree(p->comm, even_weights(p), shards->error);
    if (status == TEMPER_OK)
        status = distributed_read_agree(p, &too_many);
    if (status == TEMPER_OK && too_many)
        status = error_set(shards->error, TEMPER_BAD_DATA,
                           "the files have more than %d classes together; check their label "
                           "columns",
                           MOST_CLASSES);
    if (status == TEMPER_OK && p->data->label)
        status = dataset_sort_classes(p->data, shards->error);
    distributed_read_end(p);
    return comm_agree(p->comm, status, shards->error);
}

/* Each process its own files, then the rows of its parts. */
static temper_status read_shared(const struct shards *shards, struct dataset **out)
{
    const temper_comm *comm = shards->options->comm;
    size_t from = shards->count * comm->rank / comm->size;
    size_t to = shards->count * (comm->rank + 1) / comm->size;
    struct data_reader reader = {.path = shards->path, .options = shards->options, .error = shards->error};
    struct dataset *data = NULL;
    temper_status status = comm_agree(comm, read_files(shards, from, to, &data), shards->error);
    struct distributed_read p = {.reader = &reader, .comm = comm, .data = data};
    if (status == TEMPER_OK)
        status = exchange(shards, &p);
    if (status == TEMPER_OK)
        *out = data;
    else
        dataset_free(data);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* What the options ask of all rows, in the order of data/read.h. */
static temper_status complete(const struct shards *shards, struct dataset *data)
{
    const temper_read_options *options = shards->options;
    temper_status status = TEMPER_OK;
    if (options->classes)
        status = select_classes(data, options->classes, shards->error);
    if (status == TEMPER_OK && options->class_weight)
        status = weights_by_class(options->class_weight, data, shards->error);
    return status;
}

static temper_status read_rows(const struct shards *shards, struct dataset **out)
{
    const temper_read_options *options = shards->options;
    bool for_all_rows = options->classes || options->class_weight || shards->schema;
    if (!comm_alone(options->comm) && shards->count >= options->comm->size && !for_all_rows)
        return read_shared(shards, out);
    struct dataset *data = NULL;
    temper_status status = read_files(shards, 0, shards->count, &data);
    if (status == TEMPER_OK)
        status = complete(shards, data);
    status = comm_agree(options->comm, status, shards->error);
    if (status == TEMPER_OK)
        status = scatter_rows(data, options->comm, shards->error);
    if (status == TEMPER_OK)
        *out = data;
    else
        dataset_free(data);
    return status;
}

temper_status file_list_read(const char *path, const temper_read_options *options, const struct schema *schema,
                             struct dataset **out, temper_error *error)
{
    struct shards shards = {.path = path, .options = options, .each = *options, .schema = schema, .error = error};
    shards.each.comm = NULL;
    shards.each.classes = shards.each.class_weight = NULL;
    temper_status status = check_options(&shards);
    if (status == TEMPER_OK)
        status = read_list(&shards);
    if (status == TEMPER_OK)
        status = read_rows(&shards, out);
    for (size_t i = 0; i < shards.count; i++)
        mem_free(shards.file[i]);
    mem_free((void *)shards.file);
    text_free(&shards.text);
    return status;
}
