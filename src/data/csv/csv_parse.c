/* csv_parse: rows of text to rows of numbers, in growing arrays.
 *
 * A row is parsed by two functions: take_plain scans numbers in their usual notation, and stops before anything else;
 * take_cell handles any one cell. Texts (labels, categories) become codes only when the whole row is known to be valid:
 * a row that is dropped leaves no trace. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/number_fast.h"
#include "data/csv/csv.h"
#include "data/read/text_chunks.h"

/* The first allocation of a row buffer, in rows. */
enum { FIRST_ROWS = 64 };

/* ---- Row buffers ----------------------------------------------------------------------------- */

/* Sets the capacity of every array to `count` rows. Each array is resized separately: those that have grown stay valid
 * if there is no memory for the rest, since the capacity is not raised then. The system moves large blocks without a
 * copy, and pages that are not touched yet take no memory. */
static bool resize(struct csv_rows *rows, const struct csv_column_plan *plan, size_t count)
{
    unsigned char *cells = array_resize(rows->spill, rows->cells, count, plan->row_size);
    if (cells)
        rows->cells = cells;
    uint64_t *line = array_resize(rows->spill, rows->line, count, sizeof *line);
    if (line)
        rows->line = line;
    bool fine = cells && line;
    if (fine && plan->label != CSV_NO_COLUMN) {
        uint32_t *label = array_resize(rows->spill, rows->label, count, sizeof *label);
        if (label)
            rows->label = label;
        fine = label != NULL;
    }
    if (fine && plan->weight != CSV_NO_COLUMN) {
        double *weight = array_resize(rows->spill, rows->weight, count, sizeof *weight);
        if (weight)
            rows->weight = weight;
        fine = weight != NULL;
    }
    if (fine && plan->kept_count > 0) {
        uint64_t *start = array_resize(rows->spill, rows->kept_start, count, sizeof *start);
        if (start)
            rows->kept_start = start;
        fine = start != NULL;
    }
    return fine;
}

/* Grows by half: fewer moves than with a fixed step, less address space than with doubling. */
static bool reserve(struct csv_rows *rows, const struct csv_column_plan *plan, size_t count)
{
    if (count <= rows->capacity)
        return true;
    size_t capacity = rows->capacity + rows->capacity / 2;
    if (capacity < count)
        capacity = count;
    if (!resize(rows, plan, capacity))
        return false;
    rows->capacity = capacity;
    return true;
}

/* Several rows at once: an array of no bytes would be grown for the first row anyway. */
bool csv_rows_start(struct csv_rows *rows, const struct csv_column_plan *plan)
{
    rows->category = mem_zeroed(plan->categories, sizeof *rows->category);
    return rows->category && reserve(rows, plan, FIRST_ROWS);
}

/* Exactly the estimate; reserve grows by half only if it was too low. A failure is ignored: the arrays then grow as
 * rows arrive. */
void csv_rows_expect(struct csv_rows *rows, const struct csv_column_plan *plan, size_t count)
{
    if (count <= rows->capacity || !resize(rows, plan, count))
        return;
    rows->capacity = count;
    if (!rows->spill)
        huge_pages_advise(rows->cells, count * plan->row_size);
}

/* The arrays stay: a buffer is used for one chunk after another. So do the class tables, because the classes of the
 * next chunk are mostly the same ones. */
void csv_rows_clear(struct csv_rows *buffer)
{
    buffer->rows = 0;
    buffer->lines = buffer->missing = buffer->dropped = 0;
    buffer->odd.count = 0;
    buffer->kept.length = 0;
    buffer->error = (struct csv_error){0};
}

/* A translation table of one class table of a buffer: code[i] is the code in the batch of the buffer's class i, or
 * CSV_NO_CODE if it was not looked up yet. Each buffer numbers its classes by first appearance in its own chunks. */
struct csv_codes {
    uint32_t *code;
    size_t count;
};

/* Adds entries for classes that are new in the buffer. */
static bool codes_extend(struct csv_codes *codes, const struct classes *classes)
{
    if (codes->count == classes->count)
        return true;
    uint32_t *code = mem_resize(codes->code, classes->count, sizeof *code);
    if (!code)
        return false;
    codes->code = code;
    while (codes->count < classes->count)
        code[codes->count++] = CSV_NO_CODE;
    return true;
}

/* Translates one code of the buffer to the code of the batch. A class is looked up in the batch only when a row needs
 * it: so new codes are assigned in the order of the rows, exactly as if one thread had parsed the whole text. */
static uint32_t recode(const struct csv_codes *codes, const struct classes *from, struct classes *to, uint32_t old)
{
    uint32_t *code = &codes->code[old];
    if (*code == CSV_NO_CODE) {
        const char *name = from->name[old];
        *code = classes_add(to, name, strlen(name));
    }
    return *code;
}

/* Whether a code is valid. If the class table of the batch was full or out of memory, the buffer is truncated before
 * this row, and its error is set as if the parser had found it there. */
static bool accept_code(struct csv_rows *buffer, size_t row, size_t field, uint32_t code, enum csv_error_kind if_full)
{
    if (code != CLASSES_FULL && code != CLASSES_NO_MEMORY)
        return true;
    buffer->rows = row;
    buffer->error = (struct csv_error){
        .kind = code == CLASSES_FULL ? if_full : CSV_MEMORY, .line = buffer->line[row], .field = field};
    return false;
}

/* The categories of the row first, then its label: the order in which a single thread adds new ones. */
static bool recode_row(struct csv_rows *buffer, struct csv_rows *batch, const struct csv_column_plan *plan, size_t row)
{
    for (size_t i = 0; i < plan->categories; i++) {
        unsigned char *cell = buffer->cells + row * plan->row_size + plan->slot[i] * plan->cell_size;
        uint32_t code;
        memcpy(&code, cell, sizeof code);
        if (code == CSV_NO_CODE)
            continue;
        code = recode(&buffer->codes[i], &buffer->category[i], &batch->category[i], code);
        if (!accept_code(buffer, row, plan->category[i], code, CSV_VALUES))
            return false;
        memcpy(cell, &code, sizeof code);
    }
    if (!buffer->label)
        return true;
    uint32_t label = recode(&buffer->codes[plan->categories], &buffer->classes, &batch->classes, buffer->label[row]);
    buffer->label[row] = label;
    return accept_code(buffer, row, plan->label, label, CSV_LABELS);
}

/* Translates all codes of a buffer. buffer->codes has plan->categories + 1 tables: one for each categorical column, and
 * the last one for the label. */
void csv_rows_recode(struct csv_rows *buffer, struct csv_rows *batch, const struct csv_column_plan *plan)
{
    if (!buffer->codes)
        buffer->codes = mem_zeroed(plan->categories + 1, sizeof *buffer->codes);
    bool fine = buffer->codes != NULL;
    /* The class tables of the buffer have grown since its last chunk. */
    for (size_t i = 0; fine && i < plan->categories; i++)
        fine = codes_extend(&buffer->codes[i], &buffer->category[i]);
    fine = fine && codes_extend(&buffer->codes[plan->categories], &buffer->classes);
    if (!fine)
        buffer->error.kind = CSV_MEMORY;
    for (size_t row = 0; fine && row < buffer->rows; row++)
        fine = recode_row(buffer, batch, plan, row);
}

/* Empties the translation tables; they are filled again when rows need them. The classes of another batch have other
 * codes. */
void csv_rows_forget_codes(struct csv_rows *buffer, const struct csv_column_plan *plan)
{
    for (size_t i = 0; buffer->codes && i <= plan->categories; i++)
        buffer->codes[i].count = 0;
}

/* Adds the odd cells of a buffer, with their lines in the file. */
static void append_odd(const struct csv_odd_cells *odd, struct csv_rows *batch)
{
    for (size_t i = 0; i < odd->count && i < CSV_ODD_SHOWN && batch->odd.count + i < CSV_ODD_SHOWN; i++) {
        struct csv_error *cell = &batch->odd.cell[batch->odd.count + i];
        *cell = odd->cell[i];
        cell->line += batch->lines;
    }
    batch->odd.count += odd->count;
}

/* Adds the kept texts of a buffer, whose rows are numbered from `at` in the batch. False without memory. */
static bool append_kept(const struct csv_rows *buffer, struct csv_rows *batch, size_t at)
{
    size_t before = batch->kept.length;
    if (!buffer->kept_start || buffer->rows == 0)
        return true;
    text_append_bytes(&batch->kept, buffer->kept.bytes, buffer->kept.length);
    for (size_t i = 0; i < buffer->rows; i++)
        batch->kept_start[at + i] = before + buffer->kept_start[i];
    return !batch->kept.failed;
}

/* Copies the buffer's rows to the end of the batch. Line numbers of the buffer are relative to its chunk; adding the
 * lines of the batch so far makes them relative to the file. A failure leaves the batch unchanged. */
bool csv_rows_append(const struct csv_rows *buffer, struct csv_rows *batch, const struct csv_column_plan *plan)
{
    size_t at = batch->rows;
    if (!reserve(batch, plan, at + buffer->rows) || !append_kept(buffer, batch, at))
        return false;
    memcpy(batch->cells + at * plan->row_size, buffer->cells, buffer->rows * plan->row_size);
    if (buffer->label)
        memcpy(batch->label + at, buffer->label, buffer->rows * sizeof *buffer->label);
    if (buffer->weight)
        memcpy(batch->weight + at, buffer->weight, buffer->rows * sizeof *buffer->weight);
    /* Line numbers are for messages and for edits of the text, which address the file. */
    for (size_t i = 0; i < buffer->rows; i++)
        batch->line[at + i] = buffer->line[i] + batch->lines;
    append_odd(&buffer->odd, batch);
    batch->rows += buffer->rows;
    batch->lines += buffer->lines;
    batch->missing += buffer->missing;
    batch->dropped += buffer->dropped;
    return true;
}

/* Also frees rows that are half made. */
void csv_rows_free(struct csv_rows *rows, const struct csv_column_plan *plan)
{
    classes_free(&rows->classes);
    for (size_t i = 0; rows->category && i < plan->categories; i++)
        classes_free(&rows->category[i]);
    for (size_t i = 0; rows->codes && i <= plan->categories; i++)
        mem_free(rows->codes[i].code);
    mem_free(rows->category);
    mem_free(rows->codes);
    array_free(rows->spill, rows->cells);
    array_free(rows->spill, rows->label);
    array_free(rows->spill, rows->weight);
    array_free(rows->spill, rows->line);
    array_free(rows->spill, rows->kept_start);
    text_free(&rows->kept);
    *rows = (struct csv_rows){0};
}

/* ---- Plain numbers --------------------------------------------------------------------------- */

/* Parses a number in plain notation at p that is followed by the byte `ending`, and stores it in *out as a float or a
 * double. Returns the position after `ending`, or NULL if the number is not plain (quoted, blanks, missing, too many
 * digits); then take_cell parses it. number_look loads whole words, which may reach beyond the text: every chunk has
 * zero bytes after it. */
static inline const char *take_number(const char *p, char ending, bool f64, void *out)
{
    struct number_fast number;
    double wide;
    float narrow;
    struct number_view view = number_look(p, ending);
    unsigned length = view.ends ? (unsigned)__builtin_ctz(view.ends) : 0;
    if (length == 0 || p[length] != ending || !number_fast_read(p, length, view.stops, &number))
        return NULL;
    if (f64 ? !number_fast_f64(&number, &wide) : !number_fast_f32(&number, &narrow))
        return NULL;
    if (f64)
        memcpy(out, &wide, sizeof wide);
    else
        memcpy(out, &narrow, sizeof narrow);
    return p + length + 1;
}

/* The same for a single digit, which is the whole cell in counts and 0/1 features: two comparisons instead of a general
 * scan. */
static inline const char *take_digit(const char *p, char ending, bool f64, void *out)
{
    unsigned digit = (unsigned)*p - '0';
    double wide = digit;
    float narrow = (float)digit;
    if (digit > 9 || p[1] != ending)
        return NULL;
    if (f64)
        memcpy(out, &wide, sizeof wide);
    else
        memcpy(out, &narrow, sizeof narrow);
    return p + 2;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* The state of the parser. It lives for one chunk; the rows may hold those of earlier chunks. */
struct csv_cursor {
    const struct csv_column_plan *plan;
    struct csv_rows *rows;
    const struct csv_chunk *text;
    const char *p;
    const char *row;       /* where the present row begins */
    unsigned char *out;    /* where its next kept cell goes */
    bool quoted;           /* it has quoted cells, which may contain newlines */
    bool dropped;          /* it has a missing value */
    struct csv_cell label; /* kept until the row is known to be valid */
    struct csv_cell *category;
    size_t categories; /* seen in this row */
    char *scratch;     /* a text prepared for the class tables */
    size_t scratch_size;
    double *numbers;       /* of one cell */
    struct csv_cell *cell; /* of the present row, where texts are kept; else none */
};

/* Records an error at `where`, in column `field` of the table, and returns false for the caller to return. Line and
 * column are computed only here, from the start of the row: rows rarely contain newlines, and counting them while
 * parsing would slow down valid files. */
static bool fail(struct csv_cursor *at, enum csv_error_kind kind, const char *where, size_t field)
{
    struct csv_error *error = &at->rows->error;
    const char *line = at->row;
    error->line = at->rows->lines + 1 + (at->plan->origin ? 0 : count_lines(at->row, (size_t)(where - at->row)));
    for (const char *p = line; (p = memchr(p, '\n', (size_t)(where - p))); line = p)
        p++;
    error->column = (size_t)(where - line) + 1;
    error->field = field;
    error->kind = kind;
    return false;
}

/* The same, with the text of the cell for the message. */
static bool fail_cell(struct csv_cursor *at, enum csv_error_kind kind, const struct csv_cell *cell, size_t field)
{
    csv_error_set(&at->rows->error, kind, cell->from, cell->to);
    return fail(at, kind, cell->from, field);
}

static bool fail_memory(struct csv_cursor *at)
{
    at->rows->error.kind = CSV_MEMORY;
    return false;
}

/* Reports a row that ends too early, at `cell`, or continues after its last column. The rest of the row is scanned to
 * count its cells: the number shows what happened, one separator too many or a different file. A last line that is too
 * short and has no newline is reported as a truncated file. */
static bool fail_fields(struct csv_cursor *at, struct csv_cell *cell, size_t field)
{
    size_t count = field + 1;
    const char *surplus = NULL; /* the first cell too many */
    for (; !cell->ends_line; count++) {
        enum csv_error_kind kind = csv_scan(&at->plan->format, cell->next, at->text->to, cell);
        if (kind != CSV_FINE)
            return fail(at, kind, cell->from, field);
        if (count == at->plan->columns)
            surplus = cell->from;
    }
    bool cut = at->text->no_newline && cell->next == at->text->to && count < at->plan->columns;
    at->rows->error.count = count;
    return fail(at, cut ? CSV_FIELDS_CUT : CSV_FIELDS, surplus ? surplus : cell->to, field);
}

/* Reports a feature that is neither a valid number nor missing. A number that overflows a float is parsed again as a
 * double, to tell whether --type f64 would help. */
static bool fail_number(struct csv_cursor *at, const struct csv_cell *cell, size_t field, enum number_result result)
{
    double wide;
    if (result == NUMBER_NOT_FINITE)
        return fail_cell(at, CSV_NOT_FINITE, cell, field);
    if (result == NUMBER_OVERFLOW) {
        bool fits = number_f64(cell->from, cell->to, &wide) == NUMBER_OK;
        return fail_cell(at, fits ? CSV_TOO_LARGE_F32 : CSV_TOO_LARGE, cell, field);
    }
    /* Text in the first line: a header may have been taken for a row. */
    bool first = at->text->first_line && at->row == at->text->from && !at->plan->header_given;
    return fail_cell(at, first ? CSV_TEXT_FIRST : CSV_TEXT, cell, field);
}

/* ---- Cells -------------------------------------------------------------------------------------- */

/* Copies the cell's text, unquoted, to the scratch buffer after the byte `mark`; *length includes the mark. Valid until
 * the next call; NULL without memory. */
static const char *prepare(struct csv_cursor *at, const struct csv_cell *cell, char mark, size_t *length)
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

/* Handles a missing value by the rule of the plan: false if it is refused. Labels and weights cannot be filled in, so
 * that for them only dropping the row is allowed. */
static bool take_missing(struct csv_cursor *at, const struct csv_cell *cell, size_t field)
{
    static const enum csv_error_kind refusal[] = {[CSV_FEATURE] = CSV_MISSING,
                                                  [CSV_CATEGORY] = CSV_MISSING,
                                                  [CSV_CONVERTED] = CSV_MISSING,
                                                  [CSV_LABEL] = CSV_LABEL_MISSING,
                                                  [CSV_WEIGHT_COLUMN] = CSV_WEIGHT_MISSING};
    enum csv_role role = (enum csv_role)at->plan->role[field];
    bool kept = role == CSV_FEATURE || role == CSV_CATEGORY || role == CSV_CONVERTED;
    bool drops = at->plan->missing == CSV_DROP || (!kept && at->plan->missing == CSV_FILL);
    if (at->plan->missing == CSV_REFUSE || (!kept && !drops))
        return fail_cell(at, refusal[role], cell, field);
    /* A dropped row is parsed to its end, since later cells may be errors that must be reported. */
    if (drops)
        at->dropped = true;
    else
        at->rows->missing++;
    return true;
}

/* A cell that does not fit its column. In a table that was inferred it becomes a gap, and is reported. */
static bool take_odd(struct csv_cursor *at, const struct csv_cell *cell, size_t field, enum number_result result)
{
    struct csv_odd_cells *odd = &at->rows->odd;
    bool refused = !at->plan->inferred.applied || result == NUMBER_OVERFLOW;
    if (refused)
        return fail_number(at, cell, field, result);
    if (odd->count < CSV_ODD_SHOWN) {
        const struct csv_error before = at->rows->error;
        fail_cell(at, CSV_TEXT, cell, field); /* for its place */
        odd->cell[odd->count] = at->rows->error;
        at->rows->error = before;
    }
    odd->count++;
    return take_missing(at, cell, field);
}

/* Stores `count` numbers; NULL: as many that are missing. */
static void store_numbers(struct csv_cursor *at, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double wide = numbers ? numbers[i] : (double)NAN;
        float narrow = (float)wide;
        memcpy(at->out, at->plan->f64 ? (const void *)&wide : (const void *)&narrow, at->plan->cell_size);
        at->out += at->plan->cell_size;
    }
}

/* Reads a cell by the rule of its column: a number in another notation, a boolean, a date, a text. */
static bool take_converted(struct csv_cursor *at, const struct csv_cell *cell, size_t field)
{
    const struct column_rule *rule = &at->plan->inferred.rule[field];
    const char *from = cell->from, *to = cell->to;
    size_t count = column_rule_numbers(rule), length;
    if (csv_is_gap(at->plan, cell, false)) {
        store_numbers(at, NULL, count);
        return take_missing(at, cell, field);
    }
    if (cell->doubled) {
        from = prepare(at, cell, ' ', &length);
        if (!from)
            return fail_memory(at);
        to = from + length;
        from++;
    }
    if (!column_rule_read(rule, from, to, at->numbers)) {
        store_numbers(at, NULL, count);
        return take_odd(at, cell, field, NUMBER_NONE);
    }
    if (!at->plan->f64 && !(fabs(at->numbers[0]) <= (double)FLT_MAX)) /* dates and words are small */
        return fail_cell(at, CSV_TOO_LARGE_F32, cell, field);
    store_numbers(at, at->numbers, count);
    return true;
}

/* Parses a number in any notation and stores it; a missing one is stored as NaN, which csv_to_dataset replaces. No
 * other cell is NaN, since "nan" counts as missing. */
static bool take_feature(struct csv_cursor *at, const struct csv_cell *cell, size_t field)
{
    double wide = (double)NAN;
    float narrow = NAN;
    enum number_result result =
        at->plan->f64 ? number_f64(cell->from, cell->to, &wide) : number_f32(cell->from, cell->to, &narrow);
    if (result != NUMBER_OK) {
        bool gap = csv_is_gap(at->plan, cell, false);
        if (!(gap ? take_missing(at, cell, field) : take_odd(at, cell, field, result)))
            return false;
    }
    memcpy(at->out, at->plan->f64 ? (const void *)&wide : (const void *)&narrow, at->plan->cell_size);
    at->out += at->plan->cell_size;
    return true;
}

/* Weights are doubles, also if the features are floats; weight 0 excludes a row from the sums. NaN and infinity are
 * refused by the parser of numbers. */
static bool take_weight(struct csv_cursor *at, const struct csv_cell *cell, size_t field)
{
    double weight = 0;
    enum number_result result = number_f64(cell->from, cell->to, &weight);
    if (result != NUMBER_OK && csv_is_gap(at->plan, cell, true))
        return take_missing(at, cell, field);
    if (result != NUMBER_OK || weight < 0)
        return fail_cell(at, CSV_WEIGHT, cell, field);
    at->rows->weight[at->rows->rows] = weight;
    return true;
}

/* Remembers the cell of a categorical column; keep_row turns its text into a code once the row is known to be valid. A
 * missing cell is marked by from = NULL. */
static bool take_category(struct csv_cursor *at, const struct csv_cell *cell, size_t field)
{
    at->category[at->categories] = *cell;
    if (csv_is_gap(at->plan, cell, false)) {
        if (!take_missing(at, cell, field))
            return false;
        at->category[at->categories].from = NULL;
    }
    at->categories++;
    at->out += at->plan->cell_size; /* filled when the row is kept */
    return true;
}

/* The same for the label, of which a row has at most one. */
static bool take_label(struct csv_cursor *at, const struct csv_cell *cell, size_t field)
{
    at->label = *cell;
    return !csv_is_gap(at->plan, cell, true) || take_missing(at, cell, field);
}

/* Parses the cell at the cursor, in any notation, by the role of its column. A row must end exactly after its last
 * column. */
static bool take_cell(struct csv_cursor *at, size_t field)
{
    const struct csv_column_plan *plan = at->plan;
    struct csv_cell cell;
    enum csv_error_kind kind = csv_scan(&plan->format, at->p, at->text->to, &cell);
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
    case CSV_CONVERTED:
        return take_converted(at, &cell, field);
    case CSV_IGNORED:
        break;
    }
    return true;
}

/* Features from column `field` on, as long as they are plain numbers; returns the column after them. Inline, so that
 * there is one loop for floats and one for doubles. */
__attribute__((always_inline)) static inline size_t take_plain_as(struct csv_cursor *at, size_t field, bool f64)
{
    const struct csv_column_plan *plan = at->plan;
    const char *p = at->p;
    const unsigned char *role = plan->role;
    const size_t columns = plan->columns, size = f64 ? sizeof(double) : sizeof(float);
    const char separator = plan->format.separator;
    unsigned char *out = at->out;
    for (; field < columns && role[field] == CSV_FEATURE; field++) {
        char ending = field + 1 == columns ? '\n' : separator;
        const char *end = take_digit(p, ending, f64, out);
        if (!end)
            end = take_number(p, ending, f64, out);
        if (!end)
            break;
        p = end;
        out += size;
    }
    at->p = p;
    at->out = out;
    return field;
}

/* Two instances of the loop, without a branch on the type within it. The compiler specialises take_plain_as for each
 * constant. */
static size_t take_plain(struct csv_cursor *at, size_t field)
{
    return at->plan->f64 ? take_plain_as(at, field, true) : take_plain_as(at, field, false);
}

/* ---- Rows --------------------------------------------------------------------------------------- */

/* Refuses a new class that is a number but not a finite one: NaN or 1e400 as the name of a class would hide an error.
 * Classes that are known already were checked when they were new. */
static bool check_label(struct csv_cursor *at)
{
    double ignored;
    enum number_result result = number_f64(at->label.from, at->label.to, &ignored);
    if (result == NUMBER_NOT_FINITE || result == NUMBER_OVERFLOW)
        return fail_cell(at, CSV_LABEL_NOT_FINITE, &at->label, at->plan->label);
    return true;
}

/* Checks the result of a class table. The error is for the whole row, as when the tables of several chunks are merged.
 * The message then does not depend on the number of threads. */
static bool check_code(struct csv_cursor *at, uint32_t code, enum csv_error_kind kind, size_t field)
{
    if (code == CLASSES_NO_MEMORY)
        return fail_memory(at);
    if (code != CLASSES_FULL)
        return true;
    fail(at, kind, at->row, field);
    at->rows->error.column = 0;
    return false;
}

/* Stores the code of the label. Most labels are known classes and are found by their spelling without a copy; only a
 * text with doubled quotes has to be unquoted first. */
static bool keep_label(struct csv_cursor *at)
{
    struct csv_rows *rows = at->rows;
    const char *text = at->label.from;
    size_t length = (size_t)(at->label.to - text), before = rows->classes.count;
    if (at->label.doubled) {
        text = prepare(at, &at->label, ' ', &length);
        if (!text)
            return fail_memory(at);
        text++, length--;
    }
    uint32_t code = classes_add(&rows->classes, text, length);
    if (rows->classes.count > before && !check_label(at))
        return false;
    rows->label[rows->rows] = code;
    return check_code(at, code, CSV_LABELS, at->plan->label);
}

/* Stores the code of categorical cell `which` in the row. The class table treats names that are equal as numbers as one
 * class; the '=' before the text prevents that, so that 1 and 1.0, or 0e1 and 0e2, stay different texts. */
static bool keep_category(struct csv_cursor *at, size_t which)
{
    struct csv_rows *rows = at->rows;
    const struct csv_column_plan *plan = at->plan;
    uint32_t code = CSV_NO_CODE;
    if (at->category[which].from) {
        size_t length;
        const char *text = prepare(at, &at->category[which], '=', &length);
        if (!text)
            return fail_memory(at);
        code = classes_add(&rows->category[which], text, length);
        if (!check_code(at, code, CSV_VALUES, plan->category[which]))
            return false;
    }
    unsigned char *row = rows->cells + rows->rows * plan->row_size;
    memcpy(row + plan->slot[which] * plan->cell_size, &code, sizeof code);
    return true;
}

/* Keeps the texts of the columns that the plan names. The row is scanned once more, which only rows with such columns
 * cost; it was parsed, so that it has all columns. */
static bool keep_texts(struct csv_cursor *at)
{
    const struct csv_column_plan *plan = at->plan;
    struct csv_rows *rows = at->rows;
    const char *p = at->row;
    for (size_t field = 0; field < plan->columns; field++) {
        csv_scan(&plan->format, p, at->text->to, &at->cell[field]);
        p = at->cell[field].next;
    }
    rows->kept_start[rows->rows] = rows->kept.length;
    for (size_t i = 0; i < plan->kept_count; i++) {
        size_t length;
        const char *text = prepare(at, &at->cell[plan->kept[i]], ' ', &length);
        if (!text)
            return fail_memory(at);
        text_append_bytes(&rows->kept, text + 1, length - 1);
        text_append_bytes(&rows->kept, "", 1);
    }
    return !rows->kept.failed || fail_memory(at);
}

/* Completes a valid row: assigns codes to its texts and counts it. Categories come before the label; csv_rows_recode
 * relies on this order. */
static bool keep_row(struct csv_cursor *at)
{
    struct csv_rows *rows = at->rows;
    for (size_t i = 0; i < at->plan->categories; i++)
        if (!keep_category(at, i))
            return false;
    if (rows->label && !keep_label(at))
        return false;
    if (at->plan->kept_count > 0 && !keep_texts(at))
        return false;
    rows->line[rows->rows++] = rows->lines + 1;
    return true;
}

/* One row, from its first cell to its newline. If it fails, nothing of it is kept. Plain numbers are parsed by
 * take_plain until a cell needs the general parser; the two alternate within the row. */
static bool take_row(struct csv_cursor *at)
{
    const struct csv_column_plan *plan = at->plan;
    struct csv_rows *rows = at->rows;
    if (rows->rows == rows->capacity && !reserve(rows, plan, rows->rows + 1))
        return fail_memory(at);
    /* The row is written to its final place at once; if it fails or is dropped, rows->rows is not raised and the next
     * row overwrites it. */
    at->row = at->p;
    at->out = rows->cells + rows->rows * plan->row_size;
    at->quoted = at->dropped = false;
    at->categories = 0;
    for (size_t field = 0; field < plan->columns; field++) {
        field = take_plain(at, field);
        if (field < plan->columns && !take_cell(at, field))
            return false;
    }
    /* A dropped row leaves no classes behind, since its texts did not become codes. */
    if (at->dropped)
        rows->dropped++;
    else if (!keep_row(at))
        return false;
    /* Without quoted cells a row is one line, and need not be scanned for newlines again; so it is in an origin. */
    rows->lines += at->quoted && !plan->origin ? count_lines(at->row, (size_t)(at->p - at->row)) : 1;
    return true;
}

/* The most numbers that a cell becomes. */
static size_t most_numbers(const struct csv_column_plan *plan)
{
    size_t most = 1;
    for (size_t i = 0; plan->inferred.rule && i < plan->columns; i++) {
        size_t count = csv_column_numbers(plan, i);
        most = count > most ? count : most;
    }
    return most;
}

/* Stops at the first error; the rows before it are kept, since an error of another chunk may come first. */
bool csv_parse(const struct csv_column_plan *plan, const struct csv_chunk *text, struct csv_rows *rows)
{
    struct csv_cursor at = {.plan = plan, .rows = rows, .text = text, .p = text->from};
    at.category = mem_alloc(plan->categories, sizeof *at.category);
    at.numbers = mem_alloc(most_numbers(plan), sizeof *at.numbers);
    at.cell = mem_alloc(plan->kept_count > 0 ? plan->columns : 0, sizeof *at.cell);
    bool fine = (at.category && at.numbers && at.cell) || fail_memory(&at);
    while (fine) {
        at.p = csv_skip_blank_lines(&plan->format, at.p, text->to, &rows->lines);
        if (at.p == text->to)
            break;
        fine = take_row(&at);
    }
    mem_free(at.category);
    mem_free(at.numbers);
    mem_free(at.cell);
    mem_free(at.scratch);
    return fine;
}
