/* classes: the names of the classes, and a hash table from every spelling to its class.
 *
 * The table holds spellings ("+1", "1.0"), not only names ("1"): a label is parsed as a number only when its spelling
 * is new. */
#include "data/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/quote_text.h"
#include "data/string_table.h"

enum {
    MOST_SPELLINGS = 1 << 18, /* in the table; further ones are parsed each time */
    LONGEST_SPELLING = 64,    /* that is stored besides the name */
    EXACT_DIGITS = 15         /* doubles distinguish all decimals of so many digits */
};

#define NOT_FOUND UINT32_MAX
#define NO_MEMORY UINT32_MAX
#define TOO_MANY  (UINT32_MAX - 1)

/* The part of struct classes that only this file sees. */
struct class_index {
    struct string_table spellings;
    double *value; /* of each class, if it is a number */
    bool *is_number;
    size_t capacity; /* of value, is_number and the names */
};

/* A label's name: the shortest decimal if it is a number, else the label itself. */
struct parsed_label {
    const char *name;
    size_t length;
    bool is_number;
    double value;
    char decimal[NUMBER_LENGTH];
};

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Copies the significant digits of a decimal, without leading and trailing zeros, at most `room` of them; returns
 * their number, which may exceed `room`. */
static size_t significant_digits(const char *text, size_t length, char *out, size_t room)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        /* Leading zeros are skipped here; `last` leaves out trailing ones. */
        if (text[i] < '0' || text[i] > '9' || (count == 0 && text[i] == '0'))
            continue;
        if (count < room)
            out[count] = text[i];
        count++;
        if (text[i] != '0')
            last = count;
    }
    return last;
}

/* Whether the name, a shortest decimal, has all digits of the label. Otherwise the double is too coarse: identifiers
 * such as 9007199254740993 would be merged with their neighbours, so they keep their spelling as name. */
static bool is_distinct(const char *text, size_t length, const char *name, size_t name_length)
{
    char given[NUMBER_LENGTH], kept[NUMBER_LENGTH];
    /* A buffer of any number's length is enough: longer ones are refused as not distinct. */
    size_t digits = significant_digits(text, length, given, sizeof given);
    if (digits <= EXACT_DIGITS)
        return true;
    return digits <= sizeof given && significant_digits(name, name_length, kept, sizeof kept) == digits &&
           memcmp(given, kept, digits) == 0;
}

/* Parses a label. Numbers get one name for all spellings ("1", "+1", "1.0"): the shortest decimal of their value. */
static void label_read(const char *text, size_t length, struct parsed_label *label)
{
    double value;
    *label = (struct parsed_label){.name = text, .length = length};
    /* An empty label is text. */
    if (length == 0 || number_f64(text, text + length, &value) != NUMBER_OK)
        return;
    label->is_number = true;
    label->value = value == 0 ? 0 : value; /* -0 is 0 */
    size_t written = number_write_f64(label->value, label->decimal);
    if (is_distinct(text, length, label->decimal, written)) {
        label->name = label->decimal;
        label->length = written;
    }
}

/* ---- Adding and finding ---------------------------------------------------------------------- */

/* Makes space for one more class; false without memory. Each array that has grown is stored at once, so that none is
 * lost if the next one fails; the capacity changes last. */
static bool reserve_class(struct classes *classes)
{
    struct class_index *index = classes->index;
    if (classes->count < index->capacity)
        return true;
    /* Doubling keeps the total cost of growing linear. */
    size_t capacity = index->capacity ? index->capacity * 2 : 16;
    char **name = (char **)mem_resize((void *)classes->name, capacity, sizeof *name);
    if (name)
        classes->name = name;
    double *value = mem_resize(index->value, capacity, sizeof *value);
    if (value)
        index->value = value;
    bool *is_number = mem_resize(index->is_number, capacity, sizeof *is_number);
    if (is_number)
        index->is_number = is_number;
    if (!name || !value || !is_number)
        return false;
    index->capacity = capacity;
    return true;
}

/* A copy with '\0' behind it, since labels in a text file have none. */
static char *copy_name(const char *text, size_t length)
{
    size_t size;
    char *copy = add_size(length, 1, &size) ? mem_alloc(size, 1) : NULL;
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Adds a class with its name as the first spelling, and returns its number. Nothing is added on failure. */
static uint32_t add_class(struct classes *classes, const struct parsed_label *label)
{
    struct class_index *index = classes->index;
    uint32_t number = (uint32_t)classes->count;
    /* More labels than this are probably no classes. */
    if (number == MOST_CLASSES)
        return TOO_MANY;
    char *name = copy_name(label->name, label->length);
    /* The table has a copy of its own of long strings, so `name` may be freed alone. */
    if (!name || !reserve_class(classes) || !string_table_add(&index->spellings, name, label->length, number)) {
        mem_free(name);
        return NO_MEMORY;
    }
    classes->name[number] = name;
    index->is_number[number] = label->is_number;
    index->value[number] = label->value;
    classes->count++;
    return number;
}

/* Stores another spelling of a class, up to the limits above, which bound the memory for data with endless spellings
 * (1.0, 1.00, ...); false without memory. */
static bool remember_spelling(struct classes *classes, const char *text, size_t length, uint32_t number)
{
    struct string_table *spellings = &classes->index->spellings;
    /* Beyond the limits a spelling is parsed each time it occurs. */
    if (length > LONGEST_SPELLING || spellings->used >= MOST_SPELLINGS)
        return true;
    return string_table_add(spellings, text, length, number);
}

/* A label the spelling of which is new: another spelling of a known class, or a new class. */
static uint32_t add_spelling(struct classes *classes, const char *text, size_t length)
{
    struct parsed_label label;
    label_read(text, length, &label);
    /* The name itself was not found in the table, so the class is new. */
    if (label.length == length && memcmp(label.name, text, length) == 0)
        return add_class(classes, &label);
    /* Another spelling of a class that is already known. */
    uint32_t number = string_table_find(&classes->index->spellings, label.name, label.length);
    if (number == NOT_FOUND)
        number = add_class(classes, &label);
    if (number < TOO_MANY && !remember_spelling(classes, text, length, number))
        return NO_MEMORY;
    return number;
}

/* The number of a label's class, which is added if it is new. Known spellings, nearly all labels of a file, cost one
 * lookup. */
uint32_t classes_add(struct classes *classes, const char *label, size_t length)
{
    /* Made on first use, so that empty classes need no initialisation. */
    if (!classes->index) {
        classes->index = mem_zeroed(1, sizeof *classes->index);
        if (!classes->index)
            return NO_MEMORY;
    }
    uint32_t number = string_table_find(&classes->index->spellings, label, length);
    return number != NOT_FOUND ? number : add_spelling(classes, label, length);
}

uint32_t classes_add_number(struct classes *classes, struct number_classes *seen, double value)
{
    char name[NUMBER_LENGTH];
    uint64_t bits;
    uint32_t class = classes_seen_number(seen, value);
    if (class != CLASSES_NONE)
        return class;
    class = classes_add(classes, name, number_write_f64(value, name));
    if (class < CLASSES_FULL) {
        memcpy(&bits, &value, sizeof bits);
        size_t place = number_classes_place(bits);
        seen->entry[place].bits = bits;
        seen->entry[place].class_up = class + 1;
    }
    return class;
}

/* Like classes_add, without adding. Spellings that are not stored are normalised first. */
uint32_t classes_find(const struct classes *classes, const char *label, size_t length)
{
    struct parsed_label read;
    if (!classes->index)
        return NOT_FOUND;
    /* The common case: the spelling is stored. */
    uint32_t number = string_table_find(&classes->index->spellings, label, length);
    if (number != NOT_FOUND)
        return number;
    label_read(label, length, &read);
    return string_table_find(&classes->index->spellings, read.name, read.length);
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* A class as it is sorted. */
struct class_rank {
    double value;
    char *name;
    uint32_t old;
};

/* The order of numeric classes: by value, and by name where long identifiers have equal doubles. */
static int by_value(const void *left, const void *right)
{
    const struct class_rank *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return strcmp(a->name, b->name); /* long identifiers with equal doubles */
}

/* Decides whether classes are sorted: "0", "1", "x" keep their order of appearance. */
bool classes_are_numbers(const struct classes *classes)
{
    for (size_t i = 0; i < classes->count; i++)
        if (!classes->index->is_number[i])
            return false;
    return classes->count > 0;
}

/* Sorts names and values, and renumbers the spellings; new_number[old] is the new number of each class. */
static void reorder(struct classes *classes, struct class_rank *ranked, uint32_t *new_number)
{
    double *value = classes->index->value;
    /* The old numbers travel with the names. */
    for (uint32_t i = 0; i < classes->count; i++)
        ranked[i] = (struct class_rank){value[i], classes->name[i], i};
    qsort(ranked, classes->count, sizeof *ranked, by_value);
    for (uint32_t i = 0; i < classes->count; i++) {
        new_number[ranked[i].old] = i;
        classes->name[i] = ranked[i].name;
        value[i] = ranked[i].value;
    }
    string_table_renumber(&classes->index->spellings, new_number);
}

/* Gives numeric classes the order of their values; text keeps the order of first appearance. new_number has room for
 * all classes and is always filled, so that callers can renumber labels without a test. */
temper_status classes_sort(struct classes *classes, uint32_t *new_number, temper_error *error)
{
    /* The identity, if nothing is sorted. */
    for (uint32_t i = 0; i < classes->count; i++)
        new_number[i] = i;
    if (!classes_are_numbers(classes))
        return TEMPER_OK;
    struct class_rank *ranked = mem_alloc(classes->count, sizeof *ranked);
    if (!ranked)
        return error_no_memory(error);
    reorder(classes, ranked, new_number);
    mem_free(ranked);
    return TEMPER_OK;
}

/* Also of half-built classes. */
void classes_free(struct classes *classes)
{
    if (!classes)
        return;
    for (size_t i = 0; i < classes->count; i++)
        mem_free(classes->name[i]);
    mem_free((void *)classes->name);
    if (classes->index) {
        string_table_free(&classes->index->spellings);
        mem_free(classes->index->value);
        mem_free(classes->index->is_number);
        mem_free(classes->index);
    }
    *classes = (struct classes){0};
}

enum { MORE_LENGTH = 32 }; /* " and 65533 more" */

/* The name of the data in messages: its path, or "data" if it comes from arrays. */
const char *source_shown(const struct dataset *data, char out[PATH_SHOWN])
{
    return path_shown(data->file.path ? data->file.path : "data", out);
}

/* The class names for a message, "a, b, c and 7 more", truncated to what fits. */
struct class_names_text class_names_text(const struct classes *classes)
{
    struct class_names_text list = {""};
    size_t used = 0, shown = 0;
    for (; shown < classes->count; shown++) {
        const char *name = classes->name[shown];
        struct token_text token = token_text(name, name + strlen(name));
        size_t length = strlen(token.text) + 2;
        if (used + length > sizeof list.text - MORE_LENGTH)
            break;
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s", shown ? ", " : "", token.text);
    }
    if (shown < classes->count)
        snprintf(list.text + used, sizeof list.text - used, "%s%zu more", shown ? " and " : "", classes->count - shown);
    return list;
}

/* The class of a name given by an option; the error lists the classes that there are. */
temper_status class_named(const struct dataset *data, const char *option, const char *name, uint32_t *number,
                          temper_error *error)
{
    uint32_t found = classes_find(&data->classes, name, strlen(name));
    if (found != UINT32_MAX) {
        *number = found;
        return TEMPER_OK;
    }
    /* A miss: the error lists what there is. */
    char file[PATH_SHOWN];
    struct token_text token = token_text(name, name + strlen(name));
    source_shown(data, file);
    if (data->classes.count == 0)
        return error_set(error, TEMPER_USAGE,
                         "%s: %s names class '%.48s', but the data has no labels; name their "
                         "column by --label or their file by --labels",
                         file, option, token.text);
    struct suggestion near = {.typed = name};
    char hint[80] = "";
    for (size_t c = 0; c < data->classes.count && strlen(name) > 2; c++)
        suggestion_offer(&near, data->classes.name[c]);
    if (near.name)
        snprintf(hint, sizeof hint, "did you mean '%.48s'? ",
                 token_text(near.name, near.name + strlen(near.name)).text);
    return error_set(error, TEMPER_USAGE, "%s: %s: there is no class '%.48s'; %sclasses are %s", file, option,
                     token.text, hint, class_names_text(&data->classes).text);
}

/* A copy with the same numbers, since names are added in their order. Other spellings are not copied: they are
 * normalised when they occur. */
temper_status classes_copy(const struct classes *from, struct classes *to, temper_error *error)
{
    struct classes copy = {0};
    for (size_t i = 0; i < from->count; i++) {
        /* A number other than i means that there was no memory, since names are distinct. */
        if (classes_add(&copy, from->name[i], strlen(from->name[i])) != i) {
            classes_free(&copy);
            return error_no_memory(error);
        }
    }
    *to = copy;
    return TEMPER_OK;
}

/* The first row of a class that has no new number; x.rows if all have one. */
static uint64_t first_unknown(const struct dataset *data, const uint32_t *number)
{
    uint64_t row = 0;
    while (row < data->x.rows && number[data->label[row]] != CLASSES_NONE)
        row++;
    return row;
}

/* Renumbers the labels by the classes of a model or another dataset. All rows are checked before anything changes;
 * TEMPER_BAD_DATA with *row if one has an unknown class, for which the caller has the better message. */
temper_status classes_adopt(struct dataset *data, const struct classes *classes, uint64_t *row, temper_error *error)
{
    struct classes copy, theirs = data->classes;
    uint32_t *number = mem_alloc(theirs.count, sizeof *number);
    if (!number)
        return error_no_memory(error);
    /* By name, so that spellings such as "1.0" match "1". */
    for (size_t c = 0; c < theirs.count; c++)
        number[c] = classes_find(classes, theirs.name[c], strlen(theirs.name[c]));
    *row = first_unknown(data, number);
    temper_status status = *row < data->x.rows ? TEMPER_BAD_DATA : classes_copy(classes, &copy, error);
    if (status == TEMPER_OK) {
        for (uint64_t i = 0; i < data->x.rows; i++)
            data->label[i] = number[data->label[i]];
        data->classes = copy;
        classes_free(&theirs);
    }
    mem_free(number);
    return status;
}
