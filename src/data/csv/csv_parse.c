/* csv_parse: rows of text to rows of numbers.
 *
 * Two ways through a row: take_plain runs over numbers as they mostly are, and stops in front of
 * anything else; take_cell looks at one cell with all the care it needs. Texts (labels, categories)
 * become codes only when the whole row is known to be good: a row that is dropped leaves no trace.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/csv/csv.h"
#include "data/csv/csv_fast.h"

/* Where the parser is. */
struct cursor {
    const struct csv_column_plan *plan;
    struct csv_rows *part;
    const struct csv_piece *piece;
    const char *p;
    const char *row;       /* where the row begins */
    unsigned char *out;    /* where its next kept cell goes */
    bool quoted;           /* has cells in quotes, which may hold newlines */
    bool dropped;          /* has a missing value */
    struct csv_cell label; /* kept until it is clear that the row stays */
    struct csv_cell *category;
    size_t categories; /* seen in this row */
    char *scratch;     /* a text made ready for the class tables */
    size_t scratch_size;
};

/* ---- Faults
 * ---------------------------------------------------------------------------------------- */

/* Lines that end in [from, to). */
static size_t count_newlines(const char *from, const char *to)
{
    size_t count = 0;
    for (; (from = memchr(from, '\n', (size_t)(to - from))); from++)
        count++;
    return count;
}

/* Says what is wrong at `where`, in a column of the table; false, for the caller to return. The
 * line is counted only now: newlines within quotes are rare, and faults are rarer. */
static bool fail(struct cursor *at, enum csv_error_kind kind, const char *where, size_t field)
{
    struct csv_error *fault = &at->part->fault;
    const char *line = at->row;
    fault->line = at->part->lines + 1 + count_newlines(at->row, where);
    for (const char *p = line; (p = memchr(p, '\n', (size_t)(where - p))); line = p)
        p++;
    fault->column = (size_t)(where - line) + 1;
    fault->field = field;
    fault->kind = kind;
    return false;
}

/* The same, with the text of a cell. */
static bool fail_cell(struct cursor *at, enum csv_error_kind kind, const struct csv_cell *cell, size_t field)
{
    csv_error_set(&at->part->fault, kind, cell->from, cell->to);
    return fail(at, kind, cell->from, field);
}

static bool fail_memory(struct cursor *at)
{
    at->part->fault.kind = CSV_MEMORY;
    return false;
}

/* A row that ended too early, at `cell`, or goes on behind its last column; how many cells it has
 * is worth counting, for it shows what happened: one more or less, or another file altogether. */
static bool fail_fields(struct cursor *at, struct csv_cell *cell, size_t field)
{
    size_t count = field + 1;
    const char *surplus = NULL; /* the first cell that should not be there */
    for (; !cell->ends_line; count++) {
        enum csv_error_kind kind = csv_scan(&at->plan->format, cell->next, at->piece->to, cell);
        if (kind != CSV_FINE)
            return fail(at, kind, cell->from, field);
        if (count == at->plan->columns)
            surplus = cell->from;
    }
    bool cut = at->piece->cut && cell->next == at->piece->to && count < at->plan->columns;
    at->part->fault.count = count;
    return fail(at, cut ? CSV_FIELDS_CUT : CSV_FIELDS, surplus ? surplus : cell->to, field);
}

/* A feature that is neither a number nor missing. */
static bool fail_number(struct cursor *at, const struct csv_cell *cell, size_t field, enum number_result result)
{
    double wide;
    if (result == NUMBER_NOT_FINITE)
        return fail_cell(at, CSV_NOT_FINITE, cell, field);
    if (result == NUMBER_OVERFLOW) {
        bool fits = number_f64(cell->from, cell->to, &wide) == NUMBER_OK;
        return fail_cell(at, fits ? CSV_TOO_LARGE_F32 : CSV_TOO_LARGE, cell, field);
    }
    /* In the first line it may be that a header was taken for a row. */
    bool first = at->piece->first && at->row == at->piece->from && !at->plan->header_told;
    return fail_cell(at, first ? CSV_TEXT_FIRST : CSV_TEXT, cell, field);
}

/* ---- Cells
 * ----------------------------------------------------------------------------------------- */

/* A missing value, where one may be: false only if it is refused. */
static bool take_missing(struct cursor *at, const struct csv_cell *cell, size_t field)
{
    static const enum csv_error_kind refusal[] = {[CSV_FEATURE] = CSV_MISSING,
                                                  [CSV_CATEGORY] = CSV_MISSING,
                                                  [CSV_LABEL] = CSV_LABEL_MISSING,
                                                  [CSV_WEIGHT_COLUMN] = CSV_WEIGHT_MISSING};
    enum csv_role role = (enum csv_role)at->plan->role[field];
    bool kept = role == CSV_FEATURE || role == CSV_CATEGORY;
    if (at->plan->missing == CSV_REFUSE || (!kept && at->plan->missing != CSV_DROP))
        return fail_cell(at, refusal[role], cell, field);
    if (at->plan->missing == CSV_DROP)
        at->dropped = true;
    else
        at->part->missing++;
    return true;
}

/* A number, or NaN for a missing one, into the row. */
static bool take_feature(struct cursor *at, const struct csv_cell *cell, size_t field)
{
    double wide = (double)NAN;
    float narrow = NAN;
    enum number_result result =
        at->plan->f64 ? number_f64(cell->from, cell->to, &wide) : number_f32(cell->from, cell->to, &narrow);
    if (result != NUMBER_OK) {
        if (!csv_is_missing(cell))
            return fail_number(at, cell, field, result);
        if (!take_missing(at, cell, field))
            return false;
    }
    memcpy(at->out, at->plan->f64 ? (const void *)&wide : (const void *)&narrow, at->plan->cell_size);
    at->out += at->plan->cell_size;
    return true;
}

/* Weights are doubles, whatever the features are; 0 takes a row out of the sums. */
static bool take_weight(struct cursor *at, const struct csv_cell *cell, size_t field)
{
    double weight = 0;
    enum number_result result = number_f64(cell->from, cell->to, &weight);
    if (result != NUMBER_OK && csv_is_missing(cell))
        return take_missing(at, cell, field);
    if (result != NUMBER_OK || weight < 0)
        return fail_cell(at, CSV_WEIGHT, cell, field);
    at->part->weight[at->part->rows] = weight;
    return true;
}

/* The text is kept where it is; keep_row makes it a code. */
static bool take_category(struct cursor *at, const struct csv_cell *cell, size_t field)
{
    at->category[at->categories] = *cell;
    if (csv_is_missing(cell)) {
        if (!take_missing(at, cell, field))
            return false;
        at->category[at->categories].from = NULL;
    }
    at->categories++;
    at->out += at->plan->cell_size; /* filled when the row is kept */
    return true;
}

/* So is the label. */
static bool take_label(struct cursor *at, const struct csv_cell *cell, size_t field)
{
    at->label = *cell;
    return !csv_is_missing(cell) || take_missing(at, cell, field);
}

/* Any cell, looked at with care. */
static bool take_cell(struct cursor *at, size_t field)
{
    const struct csv_column_plan *plan = at->plan;
    struct csv_cell cell;
    enum csv_error_kind kind = csv_scan(&plan->format, at->p, at->piece->to, &cell);
    if (kind != CSV_FINE)
        return fail(at, kind, cell.from, field);
    if (cell.ends_line != (field + 1 == plan->columns))
        return fail_fields(at, &cell, field);
    at->p = cell.next;
    at->quoted |= cell.quoted;
    switch ((enum csv_role)plan->role[field]) {
    case CSV_FEATURE:
        return take_feature(at, &cell, field);
    case CSV_CATEGORY:
        return take_category(at, &cell, field);
    case CSV_LABEL:
        return take_label(at, &cell, field);
    case CSV_WEIGHT_COLUMN:
        return take_weight(at, &cell, field);
    case CSV_IGNORED:
        break;
    }
    return true;
}

/* Features from column `field` on as long as they are plain numbers; returns the column behind
 * them. Inline, so that there is one loop for floats and one for doubles. */
__attribute__((always_inline)) static inline size_t take_plain_as(struct cursor *at, size_t field, bool f64)
{
    const struct csv_column_plan *plan = at->plan;
    const char *p = at->p;
    const unsigned char *role = plan->role;
    const size_t columns = plan->columns, size = f64 ? sizeof(double) : sizeof(float);
    const char separator = plan->format.separator;
    unsigned char *out = at->out;
    for (; field < columns && role[field] == CSV_FEATURE; field++) {
        char ending = field + 1 == columns ? '\n' : separator;
        const char *end = csv_take_digit(p, ending, f64, out);
        if (!end)
            end = csv_take_number(p, ending, f64, out);
        if (!end)
            break;
        p = end;
        out += size;
    }
    at->p = p;
    at->out = out;
    return field;
}

/* Which of the two. */
static size_t take_plain(struct cursor *at, size_t field)
{
    return at->plan->f64 ? take_plain_as(at, field, true) : take_plain_as(at, field, false);
}

/* ---- Rows
 * ------------------------------------------------------------------------------------------ */

/* A cell's text behind a first byte of our own; NULL without memory. */
static const char *prepare(struct cursor *at, const struct csv_cell *cell, char mark, size_t *length)
{
    size_t needed = (size_t)(cell->to - cell->from) + 1;
    if (!at->scratch || needed > at->scratch_size) {
        char *grown = mem_resize(at->scratch, needed, 1);
        if (!grown)
            return NULL;
        at->scratch = grown;
        at->scratch_size = needed;
    }
    at->scratch[0] = mark;
    *length = csv_unquote(cell, at->scratch + 1) + 1;
    return at->scratch;
}

/* A label that is not a class yet: numbers that are none would hide a fault. */
static bool check_label(struct cursor *at)
{
    double ignored;
    enum number_result result = number_f64(at->label.from, at->label.to, &ignored);
    if (result == NUMBER_NOT_FINITE || result == NUMBER_OVERFLOW)
        return fail_cell(at, CSV_LABEL_NOT_FINITE, &at->label, at->plan->label);
    return true;
}

/* Answers of the class tables that are no class; the place is the whole row, as it is when the
 * tables of several chunks are put together. */
static bool check_code(struct cursor *at, uint32_t code, enum csv_error_kind kind, size_t field)
{
    if (code == CLASSES_NO_MEMORY)
        return fail_memory(at);
    if (code != CLASSES_FULL)
        return true;
    fail(at, kind, at->row, field);
    at->part->fault.column = 0;
    return false;
}

/* The label as a class; most are known already, and are found by their spelling. */
static bool keep_label(struct cursor *at)
{
    struct csv_rows *part = at->part;
    const char *text = at->label.from;
    size_t length = (size_t)(at->label.to - text), before = part->classes.count;
    if (at->label.doubled) {
        text = prepare(at, &at->label, ' ', &length);
        if (!text)
            return fail_memory(at);
        text++, length--;
    }
    uint32_t code = classes_add(&part->classes, text, length);
    if (part->classes.count > before && !check_label(at))
        return false;
    part->label[part->rows] = code;
    return check_code(at, code, CSV_LABELS, at->plan->label);
}

/* A text as a code. The '=' before it keeps 1 and 1.0, or 0e1 and 0e2, from being one number. */
static bool keep_category(struct cursor *at, size_t which)
{
    struct csv_rows *part = at->part;
    const struct csv_column_plan *plan = at->plan;
    uint32_t code = CSV_NO_CODE;
    if (at->category[which].from) {
        size_t length;
        const char *text = prepare(at, &at->category[which], '=', &length);
        if (!text)
            return fail_memory(at);
        code = classes_add(&part->category[which], text, length);
        if (!check_code(at, code, CSV_VALUES, plan->category[which]))
            return false;
    }
    unsigned char *row = part->cells + part->rows * plan->row_size;
    memcpy(row + plan->slot[which] * plan->cell_size, &code, sizeof code);
    return true;
}

/* The row is whole: its texts become codes. */
static bool keep_row(struct cursor *at)
{
    struct csv_rows *part = at->part;
    for (size_t i = 0; i < at->plan->categories; i++)
        if (!keep_category(at, i))
            return false;
    if (part->label && !keep_label(at))
        return false;
    part->line[part->rows++] = part->lines + 1;
    return true;
}

/* One row, from its first cell to behind its newline. Where it fails, nothing of it is kept. */
static bool take_row(struct cursor *at)
{
    const struct csv_column_plan *plan = at->plan;
    struct csv_rows *part = at->part;
    if (part->rows == part->capacity && !csv_rows_reserve(part, plan, part->rows + 1))
        return fail_memory(at);
    at->row = at->p;
    at->out = part->cells + part->rows * plan->row_size;
    at->quoted = at->dropped = false;
    at->categories = 0;
    for (size_t field = 0; field < plan->columns; field++) {
        field = take_plain(at, field);
        if (field < plan->columns && !take_cell(at, field))
            return false;
    }
    if (at->dropped)
        part->dropped++;
    else if (!keep_row(at))
        return false;
    part->lines += at->quoted ? count_newlines(at->row, at->p) : 1;
    return true;
}

bool csv_parse(const struct csv_column_plan *plan, const struct csv_piece *piece, struct csv_rows *part)
{
    struct cursor at = {.plan = plan, .part = part, .piece = piece, .p = piece->from};
    at.category = mem_alloc(plan->categories, sizeof *at.category);
    bool fine = at.category || fail_memory(&at);
    while (fine) {
        at.p = csv_skip_blank_lines(&plan->format, at.p, piece->to, &part->lines);
        if (at.p == piece->to)
            break;
        fine = take_row(&at);
    }
    mem_free(at.category);
    mem_free(at.scratch);
    return fine;
}
