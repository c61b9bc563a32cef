/* arrow_table: takes over arrays, finds their columns and types, and refuses what is no table. */
#include "data/arrow/arrow_table.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/quote_text.h"

enum { LIST_MOST = 1 << 20 }; /* items of a list of a fixed size */

/* ---- Types ------------------------------------------------------------------------------------- */

static const int64_t SECONDS_A_DAY = 86400;

/* Formats of one letter, by the C data interface. */
static bool find_letter(char letter, struct arrow_type *type)
{
    static const struct {
        char letter;
        struct arrow_type type;
    } letters[] = {
        {'n', {.kind = ARROW_NULLS}},
        {'b', {.kind = ARROW_BOOLEAN}},
        {'c', {.kind = ARROW_SIGNED, .size = 1}},
        {'C', {.kind = ARROW_UNSIGNED, .size = 1}},
        {'s', {.kind = ARROW_SIGNED, .size = 2}},
        {'S', {.kind = ARROW_UNSIGNED, .size = 2}},
        {'i', {.kind = ARROW_SIGNED, .size = 4}},
        {'I', {.kind = ARROW_UNSIGNED, .size = 4}},
        {'l', {.kind = ARROW_SIGNED, .size = 8}},
        {'L', {.kind = ARROW_UNSIGNED, .size = 8}},
        {'e', {.kind = ARROW_FLOAT, .size = 2}},
        {'f', {.kind = ARROW_FLOAT, .size = 4}},
        {'g', {.kind = ARROW_FLOAT, .size = 8}},
        {'u', {.kind = ARROW_TEXT, .size = 4}},
        {'U', {.kind = ARROW_TEXT, .size = 8}},
    };
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter) {
            *type = letters[i].type;
            return true;
        }
    return false;
}

/* Ticks of a second by the letter of its unit; 0 for another letter. */
static int64_t ticks_of(char unit)
{
    return unit == 's' ? 1 : unit == 'm' ? 1000 : unit == 'u' ? 1000000 : unit == 'n' ? 1000000000 : 0;
}

/* Dates, times and timestamps: "tdD", "ttu", "tsn:Europe/Rome". The values of a time zone are those of UTC. */
static bool find_time(const char *format, struct arrow_type *type)
{
    int64_t ticks = format[1] && format[2] ? ticks_of(format[2]) : 0;
    if (format[1] == 'd' && format[2] == 'D')
        *type = (struct arrow_type){.kind = ARROW_DATE, .size = 4, .ticks_a_day = 1};
    else if (format[1] == 'd' && format[2] == 'm')
        *type = (struct arrow_type){.kind = ARROW_DATE, .size = 8, .ticks_a_day = SECONDS_A_DAY * 1000};
    else if (format[1] == 't' && ticks > 0)
        *type = (struct arrow_type){
            .kind = ARROW_TIME, .size = ticks <= 1000 ? 4 : 8, .ticks_a_day = SECONDS_A_DAY * ticks};
    else if (format[1] == 's' && ticks > 0)
        *type = (struct arrow_type){.kind = ARROW_DATE, .size = 8, .ticks_a_day = SECONDS_A_DAY * ticks};
    else
        return false;
    return true;
}

/* Reads digits that end in a comma or the text; *at is after the comma. */
static bool take_digits(const char **at, unsigned long long *number)
{
    const char *end = *at + strcspn(*at, ",");
    bool found = number_u64(*at, end, number);
    *at = *end ? end + 1 : end;
    return found;
}

/* Decimals: "d:PRECISION,SCALE" of 128 bits, or with the bits after it. A negative scale is refused. */
static bool find_decimal(const char *format, struct arrow_type *type)
{
    unsigned long long precision, scale, bits = 128;
    const char *at = format + 2;
    if (format[1] != ':' || !take_digits(&at, &precision) || !take_digits(&at, &scale))
        return false;
    if (*at && !take_digits(&at, &bits))
        return false;
    bool known = bits == 32 || bits == 64 || bits == 128;
    if (!known || precision < 1 || precision > 38 || scale > precision)
        return false;
    *type = (struct arrow_type){.kind = ARROW_DECIMAL, .size = (unsigned)bits / 8, .digits = (unsigned)scale};
    return true;
}

static bool find_type(const char *format, struct arrow_type *type)
{
    if (format[0] && !format[1])
        return find_letter(format[0], type);
    if (format[0] == 't')
        return find_time(format, type);
    if (format[0] == 'd')
        return find_decimal(format, type);
    *type = (struct arrow_type){.kind = ARROW_TEXT_VIEW, .size = 16};
    return strcmp(format, "vu") == 0;
}

/* ---- Columns ----------------------------------------------------------------------------------- */

/* What is refused, in words. */
static const char *words_of(const char *format)
{
    static const char *const words[][2] = {
        {"+l", "a list"}, {"+L", "a list"},  {"+vl", "a list"},         {"+w", "a list"},     {"+s", "a struct"},
        {"+m", "a map"},  {"+u", "a union"}, {"+r", "run-end encoded"}, {"z", "binary"},      {"Z", "binary"},
        {"vz", "binary"}, {"w:", "binary"},  {"tD", "a duration"},      {"ti", "an interval"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(format, words[i][0], strlen(words[i][0])) == 0)
            return words[i][1];
    return "of a type that has no numbers";
}

static temper_status refuse_column(const struct arrow_table *table, const struct ArrowSchema *field,
                                   temper_error *error)
{
    const char *name = field->name ? field->name : "";
    return error_set(error, TEMPER_BAD_DATA,
                     "%s: column '%s' is %s (Arrow format %.16s); leave it out, or make columns of numbers, texts or "
                     "dates of it",
                     place_text(table->name).text, token_text(name, name + strlen(name)).text, words_of(field->format),
                     field->format);
}

/* The name of a column: that of the field, or of an item of its list. NULL without memory. */
static char *make_name(const struct ArrowSchema *field, const struct arrow_column *column)
{
    const char *name = field->name ? field->name : "";
    size_t room = strlen(name) + 32;
    char *made = mem_alloc(room, 1);
    if (made && column->items == 0)
        snprintf(made, room, "%s", name);
    else if (made)
        snprintf(made, room, "%s[%zu]", name, column->item);
    return made;
}

/* Adds the columns of a field: one, or those of a list. */
static temper_status add_columns(struct arrow_table *table, const struct ArrowSchema *field, struct arrow_column like,
                                 temper_error *error)
{
    size_t count = like.items ? like.items : 1;
    struct arrow_column *column = mem_resize(table->column, table->columns + count, sizeof *column);
    if (!column)
        return error_no_memory(error);
    table->column = column;
    for (like.item = 0; like.item < count; like.item++) {
        like.name = make_name(field, &like);
        if (!like.name)
            return error_no_memory(error);
        column[table->columns++] = like;
    }
    return TEMPER_OK;
}

/* A field of the struct. */
static temper_status add_field(struct arrow_table *table, size_t child, temper_error *error)
{
    const struct ArrowSchema *field = table->schema.children[child];
    struct arrow_column column = {.child = child};
    if (strncmp(field->format, "+w:", 3) == 0 && field->n_children == 1) {
        const char *digits = field->format + 3;
        unsigned long long items;
        const struct ArrowSchema *values = field->children[0];
        if (!take_digits(&digits, &items) || items < 1 || items > LIST_MOST || values->dictionary ||
            !find_type(values->format, &column.type))
            return refuse_column(table, field, error);
        column.items = (size_t)items;
    } else if (field->dictionary) {
        bool known = find_type(field->format, &column.index) && find_type(field->dictionary->format, &column.type);
        if (!known || field->dictionary->dictionary)
            return refuse_column(table, field, error);
    } else if (!find_type(field->format, &column.type)) {
        return refuse_column(table, field, error);
    }
    return add_columns(table, field, column, error);
}

static temper_status find_columns(struct arrow_table *table, temper_error *error)
{
    if (!table->schema.format || strcmp(table->schema.format, "+s") != 0)
        return error_set(error, TEMPER_BAD_DATA,
                         "%s: an Arrow array, but no table of columns; give a record batch or a table",
                         place_text(table->name).text);
    for (int64_t i = 0; i < table->schema.n_children; i++)
        TRY(add_field(table, (size_t)i, error));
    return TEMPER_OK;
}

/* ---- Chunks ------------------------------------------------------------------------------------ */

/* How many buffers an array of a type has. */
static int64_t buffers_of(const struct arrow_type *type)
{
    return type->kind == ARROW_NULLS ? 0 : type->kind == ARROW_TEXT ? 3 : type->kind == ARROW_TEXT_VIEW ? 3 : 2;
}

/* Whether an array has the buffers of its type and at least `needed` values. */
static bool has_values(const struct ArrowArray *array, const struct arrow_type *type, int64_t needed)
{
    return array && array->offset >= 0 && array->length >= needed && array->n_buffers >= buffers_of(type) &&
           (array->buffers || array->n_buffers == 0) && (needed == 0 || array->n_buffers < 2 || array->buffers[1]);
}

/* Whether the arrays of a chunk are what the schema says. */
static bool chunk_fits(const struct arrow_table *table, const struct ArrowArray *chunk)
{
    bool fits = chunk->n_children == table->schema.n_children && chunk->length >= 0 && chunk->offset >= 0;
    for (size_t i = 0; fits && i < table->columns; i++) {
        const struct arrow_column *column = &table->column[i];
        const struct ArrowArray *array = chunk->children[column->child];
        int64_t needed = chunk->offset + chunk->length;
        bool dictionary = column->index.kind != ARROW_NULLS;
        fits = array && array->length >= needed && array->offset >= 0;
        if (fits && column->items > 0)
            fits = array->n_children == 1 &&
                   has_values(array->children[0], &column->type, (array->offset + needed) * (int64_t)column->items);
        else if (fits && dictionary)
            fits = has_values(array, &column->index, needed) && has_values(array->dictionary, &column->type, 0);
        else if (fits)
            fits = has_values(array, &column->type, needed);
    }
    return fits;
}

/* Takes over a chunk; released on failure too. */
static temper_status add_chunk(struct arrow_table *table, struct ArrowArray *array, temper_error *error)
{
    struct ArrowArray *chunk = mem_resize(table->chunk, table->chunks + 1, sizeof *chunk);
    if (!chunk || !chunk_fits(table, array)) {
        if (chunk)
            table->chunk = chunk;
        array->release(array);
        return chunk ? error_set(error, TEMPER_BAD_DATA,
                                 "%s: the arrays are not what their schema says; report it to the program that made "
                                 "them",
                                 place_text(table->name).text)
                     : error_no_memory(error);
    }
    table->chunk = chunk;
    chunk[table->chunks++] = *array;
    table->rows += (size_t)array->length;
    array->release = NULL; /* it was moved */
    return TEMPER_OK;
}

void arrow_table_free(struct arrow_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->chunks; i++)
        table->chunk[i].release(&table->chunk[i]);
    if (table->schema.release)
        table->schema.release(&table->schema);
    for (size_t i = 0; i < table->columns; i++)
        mem_free(table->column[i].name);
    mem_free(table->column);
    mem_free(table->chunk);
    mem_free(table->name);
    mem_free(table);
}

/* ---- Making ------------------------------------------------------------------------------------ */

/* An empty table; NULL without memory. */
static struct arrow_table *new_table(const char *name)
{
    size_t length = strlen(name) + 1;
    struct arrow_table *table = mem_zeroed(1, sizeof *table);
    char *copy = table ? mem_alloc(length, 1) : NULL;
    if (!copy) {
        mem_free(table);
        return NULL;
    }
    table->name = memcpy(copy, name, length);
    return table;
}

/* The error that a stream reports. */
static temper_status stream_failed(const struct arrow_table *table, struct ArrowArrayStream *stream,
                                   temper_error *error)
{
    const char *words = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    return error_set(error, TEMPER_BAD_DATA, "%s: the table cannot be read: %.300s", place_text(table->name).text,
                     words ? words : "its source gives no reason");
}

/* Reads all chunks of the stream. */
static temper_status take_stream(struct arrow_table *table, struct ArrowArrayStream *stream, temper_error *error)
{
    if (stream->get_schema(stream, &table->schema) != 0) {
        table->schema.release = NULL;
        return stream_failed(table, stream, error);
    }
    TRY(find_columns(table, error));
    for (;;) {
        struct ArrowArray array = {.release = NULL};
        if (stream->get_next(stream, &array) != 0)
            return stream_failed(table, stream, error);
        if (!array.release) /* the end */
            return TEMPER_OK;
        TRY(add_chunk(table, &array, error));
    }
}

temper_status arrow_table_of_stream(struct ArrowArrayStream *stream, const char *name, struct arrow_table **out,
                                    temper_error *error)
{
    struct ArrowArrayStream moved = *stream;
    struct arrow_table *table = new_table(name);
    stream->release = NULL;
    temper_status status = table ? take_stream(table, &moved, error) : error_no_memory(error);
    moved.release(&moved);
    if (status == TEMPER_OK)
        *out = table;
    else
        arrow_table_free(table);
    return status;
}

temper_status arrow_table_of_array(struct ArrowSchema *schema, struct ArrowArray *array, const char *name,
                                   struct arrow_table **out, temper_error *error)
{
    struct ArrowSchema type = *schema;
    struct ArrowArray moved = *array;
    struct arrow_table *table = new_table(name);
    schema->release = NULL;
    array->release = NULL;
    temper_status status = table ? TEMPER_OK : error_no_memory(error);
    if (table)
        table->schema = type;
    else
        type.release(&type);
    if (status == TEMPER_OK)
        status = find_columns(table, error);
    if (status == TEMPER_OK)
        status = add_chunk(table, &moved, error);
    else
        moved.release(&moved);
    if (status == TEMPER_OK)
        *out = table;
    else
        arrow_table_free(table);
    return status;
}
