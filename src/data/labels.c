/* labels: reads labels, one for each row, from a text, IDX or NPY file.
 *
 * The text of a label is its class name; numbers of IDX and NPY arrays become their shortest decimals, so that "3" is
 * the same class in every format. Without an option, labels are looked for beside the data, under names that the
 * writers use; a file that is found by its name is mentioned in a note. The number of labels is compared with that of
 * the rows at the end, so that the message has both. */
#include "data/labels.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/path.h"
#include "base/text.h"
#include "base/thread.h"
#include "data/quote_text.h"
#include "data/read/format.h"
#include "data/read/line_reader.h"

enum {
    PEEK = 512,           /* bytes from which the format is inferred */
    FIRST_LABELS = 4096,  /* numbers whose classes are known before others are looked up on several threads */
    LABEL_BLOCK = 1 << 15 /* numbers that a thread looks up at a time */
};

/* Labels being read, and their classes; both are moved to the dataset when all have been read. */
struct labelling {
    const char *path;
    struct dataset *data;
    temper_error *error;
    uint32_t *label;
    uint64_t count;
    struct classes classes;
    size_t threads;
    bool found; /* by their name, without an option */
};

/* The number of labels differs from that of rows. Labels that were found by their name, without an option, can be
 * declined. */
static temper_status wrong_count(const struct labelling *labelling, uint64_t count)
{
    return error_set(labelling->error, TEMPER_BAD_DATA, "%s: %s label%s for %s row%s; give one label for each row%s",
                     place_text(labelling->path).text, count_shown(count).text, plural(count),
                     count_shown(labelling->data->x.rows).text, plural(labelling->data->x.rows),
                     labelling->found ? ", or pass --label none" : "");
}

/* Appends one class. */
static temper_status add_class(struct labelling *labelling, uint32_t class)
{
    if (class == CLASSES_NO_MEMORY)
        return error_no_memory(labelling->error);
    if (class == CLASSES_FULL)
        return error_set(labelling->error, TEMPER_BAD_DATA,
                         "%s: more than %s different labels; give a file of classes, one a line",
                         place_text(labelling->path).text, count_shown(MOST_CLASSES).text);
    labelling->label[labelling->count++] = class;
    return TEMPER_OK;
}

/* Appends one label; a surplus one is refused at once, since `label` has room for one label a row. */
static temper_status add(struct labelling *labelling, const char *from, size_t length)
{
    /* Refused before it is stored: the array is full. */
    if (labelling->count == labelling->data->x.rows)
        return wrong_count(labelling, labelling->count + 1);
    /* Known labels cost one lookup. */
    return add_class(labelling, classes_add(&labelling->classes, from, length));
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* One line without surrounding blanks. Empty lines are refused, and so are nan and 1e400: they parse as numbers, but
 * have no finite value to be sorted by. */
static temper_status add_line(struct labelling *labelling, const char *line, size_t length, size_t number)
{
    double ignored;
    const char *from = line_trim(line, &length), *to = from + length;
    /* A number that is finite, or text. */
    enum number_result result = number_f64(from, to, &ignored);
    if (length == 0 || result == NUMBER_NOT_FINITE || result == NUMBER_OVERFLOW)
        return error_at(labelling->error, TEMPER_BAD_DATA, number, 1,
                        "%s:%zu:1: '%s' is no label; write one label a line", place_text(labelling->path).text, number,
                        token_text(from, to).text);
    return add(labelling, from, length);
}

/* A text file with one label a line; the source is closed with the lines. */
static temper_status read_text(struct labelling *labelling, struct source *source)
{
    struct lines lines;
    const char *line;
    size_t length;
    /* The lines take over the source. */
    temper_status status = lines_from(source, labelling->path, &lines, labelling->error);
    if (status != TEMPER_OK)
        return status;
    while ((status = lines_next(&lines, &line, &length, labelling->error)) == TEMPER_OK && line)
        if ((status = add_line(labelling, line, length, lines.number)) != TEMPER_OK)
            break;
    lines_close(&lines);
    return status;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Numbers of an array that are looked up by several threads. The classes of the first rows are known before; what a
 * thread does not find there is left to the caller, which adds classes in the order of the rows. */
struct number_lookup {
    struct labelling *labelling;
    const struct matrix *column;
    const struct number_classes *seen;
    uint64_t from, to; /* rows */
    bool *incomplete;  /* of each block: some of its labels are CLASSES_NONE */
};

/* The number of a row of an array with one column. */
static double column_number(const struct matrix *column, uint64_t row)
{
    return column->kind == MATRIX_F32   ? (double)((const float *)column->dense)[row]
           : column->kind == MATRIX_F64 ? ((const double *)column->dense)[row]
                                        : ((const uint8_t *)column->dense)[row];
}

/* Callback of parallel_blocks. */
static temper_status look_up_block(void *context, size_t block, size_t worker)
{
    const struct number_lookup *lookup = context;
    uint64_t from = lookup->from + block * LABEL_BLOCK, left = lookup->to - from;
    uint64_t to = left < LABEL_BLOCK ? lookup->to : from + LABEL_BLOCK;
    uint32_t *label = lookup->labelling->label;
    bool incomplete = false;
    (void)worker;
    for (uint64_t i = from; i < to; i++) {
        label[i] = classes_seen_number(lookup->seen, column_number(lookup->column, i));
        incomplete |= label[i] == CLASSES_NONE;
    }
    lookup->incomplete[block] = incomplete;
    return TEMPER_OK;
}

/* Appends the labels of rows [from, to), those of incomplete blocks one by one. */
static temper_status add_looked_up(const struct number_lookup *lookup, struct number_classes *seen)
{
    struct labelling *labelling = lookup->labelling;
    for (uint64_t i = lookup->from; i < lookup->to; i++) {
        if (!lookup->incomplete[(i - lookup->from) / LABEL_BLOCK]) {
            uint64_t left = lookup->to - i;
            i += (left < LABEL_BLOCK ? left : LABEL_BLOCK) - 1; /* the whole block */
            labelling->count = i + 1;
        } else if (labelling->label[i] != CLASSES_NONE) {
            labelling->count++;
        } else {
            double value = column_number(lookup->column, i);
            TRY(add_class(labelling, classes_add_number(&labelling->classes, seen, value)));
        }
    }
    return TEMPER_OK;
}

/* Rows from lookup->from on, on all threads. */
static temper_status look_up_rows(struct number_lookup *lookup, struct number_classes *seen)
{
    uint64_t rows = lookup->to - lookup->from;
    size_t blocks = (size_t)((rows + LABEL_BLOCK - 1) / LABEL_BLOCK);
    temper_error *error = lookup->labelling->error;
    if (rows == 0)
        return TEMPER_OK;
    lookup->incomplete = mem_alloc(blocks, sizeof *lookup->incomplete);
    if (!lookup->incomplete)
        return error_no_memory(error);
    size_t threads = lookup->labelling->threads;
    if (threads == 0 && blocks > 1)
        threads = thread_count_default();
    temper_status status = parallel_blocks(blocks, threads_worth(threads, (double)rows), look_up_block, lookup);
    status = status == TEMPER_OK ? add_looked_up(lookup, seen) : error_no_memory(error);
    mem_free(lookup->incomplete);
    return status;
}

/* Labels that are numbers of an array: class names are their shortest decimals, as in a text file. A surplus label is
 * refused after the others. */
static temper_status add_column(struct labelling *labelling, const struct matrix *column)
{
    uint64_t rows = labelling->data->x.rows;
    temper_status status = TEMPER_OK;
    /* Several numbers a row could be features or one-hot codes. */
    if (column->columns != 1)
        return error_set(labelling->error, TEMPER_BAD_DATA, "%s: %llu numbers a row; give labels as one number a row",
                         place_text(labelling->path).text, (unsigned long long)column->columns);
    struct number_classes *seen = mem_zeroed(1, sizeof *seen);
    if (!seen)
        return error_no_memory(labelling->error);
    struct number_lookup lookup = {.labelling = labelling, .column = column, .seen = seen};
    lookup.to = column->rows < rows ? column->rows : rows;
    for (; status == TEMPER_OK && lookup.from < lookup.to && lookup.from < FIRST_LABELS; lookup.from++)
        status =
            add_class(labelling, classes_add_number(&labelling->classes, seen, column_number(column, lookup.from)));
    if (status == TEMPER_OK)
        status = look_up_rows(&lookup, seen);
    if (status == TEMPER_OK && column->rows > rows)
        status = wrong_count(labelling, rows + 1);
    mem_free(seen);
    return status;
}

/* An IDX or NPY file, by its ordinary reader as data of one column without labels. Takes over the source. */
static temper_status read_numbers(struct labelling *labelling, const struct format *format, struct source *source)
{
    /* Otherwise the reader would look for labels beside the labels. */
    const temper_read_options options = {.labels = "",
                                         .threads = labelling->threads}; /* a file of labels has no labels itself */
    struct dataset *column = mem_zeroed(1, sizeof *column);
    struct data_reader reader = {
        .path = labelling->path, .source = source, .options = &options, .error = labelling->error};
    if (!column) {
        source_close(source);
        return error_no_memory(labelling->error);
    }
    /* The ordinary reader of the format, with its checks and messages. */
    temper_status status = format->read(&reader, column);
    if (status == TEMPER_OK)
        status = add_column(labelling, &column->x);
    dataset_free(column);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Opens the file and infers its format from the content; anything that is neither IDX nor NPY nor a known foreign
 * format is text. */
static temper_status read_file(struct labelling *labelling)
{
    struct source *source;
    const unsigned char *bytes;
    size_t length;
    TRY(source_open(labelling->path, &source, labelling->error));
    temper_status status = source_peek(source, PEEK, &bytes, &length, labelling->error);
    if (status != TEMPER_OK) {
        source_close(source);
        return status;
    }
    /* Images, archives and the like, with a message that names them. */
    const char *foreign = unsupported_file(bytes, length, true);
    if (foreign) {
        source_close(source);
        return error_set(labelling->error, TEMPER_BAD_DATA, "%s: this is %s", place_text(labelling->path).text,
                         foreign);
    }
    /* By content, since a file of labels may have any name. */
    const struct format *format = format_of_content(bytes, length);
    if (format && (format == format_named("idx") || format == format_named("npy")))
        return read_numbers(labelling, format, source);
    return read_text(labelling, source);
}

/* Moves the labels to the dataset if their number is right, in place of those that the data file had. */
static temper_status finish(struct labelling *labelling)
{
    struct dataset *data = labelling->data;
    /* Too many were refused by add(), so these are too few. */
    if (labelling->count != data->x.rows)
        return wrong_count(labelling, labelling->count);
    /* The old labels may be in a mapped file. */
    dataset_free_array(data, data->label);
    classes_free(&data->classes);
    data->label = labelling->label;
    data->classes = labelling->classes;
    labelling->label = NULL;
    labelling->classes = (struct classes){0};
    return TEMPER_OK;
}

/* Reads the file; on failure the dataset is unchanged. */
static temper_status read_labels(struct labelling *labelling)
{
    /* One label for each row, no more. */
    labelling->label = mem_alloc((size_t)labelling->data->x.rows, sizeof *labelling->label);
    if (!labelling->label)
        return error_no_memory(labelling->error);
    temper_status status = read_file(labelling);
    if (status == TEMPER_OK)
        /* finish() takes the arrays; what it leaves is freed here. */
        status = finish(labelling);
    mem_free(labelling->label);
    classes_free(&labelling->classes);
    return status;
}

/* The labels of --labels PATH. */
temper_status labels_read(const char *path, size_t threads, struct dataset *data, temper_error *error)
{
    struct labelling labelling = {.path = path, .data = data, .error = error, .threads = threads};
    return read_labels(&labelling);
}

/* ---- Beside the data ------------------------------------------------------------------------- */

/* PATH.labels with an ending such as ".gz", in memory that the caller frees; NULL without memory. */
char *labels_path_beside(const char *path, const char *ending)
{
    struct text name = {0};
    text_append(&name, path);
    text_append(&name, ".labels");
    text_append(&name, ending);
    if (!name.failed)
        return name.bytes;
    text_free(&name);
    return NULL;
}

/* Only regular files are found by their name: opening a pipe would block. */
static bool is_file(const char *path)
{
    struct stat about;
    /* A directory or a pipe of that name is no file of labels. */
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Reads a file that was found; a note says where the labels come from, since no option named it. */
static temper_status take_beside(const char *path, size_t threads, struct dataset *data, temper_error *error)
{
    struct labelling labelling = {.path = path, .data = data, .error = error, .threads = threads, .found = true};
    temper_status status = read_labels(&labelling);
    if (status == TEMPER_OK)
        dataset_note(data, "labels: from %s, beside the data", place_text(path).text);
    return status;
}

/* Looks for labels beside the data: PATH.labels first, then without the .gz or .zst of the data, with each ending. The
 * first file that exists is read. */
temper_status labels_find(const char *path, size_t threads, struct dataset *data, temper_error *error)
{
    static const char *const endings[] = {"", ".gz", ".zst"};
    /* Without .gz or .zst. */
    size_t bare_length = path_bare_length(path), size = strlen(path) + 1;
    temper_status status = TEMPER_OK;
    char *bare = mem_alloc(size, 1);
    if (!bare)
        return error_no_memory(error);
    /* Four names: PATH.labels, then the three endings behind the bare name. */
    for (size_t i = 0; i < 4 && status == TEMPER_OK && !data->label; i++) {
        memcpy(bare, path, size);
        bare[i > 0 ? bare_length : size - 1] = '\0';
        char *name = labels_path_beside(bare, i > 0 ? endings[i - 1] : "");
        if (!name)
            status = error_no_memory(error);
        else if (is_file(name))
            status = take_beside(name, threads, data, error);
        mem_free(name);
    }
    mem_free(bare);
    return status;
}
