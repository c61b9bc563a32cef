/* transition_matrix: reads the CSV file of a transition matrix, and puts it into the order of the classes.
 *
 * The file has a line for each class with the probabilities of the labels that its rows are given. A first line of
 * names is optional, and recognised by the number of lines, since names may be numbers; it may name the classes in any
 * order, which the lines and the columns of the matrix then have. Each line must sum to 1 up to the rounding of its
 * decimals. */
#include "data/noise/transition_matrix.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/classes.h"
#include "data/name_list.h"
#include "data/quote_text.h"
#include "data/read/line_reader.h"

/* A matrix being read. Whether the first line holds names is known only when all are counted: the
 * names may be numbers. */
struct matrix_reader {
    const struct dataset *data;
    struct lines lines;
    size_t classes;
    double *p;     /* classes + 1 lines of `classes` numbers */
    size_t rows;   /* lines seen */
    char *first;   /* the first line, in case it holds names */
    bool is_named; /* the first line holds no numbers, so it must */
    size_t blank;  /* the first empty line of those since the last row, or 0 */
};

/* An error at a place of the file, counted from 1. */
static temper_status refuse(const struct matrix_reader *t, size_t line, size_t column, const char *what,
                            temper_error *error)
{
    char file[PATH_SHOWN];
    path_shown(t->lines.path, file);
    return error_at(error, TEMPER_BAD_DATA, line, column, "%s:%zu:%zu: %s", file, line, column, what);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Parses one cell. In the first line a cell that is no number marks the line as names; its value is then NaN. */
static temper_status read_cell(struct matrix_reader *t, const char *from, const char *to, const char *line, double *out,
                               temper_error *error)
{
    size_t length = (size_t)(to - from);
    /* Blanks around a number are allowed. */
    const char *token = line_trim(from, &length);
    char file[PATH_SHOWN];
    if (number_f64(token, token + length, out) == NUMBER_OK)
        return TEMPER_OK;
    /* The first line may be names; whether it is follows from the number of lines. */
    if (t->rows == 0) {
        t->is_named = true;
        *out = NAN;
        return TEMPER_OK;
    }
    /* Columns count bytes from 1, as editors do. */
    size_t column = (size_t)(token - line) + 1;
    return error_at(error, TEMPER_BAD_DATA, t->lines.number, column,
                    "%s:%zu:%zu: '%.80s' is not a probability; write numbers from 0 to 1 with "
                    "commas between them",
                    path_shown(t->lines.path, file), t->lines.number, column, token_text(token, token + length).text);
}

/* The error of a line with too few or too many cells. */
static temper_status refuse_width(const struct matrix_reader *t, size_t cells, temper_error *error)
{
    char file[PATH_SHOWN];
    return error_at(error, TEMPER_BAD_DATA, t->lines.number, 1,
                    "%s:%zu:1: %zu probabilities for %zu classes; write one for each class",
                    path_shown(t->lines.path, file), t->lines.number, cells, t->classes);
}

/* Splits a line at its commas into row t->rows of t->p. Cells beyond the number of classes are counted, not stored. */
static temper_status read_cells(struct matrix_reader *t, const char *line, size_t length, temper_error *error)
{
    size_t cells = 0;
    const char *from = line, *end = line + length;
    for (;;) {
        /* Lines of numbers have no quotes, so that every comma separates. */
        const char *comma = memchr(from, ',', (size_t)(end - from)), *to = comma ? comma : end;
        double value;
        temper_status status = read_cell(t, from, to, line, &value, error);
        if (status != TEMPER_OK)
            return status;
        if (cells < t->classes)
            t->p[t->rows * t->classes + cells] = value;
        cells++;
        if (!comma)
            break;
        from = comma + 1;
    }
    /* Names may have commas in quotes; that line is parsed later. */
    bool names = t->rows == 0 && t->is_named;
    return cells == t->classes || names ? TEMPER_OK : refuse_width(t, cells, error);
}

/* Copies the first line, which may turn out to hold names once all lines are counted; false without memory. */
static bool keep_first(struct matrix_reader *t, const char *line, size_t length)
{
    t->first = mem_alloc(length + 1, 1);
    if (!t->first)
        return false;
    memcpy(t->first, line, length);
    t->first[length] = '\0';
    return true;
}

/* One line of the file. Empty lines are allowed at the end only, so they are refused when another line follows. */
static temper_status read_line(struct matrix_reader *t, const char *line, size_t length, temper_error *error)
{
    /* Lines of blanks count as empty. */
    size_t trimmed = length;
    line_trim(line, &trimmed);
    if (trimmed == 0) {
        t->blank = t->blank ? t->blank : t->lines.number;
        return TEMPER_OK;
    }
    if (t->blank)
        return refuse(t, t->blank, 1, "the line is empty; write one line for each class", error);
    if (t->rows == t->classes + 1)
        /* One line more than classes is allowed, for names. */
        return refuse(t, t->lines.number, 1, "more lines than classes; write one line for each class", error);
    if (t->rows == 0 && !keep_first(t, line, length))
        return error_no_memory(error);
    temper_status status = read_cells(t, line, length, error);
    t->rows++;
    return status;
}

/* All lines; each error has its line number. */
static temper_status read_lines(struct matrix_reader *t, temper_error *error)
{
    for (;;) {
        const char *line;
        size_t length;
        temper_status status = lines_next(&t->lines, &line, &length, error);
        if (status != TEMPER_OK || !line)
            return status;
        status = read_line(t, line, length, error);
        if (status != TEMPER_OK)
            return status;
    }
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* Checks one row of the matrix, which is line `number` of the file: probabilities that sum to 1 up to the rounding of
 * decimals. */
static temper_status check_row(const struct matrix_reader *t, const double *p, size_t number, temper_error *error)
{
    char file[PATH_SHOWN], shown[NUMBER_LENGTH];
    double sum = 0;
    /* The negation also refuses NaN. */
    for (size_t j = 0; j < t->classes; j++) {
        if (!(p[j] >= 0 && p[j] <= 1))
            return refuse(t, number, j + 1, "a probability is below 0 or above 1; write numbers from 0 to 1", error);
        sum += p[j];
    }
    /* Decimals such as 0.333333333333 are accepted. */
    if (fabs(sum - 1) <= 1e-9)
        return TEMPER_OK;
    /* Shortest decimal, so that the message shows what is missing. */
    number_write_f64(sum, shown);
    return error_at(error, TEMPER_BAD_DATA, number, 1, "%s:%zu:1: the probabilities sum to %s; make them sum to 1",
                    path_shown(t->lines.path, file), number, shown);
}

/* The class number of one name of the first line; each class must be named once. */
static temper_status take_name(const struct matrix_reader *t, const char *name, bool *seen, uint32_t *number,
                               temper_error *error)
{
    TRY(class_named(t->data, t->lines.path, name, number, error));
    if (seen[*number])
        return refuse(t, 1, 1, "the first line names a class twice; name each once", error);
    seen[*number] = true;
    return TEMPER_OK;
}

/* The class of each name; the number of names is checked first, since place[] has one entry for each class. */
static temper_status take_names(const struct matrix_reader *t, const struct list *list, uint32_t *place,
                                temper_error *error)
{
    /* Fewer or more names than classes cannot be matched. */
    if (list->count != t->classes)
        return refuse(t, 1, 1, "the first line names too few classes or too many; name each once", error);
    /* A name twice implies another that is missing. */
    bool *seen = mem_zeroed(t->classes, sizeof *seen);
    if (!seen)
        return error_no_memory(error);
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < list->count; i++)
        status = take_name(t, list->item[i].name, seen, &place[i], error);
    mem_free(seen);
    return status;
}

/* Parses the first line as names. place[i]: the class that line and column i of the file refer to. */
static temper_status read_names(const struct matrix_reader *t, uint32_t *place, temper_error *error)
{
    struct list list;
    TRY(list_read(t->lines.path, t->first, false, &list, error));
    temper_status status = take_names(t, &list, place, error);
    list_free(&list);
    return status;
}

/* Checks all rows and copies them, permuted, so that out[was * classes + is] is in the order of the data's classes. */
static temper_status arrange(const struct matrix_reader *t, bool named, const uint32_t *place, double *out,
                             temper_error *error)
{
    /* `named` is also the number of lines to skip. */
    for (size_t i = 0; i < t->classes; i++) {
        const double *p = t->p + (i + named) * t->classes;
        temper_status status = check_row(t, p, i + named + 1, error);
        if (status != TEMPER_OK)
            return status;
        for (size_t j = 0; j < t->classes; j++)
            /* Rows and columns are permuted alike. */
            out[place[i] * t->classes + place[j]] = p[j];
    }
    return TEMPER_OK;
}

/* Fills `place` and `out`, which the caller has allocated and frees. */
static temper_status order(const struct matrix_reader *t, bool named, uint32_t *place, double *out, temper_error *error)
{
    if (!place || !out)
        return error_no_memory(error);
    /* Without names, the order of the classes. */
    for (size_t i = 0; i < t->classes; i++)
        place[i] = (uint32_t)i;
    TRY(named ? read_names(t, place, error) : TEMPER_OK);
    return arrange(t, named, place, out, error);
}

/* The number of lines decides whether the first holds names: a matrix of C classes has C lines, or C + 1 with names. */
static temper_status finish(const struct matrix_reader *t, double **out, temper_error *error)
{
    /* The first line is then one of names. */
    bool named = t->rows == t->classes + 1;
    if (t->rows < t->classes || (t->is_named && !named))
        return refuse(t, t->lines.number ? t->lines.number : 1, 1,
                      "fewer lines than classes; write one line for each class", error);
    uint32_t *place = mem_alloc(t->classes, sizeof *place);
    double *p = mem_alloc(t->classes * t->classes, sizeof *p); /* t->p is larger and exists */
    temper_status status = order(t, named, place, p, error);
    mem_free(place);
    if (status != TEMPER_OK) {
        mem_free(p);
        return status;
    }
    *out = p;
    return TEMPER_OK;
}

/* Reads all lines, then interprets them. One line more than classes has room, for the names. */
static temper_status read_matrix(struct matrix_reader *t, double **out, temper_error *error)
{
    size_t cells;
    t->p = mul_size(t->classes + 1, t->classes, &cells) ? mem_alloc(cells, sizeof *t->p) : NULL;
    if (!t->p)
        return error_no_memory(error);
    TRY(read_lines(t, error));
    return finish(t, out, error);
}

/* *out: classes x classes probabilities, row by row, which the caller frees; written on success only. */
temper_status transition_matrix_read(const char *path, const struct dataset *data, double **out, temper_error *error)
{
    struct matrix_reader t = {.data = data, .classes = data->classes.count};
    TRY(lines_open(path, &t.lines, error));
    temper_status status = read_matrix(&t, out, error);
    lines_close(&t.lines);
    mem_free(t.p);
    mem_free(t.first);
    return status;
}
