/* file_join: reads files one after another, without the headers of the later ones. */
#include "data/read/file_join.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/csv/csv_describe.h"
#include "data/quote_text.h"
#include "data/read/file_names.h"
#include "data/read/format.h"
#include "data/read/line_reader.h"
#include "data/schema.h"

enum { PEEK = 16384 };

struct file_join {
    char *path; /* that stands for the files */
    struct names files;
    temper_read_options options;
    size_t skipped; /* lines of each file before its rows that are not blank: of the header, and before it */
    char *header;   /* the last of them; NULL: there is none */
};

/* ---- The first file ---------------------------------------------------------------------------- */

void file_join_free(struct file_join *join)
{
    if (!join)
        return;
    names_free(&join->files);
    mem_free(join->path);
    mem_free(join->header);
    mem_free(join);
}

bool file_join_has_header(const struct file_join *join)
{
    return join->header != NULL;
}

const temper_read_options *file_join_options(const struct file_join *join)
{
    return &join->options;
}

/* Whether a line has nothing but blanks. */
static bool is_blank(const char *line, size_t length)
{
    line_trim(line, &length);
    return length == 0;
}

/* Removes empty files, which have neither rows nor a header: other programs write them as marks. */
static temper_status drop_empty(struct file_join *join, temper_error *error)
{
    struct names *files = &join->files;
    size_t kept = 0;
    temper_status status = TEMPER_OK;
    for (size_t i = 0; i < files->count; i++) {
        struct source *source;
        const unsigned char *bytes;
        size_t length = 1;
        if (status == TEMPER_OK)
            status = source_open(files->name[i], &source, error);
        if (status == TEMPER_OK) {
            status = source_peek(source, 1, &bytes, &length, error);
            source_close(source);
        }
        if (length > 0)
            files->name[kept++] = files->name[i];
        else
            mem_free(files->name[i]);
    }
    files->count = kept;
    if (status == TEMPER_OK && kept == 0)
        status = error_set(error, TEMPER_BAD_DATA, "%s: all of its files are empty; give some with rows",
                           place_text(join->path).text);
    return status;
}

/* The format of a file, by the option, its content or its name; NULL: none is known. */
static temper_status find_format(const char *path, const temper_read_options *options, const struct format **out,
                                 temper_error *error)
{
    struct source *source;
    const unsigned char *bytes;
    size_t length;
    *out = options->format ? format_named(options->format) : NULL;
    if (*out)
        return TEMPER_OK;
    TRY(source_open(path, &source, error));
    temper_status status = source_peek(source, PEEK, &bytes, &length, error);
    if (status == TEMPER_OK && !unsupported_file(bytes, length, false))
        *out = format_of_content(bytes, length);
    bool text = status == TEMPER_OK && !bytes_are_binary(bytes, length);
    source_close(source);
    if (status == TEMPER_OK && !*out)
        *out = format_of_path(path);
    if (status == TEMPER_OK && !*out && text)
        *out = format_named("csv");
    return status;
}

/* A copy of line `number` of those of a file that are not blank, from 1; NULL if it has fewer. */
static temper_status copy_line(const char *path, size_t number, char **out, temper_error *error)
{
    struct lines lines;
    const char *line = "";
    size_t length = 0, seen = 0;
    *out = NULL;
    TRY(lines_open(path, &lines, error));
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && line && seen < number) {
        status = lines_next(&lines, &line, &length, error);
        seen += status == TEMPER_OK && line && !is_blank(line, length);
    }
    if (status == TEMPER_OK && line) {
        *out = mem_alloc(length + 1, 1);
        status = *out ? TEMPER_OK : error_no_memory(error);
    }
    if (*out) {
        memcpy(*out, line, length);
        (*out)[length] = '\0';
    }
    lines_close(&lines);
    return status;
}

/* Whether all files begin with the same line: then that is a header, even if the first file alone does not show it. */
static temper_status find_common_line(struct file_join *join, temper_error *error)
{
    char *first, *other;
    bool same = join->files.count > 1;
    TRY(copy_line(join->files.name[0], 1, &first, error));
    temper_status status = TEMPER_OK;
    for (size_t i = 1; status == TEMPER_OK && same && i < join->files.count; i++) {
        status = copy_line(join->files.name[i], 1, &other, error);
        same = status == TEMPER_OK && first && other && strcmp(first, other) == 0;
        mem_free(other);
    }
    if (status == TEMPER_OK && same) {
        join->header = first;
        join->skipped = 1;
    } else {
        mem_free(first);
    }
    return status;
}

/* Finds how many lines of the first file precede its rows, as the reader of tables will. */
static temper_status find_header(struct file_join *join, temper_error *error)
{
    temper_table *table;
    struct dataset *notes = mem_zeroed(1, sizeof *notes);
    struct data_reader reader = {.path = join->files.name[0], .options = &join->options, .error = error};
    temper_status status = notes ? data_reader_open(&reader, notes) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = csv_describe(&reader, &table);
    data_reader_close(&reader);
    dataset_free(notes);
    if (status != TEMPER_OK)
        return status;
    join->skipped = table->header == 1 ? table->skipped + 1 : 0;
    csv_description_free(table);
    if (join->skipped > 0)
        return copy_line(join->files.name[0], join->skipped, &join->header, error);
    bool none = join->options.header && strcmp(join->options.header, "no") == 0;
    return none ? TEMPER_OK : find_common_line(join, error);
}

/* ---- Making ------------------------------------------------------------------------------------ */

/* *table: the first file is one. */
static temper_status fill_join(struct file_join *join, const temper_read_options *options, bool *table,
                               temper_error *error)
{
    const struct format *format;
    TRY(file_names_find(join->path, options->comm, &join->files, error));
    TRY(drop_empty(join, error));
    TRY(find_format(join->files.name[0], options, &format, error));
    *table = format && format_is_table(format);
    if (!*table)
        return TEMPER_OK;
    join->options = *options;
    join->options.format = format->name;
    return format->read == read_csv ? find_header(join, error) : TEMPER_OK;
}

temper_status file_join_find(const char *path, const temper_read_options *options, struct file_join **out,
                             temper_error *error)
{
    bool table = false;
    *out = NULL;
    if (!options->automatic || !comm_alone(options->comm) || options->labels)
        return TEMPER_OK;
    struct file_join *join = mem_zeroed(1, sizeof *join);
    temper_status status = join && copy_string(path, &join->path) ? TEMPER_OK : error_no_memory(error);
    if (status == TEMPER_OK)
        status = fill_join(join, options, &table, error);
    if (status == TEMPER_OK && table)
        *out = join;
    else
        file_join_free(join);
    return status;
}

/* ---- Reading ----------------------------------------------------------------------------------- */

/* Where reading is. */
struct join_position {
    const struct file_join *join;
    size_t file; /* the next one to be opened */
    struct lines lines;
    bool open;
    char *line; /* the present line, with its end */
    size_t length, taken, capacity;
};

static void close_file(struct join_position *at)
{
    if (at->open)
        lines_close(&at->lines);
    at->open = false;
}

static void free_position(void *context)
{
    struct join_position *at = context;
    close_file(at);
    mem_free(at->line);
    mem_free(at);
}

/* Passes over the lines before the rows of a later file. */
static temper_status skip_header(struct join_position *at, temper_error *error)
{
    const struct file_join *join = at->join;
    const char *line = "", *path = join->files.name[at->file];
    size_t length = 0;
    for (size_t seen = 0; line && seen < join->skipped;) {
        TRY(lines_next(&at->lines, &line, &length, error));
        seen += line && !is_blank(line, length);
    }
    if (!join->header || !line) /* an empty part has no rows */
        return TEMPER_OK;
    if (length == strlen(join->header) && memcmp(line, join->header, length) == 0)
        return TEMPER_OK;
    return error_at(error, TEMPER_BAD_DATA, at->lines.number, 0,
                    "%s:%zu: the header is not that of %s; give files with the same columns, in the same order",
                    place_text(path).text, at->lines.number, place_text(join->files.name[0]).text);
}

/* Opens the next file. */
static temper_status open_file(struct join_position *at, temper_error *error)
{
    TRY(lines_open(at->join->files.name[at->file], &at->lines, error));
    at->open = true;
    temper_status status = at->file > 0 ? skip_header(at, error) : TEMPER_OK;
    at->file++;
    return status;
}

/* Copies a line, with a newline. */
static temper_status keep_line(struct join_position *at, const char *line, size_t length, temper_error *error)
{
    if (length + 1 > at->capacity) {
        char *grown = mem_resize(at->line, length + 1, 1);
        if (!grown)
            return error_no_memory(error);
        at->line = grown;
        at->capacity = length + 1;
    }
    memcpy(at->line, line, length);
    at->line[length] = '\n';
    at->length = length + 1;
    at->taken = 0;
    return TEMPER_OK;
}

/* The next line of any file; at->length 0 after the last. */
static temper_status next_line(struct join_position *at, temper_error *error)
{
    const char *line = NULL;
    size_t length = 0;
    at->length = at->taken = 0;
    while (!line) {
        if (!at->open && at->file == at->join->files.count)
            return TEMPER_OK;
        if (!at->open)
            TRY(open_file(at, error));
        TRY(lines_next(&at->lines, &line, &length, error));
        if (!line)
            close_file(at);
    }
    return keep_line(at, line, length, error);
}

/* source_maker.fill. */
static temper_status fill(void *context, void *bytes, size_t size, size_t *got, temper_error *error)
{
    struct join_position *at = context;
    size_t done = 0;
    while (done < size) {
        if (at->taken == at->length)
            TRY(next_line(at, error));
        if (at->length == 0)
            break;
        size_t left = at->length - at->taken, count = left < size - done ? left : size - done;
        memcpy((char *)bytes + done, at->line + at->taken, count);
        at->taken += count;
        done += count;
    }
    *got = done;
    return TEMPER_OK;
}

temper_status file_join_open(const struct file_join *join, struct source **out, temper_error *error)
{
    struct join_position *at = mem_zeroed(1, sizeof *at);
    if (!at)
        return error_no_memory(error);
    at->join = join;
    const struct source_maker maker = {at, fill, free_position};
    return source_made(join->path, &maker, out, error);
}

void file_join_place(const struct file_join *join, const char **path, uint64_t *line)
{
    struct join_position at = {.join = join};
    temper_error ignored;
    uint64_t number = 0;
    while (number < *line && next_line(&at, &ignored) == TEMPER_OK && at.length > 0)
        number++;
    if (number == *line && at.open) {
        *path = join->files.name[at.file - 1];
        *line = at.lines.number;
    }
    close_file(&at);
    mem_free(at.line);
}
