/* corrections: applies the decisions that a person has made on a review page, a table with the columns row, line,
 * given, decision and label, to the labels of the data, and writes the result.
 *
 * Every line is checked against the data before anything is written: a decision is about one row with one label, and a
 * file that has changed since would get the labels of other rows. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/source.h"
#include "base/text.h"
#include "data/csv/csv.h"
#include "data/quote_text.h"
#include "data/read/text_chunks.h"
#include "data/subset.h"
#include "data/write/text_edit.h"
#include "data/write/write.h"

/* The columns, in any order; others are ignored. The line is optional, as formats without lines have none. */
enum correction_column { CORRECTION_ROW, CORRECTION_LINE, CORRECTION_GIVEN, CORRECTION_DECISION, CORRECTION_LABEL };
enum { CORRECTION_COLUMNS = CORRECTION_LABEL + 1 };
static const char *const column_names[CORRECTION_COLUMNS] = {"row", "line", "given", "decision", "label"};

enum correction_decision { DECISION_RIGHT, DECISION_WRONG, DECISION_UNSURE, DECISION_OTHER, DECISIONS };
static const char *const decision_names[DECISIONS] = {"right", "wrong", "unsure", "other"};

/* A file of corrections in progress. */
struct corrections {
    const struct dataset *data;
    const char *path;
    temper_error *error;
    bool any_class; /* the result is a copy of a text, in which a label may be new */
    struct text text;
    const char *end;
    struct csv_column_plan plan; /* for messages: path and number of columns */
    struct csv_format format;
    size_t column[CORRECTION_COLUMNS]; /* of the table; SIZE_MAX: it is not there */
    struct csv_line line;
    size_t number;                  /* of the line of the file on which the current row begins, from 1 */
    struct classes classes;         /* those of the data, then new ones */
    uint32_t *label;                /* of each row of the data: the decided one, or as it was */
    size_t *decided;                /* of each row of the data: the line of its decision, 0: none */
    char *cell[CORRECTION_COLUMNS]; /* texts of the current row, without quotes, in: */
    char *words;
    temper_corrections summary;
};

/* ---- Messages -------------------------------------------------------------------------------- */

/* An error at a cell of the current row: FILE:LINE:COLUMN. Cells with newlines may be before it. */
__attribute__((format(printf, 3, 4))) static temper_status
refuse(const struct corrections *c, enum correction_column column, const char *format, ...)
{
    char words[320];
    size_t line = c->number, index = c->column[column];
    const char *start = c->line.from, *at = start;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (index < c->line.count)
        at = c->line.cell[index].from - c->line.cell[index].quoted;
    for (const char *p = c->line.from; p < at; p++)
        if (*p == '\n') {
            line++;
            start = p + 1;
        }
    size_t place = (size_t)(at - start) + 1;
    return error_at(c->error, TEMPER_BAD_DATA, line, place, "%s:%zu:%zu: %s", place_text(c->path).text, line, place,
                    words);
}

/* A text for a message, shortened. */
static struct token_text shown(const char *text)
{
    return token_text(text, text + strlen(text));
}

/* The file is not a table: a quote that is not closed, another number of cells. */
static temper_status refuse_line(const struct corrections *c, enum csv_error_kind kind)
{
    struct csv_error found = {.kind = kind, .line = c->number, .count = c->line.count};
    if (kind == CSV_MEMORY)
        return error_no_memory(c->error);
    if (kind != CSV_FIELDS && c->line.next)
        found.column = (size_t)(c->line.next - c->line.from) + 1;
    return csv_error_report(&c->plan, &found, 0, c->error);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* Splits the next row, which begins at *at, and moves *at behind it. */
static temper_status next_line(struct corrections *c, const char **at)
{
    csv_line_free(&c->line);
    enum csv_error_kind kind = csv_line_read(&c->format, *at, c->end, &c->line);
    if (kind == CSV_FINE && c->plan.columns && c->line.count != c->plan.columns)
        kind = CSV_FIELDS;
    if (kind != CSV_FINE)
        return refuse_line(c, kind);
    *at = c->line.next;
    return TEMPER_OK;
}

/* Finds the columns by their names. */
static temper_status read_header(struct corrections *c, const char **at)
{
    c->number = 1;
    TRY(next_line(c, at));
    c->plan.columns = c->line.count;
    for (size_t i = 0; i < CORRECTION_COLUMNS; i++) {
        c->column[i] = SIZE_MAX;
        for (size_t j = 0; j < c->line.count; j++)
            if (csv_cell_is(&c->line.cell[j], column_names[i], strlen(column_names[i])))
                c->column[i] = j;
        if (c->column[i] == SIZE_MAX && i != CORRECTION_LINE)
            return refuse(c, (enum correction_column)i,
                          "there is no column '%s'; the first line has to be row,line,given,decision,label",
                          column_names[i]);
    }
    return TEMPER_OK;
}

/* The text of a cell without the apostrophe that keeps a spreadsheet from running it: cli/json_csv.c and review.js put
 * it before a formula with a call, a remote reference or a sheet. */
static char *without_apostrophe(char *text)
{
    bool formula = text[0] == '\'' && text[1] && strchr("=+-@\t\r", text[1]) && strpbrk(text, "(|!");
    return text + formula;
}

/* Points c->cell to the texts of the current row; a missing column is an empty text. The words of all cells are at most
 * as long as the row, and each gets a zero byte. */
static temper_status unquote_cells(struct corrections *c)
{
    size_t length = (size_t)(c->line.next - c->line.from) + CORRECTION_COLUMNS;
    char *words = mem_resize(c->words, length, 1);
    if (!words)
        return error_no_memory(c->error);
    c->words = words;
    for (size_t i = 0; i < CORRECTION_COLUMNS; i++) {
        c->cell[i] = words;
        if (c->column[i] != SIZE_MAX)
            words += csv_unquote(&c->line.cell[c->column[i]], words);
        *words++ = '\0';
        c->cell[i] = without_apostrophe(c->cell[i]);
    }
    return TEMPER_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The number of a row as the file counts it, from 1. */
static uint64_t file_row(const struct dataset *data, size_t row)
{
    return (data->origin ? data->origin[row] : row) + 1;
}

/* The first row whose line, or number in the file, is not below `wanted`; both ascend. */
static size_t lower_bound(const struct dataset *data, bool lines, uint64_t wanted)
{
    size_t from = 0, to = (size_t)data->x.rows;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if ((lines ? data->line[middle] : file_row(data, middle)) < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* A cell as a whole number; an empty one is 0. */
static temper_status read_count(const struct corrections *c, enum correction_column column, unsigned long long *out)
{
    const char *text = c->cell[column];
    *out = 0;
    if (*text == '\0' || number_u64(text, text + strlen(text), out))
        return TEMPER_OK;
    return refuse(c, column, "the %s '%s' is not a whole number; correct it", column_names[column], shown(text).text);
}

/* Sets *row to the row of the data that the current line is about: by the line of the file where there is one, else by
 * its number. Where both are given they have to agree. */
static temper_status find_row(const struct corrections *c, size_t *row)
{
    const struct dataset *data = c->data;
    unsigned long long number, line;
    struct place_text place = place_text(data->file.path ? data->file.path : "the data");
    TRY(read_count(c, CORRECTION_ROW, &number));
    TRY(read_count(c, CORRECTION_LINE, &line));
    bool by_line = line && data->line;
    if (!by_line && number == 0)
        return refuse(c, CORRECTION_ROW, "there is no row number; rows are counted from 1");
    size_t found = lower_bound(data, by_line, by_line ? line : number);
    bool exists =
        found < data->x.rows && (by_line ? data->line[found] : file_row(data, found)) == (by_line ? line : number);
    if (!exists)
        return by_line ? refuse(c, CORRECTION_LINE,
                                "no row begins on line %llu of %s; apply the corrections to the "
                                "file that was audited, read with the same options",
                                line, place.text)
                       : refuse(c, CORRECTION_ROW,
                                "%s has no row %llu; apply the corrections to the file that was "
                                "audited, read with the same options",
                                place.text, number);
    if (number && number != file_row(data, found))
        return refuse(c, CORRECTION_ROW,
                      "line %llu of %s is row %llu, not row %llu; apply the corrections to the file "
                      "that was audited, read with the same options",
                      line, place.text, (unsigned long long)file_row(data, found), number);
    *row = found;
    return TEMPER_OK;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* Whether a text file of the data's format can have this label, so that it is read back as it is. */
static bool is_expressible(const struct dataset *data, const char *label)
{
    size_t length = strlen(label);
    struct csv_cell cell = {.from = label, .to = label + length};
    double number;
    if (csv_is_missing(&cell) || number_f64(label, label + length, &number) == NUMBER_NOT_FINITE)
        return false;
    return strcmp(data->file.format, "libsvm") != 0 || label[strcspn(label, " \t\r\v\f\n#:")] == '\0';
}

/* Sets *class to the decided class, which is added if the result can have a new one. */
static temper_status find_class(struct corrections *c, const char *label, uint32_t *class)
{
    *class = classes_find(&c->classes, label, strlen(label));
    if (*class != CLASSES_NONE)
        return TEMPER_OK;
    if (!c->any_class)
        return refuse(c, CORRECTION_LABEL,
                      "the data has no class '%s'; a new class is possible only in a copy of a CSV or libsvm text: "
                      "give one of %s",
                      shown(label).text, class_names_text(&c->data->classes).text);
    if (!is_expressible(c->data, label))
        return refuse(c, CORRECTION_LABEL,
                      "the label '%s' cannot be written as %s: it would be read as something "
                      "else; give another",
                      shown(label).text, c->data->file.format);
    *class = classes_add(&c->classes, label, strlen(label));
    if (*class == CLASSES_FULL)
        return refuse(c, CORRECTION_LABEL, "there are more than %s classes", count_shown(MOST_CLASSES).text);
    return *class == CLASSES_NO_MEMORY ? error_no_memory(c->error) : TEMPER_OK;
}

/* The number of the decision in the current row. */
static temper_status read_decision(const struct corrections *c, enum correction_decision *out)
{
    for (size_t i = 0; i < DECISIONS; i++)
        if (strcmp(c->cell[CORRECTION_DECISION], decision_names[i]) == 0) {
            *out = (enum correction_decision)i;
            return TEMPER_OK;
        }
    return refuse(c, CORRECTION_DECISION, "unknown decision '%s'; give right, wrong, unsure or other",
                  shown(c->cell[CORRECTION_DECISION]).text);
}

/* The decision about a row with the class `given`. A label that contradicts the decision is refused: one of the two is
 * a mistake. */
static temper_status take_decision(struct corrections *c, size_t row, uint32_t given)
{
    const char *label = c->cell[CORRECTION_LABEL];
    enum correction_decision decision = DECISION_UNSURE;
    TRY(read_decision(c, &decision));
    bool same = classes_find(&c->classes, label, strlen(label)) == given;
    c->summary.right += decision == DECISION_RIGHT;
    c->summary.unsure += decision == DECISION_UNSURE;
    if (decision == DECISION_RIGHT || decision == DECISION_UNSURE) {
        if (*label == '\0' || same)
            return TEMPER_OK;
        return refuse(c, CORRECTION_LABEL,
                      "the decision is '%s', and yet there is another label, '%s'; empty it, or "
                      "decide wrong or other",
                      decision_names[decision], shown(label).text);
    }
    if (*label == '\0')
        return refuse(c, CORRECTION_LABEL, "the decision is '%s', and there is no label; give one, or decide unsure",
                      decision_names[decision]);
    if (same)
        return refuse(c, CORRECTION_LABEL,
                      "the decision is '%s', and the label is the given one, '%s'; give another, "
                      "or decide right",
                      decision_names[decision], shown(label).text);
    c->summary.changed++;
    return find_class(c, label, &c->label[row]);
}

/* Checks one row of the table and keeps its decision. */
static temper_status read_row(struct corrections *c)
{
    size_t row = 0;
    TRY(unquote_cells(c));
    TRY(find_row(c, &row));
    const char *given = c->cell[CORRECTION_GIVEN];
    uint32_t label = c->data->label[row];
    if (classes_find(&c->data->classes, given, strlen(given)) != label)
        return refuse(c, CORRECTION_GIVEN,
                      "the given label is '%s' here and '%s' in the data; apply the corrections "
                      "to the file that was audited",
                      shown(given).text, shown(c->data->classes.name[label]).text);
    if (c->decided[row])
        return refuse(c, CORRECTION_ROW, "the row has a decision on line %zu already; remove one of them",
                      c->decided[row]);
    c->decided[row] = c->number;
    c->summary.rows++;
    return take_decision(c, row, label);
}

/* Reads all rows; blank lines are skipped. */
static temper_status read_rows(struct corrections *c)
{
    const char *at = c->text.bytes;
    if (c->text.length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    csv_format_set(&c->format, csv_find_separator(at, c->end));
    TRY(read_header(c, &at));
    uint64_t lines = count_lines(c->text.bytes, (size_t)(at - c->text.bytes));
    for (;;) {
        at = csv_skip_blank_lines(&c->format, at, c->end, &lines);
        if (at == c->end)
            return TEMPER_OK;
        c->number = (size_t)lines + 1;
        TRY(next_line(c, &at));
        TRY(read_row(c));
        lines += count_lines(c->line.from, (size_t)(c->line.next - c->line.from));
    }
}

/* ---- The result ------------------------------------------------------------------------------ */

/* Reads the file and allocates what has one entry per row. The caller frees *c whatever the status. */
static temper_status corrections_open(struct corrections *c)
{
    size_t rows = (size_t)c->data->x.rows;
    TRY(source_whole(c->path, NULL, &c->text, c->error));
    /* The scanner needs a newline at the end of the last line. */
    if (c->text.length == 0 || c->text.bytes[c->text.length - 1] != '\n')
        text_append(&c->text, "\n");
    c->label = mem_alloc(rows, sizeof *c->label);
    c->decided = mem_zeroed(rows, sizeof *c->decided);
    if (c->text.failed || !c->label || !c->decided)
        return error_no_memory(c->error);
    memcpy(c->label, c->data->label, rows * sizeof *c->label);
    c->end = c->text.bytes + c->text.length;
    c->plan.path = c->path;
    return classes_copy(&c->data->classes, &c->classes, c->error);
}

/* Frees what corrections_open and the rows have allocated. */
static void corrections_close(struct corrections *c)
{
    csv_line_free(&c->line);
    text_free(&c->text);
    classes_free(&c->classes);
    mem_free(c->label);
    mem_free(c->decided);
    mem_free(c->words);
}

/* Writes the data with the decided labels: a copy of the user's text where that is possible. */
static temper_status write_corrected(const struct corrections *c, temper_audit_fix_file *file)
{
    struct dataset *made;
    if (file->copied) {
        /* The copier takes the names of classes from the dataset; new ones are behind those of the data. */
        struct dataset named = *c->data;
        const struct text_changes changes = {.label = c->label};
        named.classes = c->classes;
        return text_copy(&named, &changes, file->path, file->weights, c->error);
    }
    TRY(dataset_borrow(c->data, &made, c->error));
    memcpy(made->label, c->label, (size_t)c->data->x.rows * sizeof *made->label);
    temper_status status = dataset_write(made, file->path, file->format, c->error);
    dataset_free(made);
    return status;
}

/* All lines are checked before anything is written. */
temper_status audit_apply(const struct dataset *data, const char *path, temper_audit_fix_file *file,
                          temper_corrections *summary, temper_error *error)
{
    struct corrections c = {.data = data, .path = path, .error = error};
    if (!data->label)
        return error_set(error, TEMPER_BAD_DATA, "the data has no labels to correct; name the column of labels");
    TRY(dataset_write_check(file->path, file->format, error));
    file->weights[0] = '\0';
    file->copied = text_can_copy(data, file->path, file->format);
    c.any_class = file->copied;
    temper_status status = corrections_open(&c);
    if (status == TEMPER_OK)
        status = read_rows(&c);
    if (status == TEMPER_OK)
        status = write_corrected(&c, file);
    if (status == TEMPER_OK)
        *summary = c.summary;
    corrections_close(&c);
    return status;
}
