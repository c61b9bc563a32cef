/* arrow_cell: the values of Arrow arrays as numbers, and as the texts that CSV would have. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/arrow/arrow_table.h"

/* ---- Places ------------------------------------------------------------------------------------ */

/* Rows of a slice begin at the offset of each array that contains them: of the struct, of the list, of the values. */
struct arrow_values arrow_column_values(const struct arrow_table *table, const struct arrow_column *column,
                                        size_t chunk)
{
    const struct ArrowArray *rows = &table->chunk[chunk], *field = rows->children[column->child];
    size_t first = (size_t)(rows->offset + field->offset);
    if (column->items == 0)
        return (struct arrow_values){
            .array = field, .rows = rows, .rows_first = (size_t)rows->offset, .first = first, .step = 1};
    const struct ArrowArray *list = field->children[0];
    return (struct arrow_values){.array = list,
                                 .rows = field,
                                 .rows_first = first,
                                 .first = (size_t)list->offset + first * column->items + column->item,
                                 .step = column->items};
}

/* A bit of a bitmap, of which the first is the lowest of the first byte. */
static bool bit_at(const void *bits, size_t index)
{
    return ((const unsigned char *)bits)[index / 8] >> (index % 8) & 1;
}

/* Whether element `index` is null. An array without a bitmap has none. */
static bool is_null(const struct ArrowArray *array, size_t index)
{
    const void *bits = array->n_buffers > 0 && array->null_count != 0 ? array->buffers[0] : NULL;
    return bits && !bit_at(bits, index);
}

bool arrow_is_gap(const struct arrow_values *values, size_t row)
{
    return is_null(values->rows, values->rows_first + row) ||
           is_null(values->array, values->first + row * values->step);
}

bool arrow_may_have_gaps(const struct arrow_values *values)
{
    const struct ArrowArray *array = values->array, *rows = values->rows;
    return array->n_buffers == 0 || (array->null_count != 0 && array->buffers[0]) ||
           (rows->null_count != 0 && rows->n_buffers > 0 && rows->buffers[0]);
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

/* An integer of `size` bytes. */
static int64_t signed_at(const void *values, unsigned size, size_t i)
{
    switch (size) {
    case 1:
        return ((const int8_t *)values)[i];
    case 2:
        return ((const int16_t *)values)[i];
    case 4:
        return ((const int32_t *)values)[i];
    default:
        return ((const int64_t *)values)[i];
    }
}

static uint64_t unsigned_at(const void *values, unsigned size, size_t i)
{
    switch (size) {
    case 1:
        return ((const uint8_t *)values)[i];
    case 2:
        return ((const uint16_t *)values)[i];
    case 4:
        return ((const uint32_t *)values)[i];
    default:
        return ((const uint64_t *)values)[i];
    }
}

/* A float of 16 bits: sign, 5 bits of exponent, 10 of the fraction. */
static double half_at(const void *values, size_t i)
{
    enum { FRACTION = 10, BIAS = 15, LARGEST = 31 };
    unsigned bits = ((const uint16_t *)values)[i];
    int exponent = (int)(bits >> FRACTION & LARGEST);
    double fraction = (double)(bits & ((1u << FRACTION) - 1)), size;
    if (exponent == LARGEST)
        size = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        size = ldexp(fraction, 1 - BIAS - FRACTION);
    else
        size = ldexp(fraction + (1 << FRACTION), exponent - BIAS - FRACTION);
    return bits >> 15 ? -size : size;
}

static double float_at(const void *values, unsigned size, size_t i)
{
    if (size == 2)
        return half_at(values, i);
    return size == 4 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

bool arrow_is_number(const struct arrow_column *column)
{
    enum arrow_kind kind = column->type.kind;
    return column->index.kind == ARROW_NULLS && (kind == ARROW_SIGNED || kind == ARROW_UNSIGNED || kind == ARROW_FLOAT);
}

void arrow_numbers(const struct arrow_column *column, const struct arrow_values *values, size_t row, size_t count,
                   double *out)
{
    const void *numbers = values->array->buffers[1];
    assert(numbers); /* an array with rows and without gaps */
    unsigned size = column->type.size;
    size_t at = values->first + row * values->step;
    for (size_t i = 0; i < count; i++, at += values->step)
        out[i] = column->type.kind == ARROW_FLOAT    ? float_at(numbers, size, at)
                 : column->type.kind == ARROW_SIGNED ? (double)signed_at(numbers, size, at)
                                                     : (double)unsigned_at(numbers, size, at);
}

/* ---- Texts of numbers -------------------------------------------------------------------------- */

/* A float is written with a point, as by other programs, so that labels have the same names; NaN is a gap. */
static bool write_float(const struct arrow_type *type, const void *values, size_t i, struct arrow_cell *cell)
{
    double value = float_at(values, type->size, i);
    size_t length;
    if (isnan(value))
        return false;
    if (isinf(value)) {
        cell->to = cell->made + snprintf(cell->made, ARROW_CELL, value > 0 ? "inf" : "-inf");
        return true;
    }
    length = type->size == 8 ? number_write_f64(value, cell->made) : number_write_f32((float)value, cell->made);
    if (strspn(cell->made, "-0123456789") == length) {
        memcpy(cell->made + length, ".0", 3);
        length += 2;
    }
    cell->to = cell->made + length;
    return true;
}

/* Two's complement of up to 128 bits, as digits with a point; 38 digits at most. */
static void write_decimal(const struct arrow_type *type, const void *values, size_t i, struct arrow_cell *cell)
{
    uint64_t low, high;
    if (type->size == 16) {
        memcpy(&low, (const char *)values + i * 16, sizeof low);
        memcpy(&high, (const char *)values + i * 16 + 8, sizeof high);
    } else {
        low = (uint64_t)signed_at(values, type->size, i);
        high = low >> 63 ? UINT64_MAX : 0;
    }
    bool negative = high >> 63;
    if (negative) {
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    char digits[ARROW_CELL] = "";
    size_t count = 0;
    /* By base 2^32, from the highest word: each step divides by ten. */
    uint32_t word[4] = {(uint32_t)(high >> 32), (uint32_t)high, (uint32_t)(low >> 32), (uint32_t)low};
    while (count <= type->digits || word[0] || word[1] || word[2] || word[3]) {
        uint64_t rest = 0;
        for (int w = 0; w < 4; w++) {
            uint64_t part = rest << 32 | word[w];
            word[w] = (uint32_t)(part / 10);
            rest = part % 10;
        }
        digits[count++] = (char)('0' + rest);
    }
    char *out = cell->made;
    if (negative)
        *out++ = '-';
    while (count > 0) {
        *out++ = digits[--count];
        if (count == type->digits && count > 0)
            *out++ = '.';
    }
    cell->to = out;
}

/* ---- Dates ------------------------------------------------------------------------------------- */

/* Year, month and day of a day since 1970-01-01, in the Gregorian calendar: by years that begin in March, of which 400
 * have 146,097 days. */
static void write_day(int64_t day, struct arrow_cell *cell)
{
    enum { TO_MARCH_0 = 719468, ERA = 146097 };
    int64_t from = day + TO_MARCH_0, era = (from >= 0 ? from : from - (ERA - 1)) / ERA;
    int64_t of_era = from - era * ERA;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / (ERA - 1)) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * of_year + 2) / 153, date = of_year - (153 * month + 2) / 5 + 1;
    month += month < 10 ? 3 : -9;
    int64_t year = year_of_era + era * 400 + (month <= 2);
    cell->to =
        cell->made + snprintf(cell->made, ARROW_CELL, "%04lld-%02d-%02d", (long long)year, (int)month, (int)date);
}

/* Hours, minutes, seconds and their fraction after what the cell has. */
static void write_time(const struct arrow_type *type, int64_t ticks, struct arrow_cell *cell)
{
    int64_t a_second = type->ticks_a_day / 86400, second = ticks / a_second, part = ticks % a_second;
    char *out = cell->made + (cell->to - cell->made);
    size_t room = ARROW_CELL - (size_t)(out - cell->made);
    int length =
        snprintf(out, room, "%02d:%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60));
    if (part > 0) {
        int digits = a_second == 1000 ? 3 : a_second == 1000000 ? 6 : 9;
        length += snprintf(out + length, room - (size_t)length, ".%0*lld", digits, (long long)part);
    }
    cell->to = out + length;
}

/* A timestamp at midnight is a day, as pandas writes it. */
static void write_date(const struct arrow_type *type, const void *values, size_t i, struct arrow_cell *cell)
{
    int64_t ticks = signed_at(values, type->size, i);
    int64_t day = ticks / type->ticks_a_day, rest = ticks % type->ticks_a_day;
    if (rest < 0) {
        rest += type->ticks_a_day;
        day--;
    }
    write_day(day, cell);
    if (rest == 0)
        return;
    size_t length = (size_t)(cell->to - cell->made);
    cell->made[length] = ' ';
    cell->to++;
    write_time(type, rest, cell);
}

/* ---- Texts ------------------------------------------------------------------------------------- */

static bool find_text(const struct ArrowArray *array, const struct arrow_type *type, size_t i, struct arrow_cell *cell)
{
    int64_t from = signed_at(array->buffers[1], type->size, i), to = signed_at(array->buffers[1], type->size, i + 1);
    if (from < 0 || to <= from)
        return false; /* an empty text is a gap, as in CSV */
    cell->from = (const char *)array->buffers[2] + from;
    cell->to = (const char *)array->buffers[2] + to;
    return true;
}

/* A view has the length, then up to 12 bytes, or the number of a buffer and the offset in it. */
static bool find_view(const struct ArrowArray *array, size_t i, struct arrow_cell *cell)
{
    enum { VIEW = 16, INLINE = 12, FIRST_BUFFER = 2 };
    const char *view = (const char *)array->buffers[1] + i * VIEW;
    int32_t length, buffer, offset;
    memcpy(&length, view, sizeof length);
    memcpy(&buffer, view + 8, sizeof buffer);
    memcpy(&offset, view + 12, sizeof offset);
    if (length <= 0)
        return false;
    cell->from = view + 4;
    if (length > INLINE) {
        if (buffer < 0 || offset < 0 || FIRST_BUFFER + buffer >= array->n_buffers - 1)
            return false;
        cell->from = (const char *)array->buffers[FIRST_BUFFER + buffer] + offset;
    }
    cell->to = cell->from + length;
    return true;
}

/* ---- Cells ------------------------------------------------------------------------------------- */

/* The text of element i of an array, which is not null. */
static bool element_text(const struct ArrowArray *array, const struct arrow_type *type, size_t i,
                         struct arrow_cell *cell)
{
    const void *values = array->n_buffers > 1 ? array->buffers[1] : NULL;
    cell->from = cell->to = cell->made;
    if (!values)
        return false; /* an array of nulls */
    switch (type->kind) {
    case ARROW_NULLS:
        return false;
    case ARROW_BOOLEAN:
        cell->to = cell->made + snprintf(cell->made, ARROW_CELL, bit_at(values, i) ? "true" : "false");
        return true;
    case ARROW_SIGNED:
        cell->to = cell->made + snprintf(cell->made, ARROW_CELL, "%lld", (long long)signed_at(values, type->size, i));
        return true;
    case ARROW_UNSIGNED:
        cell->to = cell->made +
                   snprintf(cell->made, ARROW_CELL, "%llu", (unsigned long long)unsigned_at(values, type->size, i));
        return true;
    case ARROW_FLOAT:
        return write_float(type, values, i, cell);
    case ARROW_DECIMAL:
        write_decimal(type, values, i, cell);
        return true;
    case ARROW_DATE:
        write_date(type, values, i, cell);
        return true;
    case ARROW_TIME:
        write_time(type, signed_at(values, type->size, i), cell);
        return true;
    case ARROW_TEXT:
        return find_text(array, type, i, cell);
    case ARROW_TEXT_VIEW:
        return find_view(array, i, cell);
    }
    return false;
}

bool arrow_cell_text(const struct arrow_column *column, const struct arrow_values *values, size_t row,
                     struct arrow_cell *cell)
{
    const struct ArrowArray *array = values->array;
    size_t i = values->first + row * values->step;
    if (arrow_is_gap(values, row))
        return false;
    if (column->index.kind == ARROW_NULLS)
        return element_text(array, &column->type, i, cell);
    const struct ArrowArray *dictionary = array->dictionary;
    if (!array->buffers[1])
        return false;
    uint64_t code = column->index.kind == ARROW_SIGNED ? (uint64_t)signed_at(array->buffers[1], column->index.size, i)
                                                       : unsigned_at(array->buffers[1], column->index.size, i);
    if (code >= (uint64_t)dictionary->length)
        return false;
    size_t at = (size_t)dictionary->offset + (size_t)code;
    return !is_null(dictionary, at) && element_text(dictionary, &column->type, at, cell);
}
