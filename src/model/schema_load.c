/* schema_load: reads the part of a model file that describes how the columns of a table become features; and the keys
 * of any JSON object of a model file.
 *
 * A file that passes here describes a schema that the CSV reader can apply without further checks. */
#include <string.h>

#include "base/memory.h"
#include "model/model_file.h"

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Accepts keys in any order, each once. At most 64 keys, one bit each. The bits of `seen` let the caller require keys
 * at the end, whatever their order was. */
int key_next(struct json_reader *json, const char *const *keys, int count, uint64_t *seen)
{
    char key[JSON_KEY];
    if (!json_key(json, key))
        return -1;
    for (int i = 0; i < count; i++) {
        if (strcmp(keys[i], key) != 0)
            continue;
        /* Otherwise the later value would silently win, and the memory of the earlier one leak. */
        if (*seen >> i & 1) {
            json_fail(json, "\"%s\" comes twice; the file was changed: train again", key);
            return -1;
        }
        *seen |= (uint64_t)1 << i;
        return i;
    }
    json_fail(json, "a key that this temper does not know; the file was changed, or update temper");
    return -1;
}

/* Reports the first key that is missing, in the order of the list. */
bool keys_complete(struct json_reader *json, const char *const *keys, int count, uint64_t missing, const char *what)
{
    for (int i = 0; i < count; i++)
        if (missing >> i & 1)
            return json_fail(json, "\"%s\" is missing in this %s; the file was changed: train again", keys[i], what);
    return json->status == TEMPER_OK;
}

/* temper writes no such file: somebody has changed it, and computed a new checksum. */
bool fail_changed(struct json_reader *json, const char *what)
{
    return json_fail(json, "%s; the file was changed: train again", what);
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Keys of a column; the enumeration is the index into the list. */
enum {
    KEY_POSITION,
    KEY_NAME,
    KEY_KIND,
    KEY_DECIMAL,
    KEY_ORDER,
    KEY_DAYS,
    KEY_TIMES,
    KEY_WORDS,
    KEY_INDICATOR,
    KEY_TEXTS,
    KEY_FILL,
    COLUMN_KEYS
};
static const char *const column_keys[] = {"column", "name",  "kind",      "decimal", "order", "days",
                                          "times",  "words", "indicator", "texts",   "fill"};

/* Reads the next text of a list that doubles as it grows: its length is not in the file. */
static bool parse_text(struct json_reader *json, struct names *names)
{
    if ((names->count & (names->count - 1)) == 0) { /* 0 or a power of two: full */
        size_t room = names->count ? names->count * 2 : 1;
        char **grown = (char **)mem_resize((void *)names->name, room, sizeof *grown);
        if (!grown)
            return json_no_memory(json);
        names->name = grown;
    }
    if (!json_string(json, &names->name[names->count]))
        return false;
    names->count++;
    return true;
}

/* "texts": the texts of a categorical column, each of which becomes a feature. All must differ, which a hash table of
 * classes checks in linear time. */
static bool parse_texts(struct json_reader *json, struct names *names)
{
    struct classes known = {0};
    bool fine = json_array(json);
    while (fine && json_item(json)) {
        char *text = NULL;
        fine = parse_text(json, names);
        if (!fine)
            break;
        /* The class code of text i is i exactly as long as no text is repeated. */
        size_t last = names->count - 1, length = strlen(names->name[last]) + 1;
        text = mem_alloc(length + 1, 1);
        if (!text) {
            fine = json_no_memory(json);
            break;
        }
        text[0] = '='; /* so that it is never taken for a number, as in the CSV reader */
        memcpy(text + 1, names->name[last], length);
        uint32_t code = classes_add(&known, text, length);
        mem_free(text);
        if (code == CLASSES_NO_MEMORY)
            fine = json_no_memory(json);
        else if (code != last)
            fine = json_fail(json, "a text that the column has already, or one too many; the file "
                                   "was changed: train again");
    }
    classes_free(&known);
    if (fine && json->status == TEMPER_OK && names->count == 0)
        fine = json_fail(json, "a list of no texts; the file was changed: train again");
    return fine && json->status == TEMPER_OK;
}

/* "fill": what replaces a missing cell, one number for each feature of the column. "texts" comes before it, because it
 * determines that number. */
static bool parse_fill(struct json_reader *json, struct schema_column *column)
{
    /* 1 for a numeric column, otherwise the number of texts. */
    size_t count = schema_column_features(column);
    column->fill = mem_alloc(count, sizeof *column->fill);
    if (!column->fill)
        return json_no_memory(json);
    return json_f64_array(json, column->fill, count);
}

/* A position in the table, stored from 1 and held from 0. */
static bool parse_position(struct json_reader *json, size_t *out)
{
    uint64_t value;
    if (!json_u64(json, &value))
        return false;
    if (value < 1 || value > UINT32_MAX)
        return json_fail(json, "columns count from 1, to 2^32 - 1; the file was changed");
    *out = (size_t)value - 1;
    return true;
}

/* A word that stands for something; `known` receives what `find` makes of it. */
static bool parse_word(struct json_reader *json, struct column_rule *rule, int key)
{
    char *word = NULL;
    if (!json_string(json, &word))
        return false;
    bool known = key == KEY_KIND    ? column_kind_find(word, &rule->kind)
                 : key == KEY_ORDER ? date_order_find(word, &rule->order)
                                    : strcmp(word, ".") == 0 || strcmp(word, ",") == 0;
    if (known && key == KEY_DECIMAL)
        rule->decimal = word[0];
    mem_free(word);
    return known || fail_changed(json, "a column of no known kind, order or decimal mark");
}

/* The keys of the rule by which cells are read. */
static bool parse_rule(struct json_reader *json, struct column_rule *rule, int key)
{
    uint64_t words;
    if (key == KEY_DAYS)
        return json_bool(json, &rule->days);
    if (key == KEY_TIMES)
        return json_bool(json, &rule->times);
    if (key == KEY_INDICATOR)
        return json_bool(json, &rule->indicator);
    if (key != KEY_WORDS)
        return parse_word(json, rule, key);
    if (!json_u64(json, &words))
        return false;
    if (words < 1 || words > TEXT_FEATURES_MOST)
        return fail_changed(json, "a column of text with no or too many features");
    rule->words = (uint32_t)words;
    return true;
}

/* Whether the parts of a rule agree with each other and with the texts. */
static bool rule_is_sound(const struct schema_column *column)
{
    const struct column_rule *rule = &column->rule;
    bool date = rule->kind == COLUMN_DATE, text = rule->kind == COLUMN_TEXT;
    if (date != (rule->days || rule->times) || text != (rule->words > 0))
        return false;
    if (rule->decimal && rule->kind != COLUMN_NUMBER)
        return false;
    if (rule->kind == COLUMN_CATEGORY)
        return column->texts.count > 0;
    return column->texts.count == 0 || (rule->kind == COLUMN_NUMBER && !rule->decimal);
}

/* One column: its position, and a name, rule, texts and fill values where it has them. "fill" is the last key, since
 * all others determine how many values it has. */
static bool parse_column(struct json_reader *json, struct schema_column *column)
{
    uint64_t seen = 0;
    int key;
    if (!json_object(json))
        return false;
    while ((key = key_next(json, column_keys, COLUMN_KEYS, &seen)) >= 0) {
        if (key == KEY_POSITION)
            parse_position(json, &column->position);
        else if (key == KEY_NAME)
            json_string(json, &column->name);
        else if (column->fill)
            json_fail(json, "\"%s\" must come before \"fill\"; the file was changed", column_keys[key]);
        else if (key == KEY_TEXTS)
            parse_texts(json, &column->texts);
        else if (key == KEY_FILL)
            parse_fill(json, column);
        else
            parse_rule(json, &column->rule, key);
    }
    if (json->status == TEMPER_OK && !rule_is_sound(column))
        fail_changed(json, "a column that contradicts itself");
    /* All other keys depend on the column. */
    uint64_t needed = 1u << KEY_POSITION;
    return keys_complete(json, column_keys, COLUMN_KEYS, needed & ~seen, "column");
}

/* "columns": the list grows as it is read; schema->features counts the features that its columns become. */
static bool parse_columns(struct json_reader *json, struct schema *schema)
{
    size_t room = 0;
    if (!json_array(json))
        return false;
    while (json_item(json)) {
        if (schema->columns == room) {
            /* Doubling: the number of columns is not in the file. */
            room = room ? room * 2 : 16;
            struct schema_column *grown = mem_resize(schema->column, room, sizeof *grown);
            if (!grown)
                return json_no_memory(json);
            schema->column = grown;
        }
        /* Counted before it is parsed, so that schema_free frees a column that is not complete. */
        struct schema_column *column = &schema->column[schema->columns++];
        *column = (struct schema_column){0};
        if (!parse_column(json, column))
            return false;
        schema->features += schema_column_features(column);
    }
    return json->status == TEMPER_OK;
}

/* ---- The schema ------------------------------------------------------------------------------ */

/* Keys of the object "schema". */
enum { FILE_COLUMNS, LABEL_COLUMN, LABEL_NAME, AUTOMATIC, GAPS, MISSING, COLUMNS, SCHEMA_KEYS };
static const char *const schema_keys[] = {"file_columns", "label_column", "label_name", "automatic",
                                          "gaps",         "missing",      "columns"};

/* "missing": what is done about missing values, by its word on the command line. */
static bool parse_missing(struct json_reader *json, enum schema_missing *out)
{
    char *word = NULL;
    if (!json_string(json, &word))
        return false;
    bool known = schema_missing_find(word, out);
    mem_free(word);
    return known || json_fail(json, "\"missing\" is none of refuse, zero, mean and drop; train "
                                    "again");
}

/* Describes what is inconsistent in a schema; NULL if nothing is. The CSV reader relies on all of these: positions
 * within the table and ascending, names for all columns or for none, fill values exactly with means. */
static const char *contradiction(const struct schema *schema)
{
    bool named = schema_has_names(schema);
    if (schema->columns == 0)
        return "no columns";
    if (schema->label_position != SCHEMA_NO_LABEL && schema->label_position >= schema->file_columns)
        return "a label beyond the last column";
    if (schema->label && schema->label_position == SCHEMA_NO_LABEL)
        return "a label with a name and no column";
    for (size_t i = 0; i < schema->columns; i++) {
        const struct schema_column *column = &schema->column[i];
        if (column->position >= schema->file_columns || column->position == schema->label_position)
            return "a column that is not there, or is the label";
        /* Ascending positions let the CSV reader go through a row once. */
        if (i > 0 && column->position <= schema->column[i - 1].position)
            return "columns out of order";
        if ((column->name != NULL) != named)
            return "columns with and without a name";
        if ((column->fill != NULL) != (schema->missing == SCHEMA_MEAN))
            return "means that \"missing\" does not speak of, or none where it does";
    }
    return NULL;
}

/* Reads all keys. A table without a label column has neither of the keys for it; the others are required. Failures are
 * in json->status. */
static void parse_schema_keys(struct json_reader *json, struct schema *schema)
{
    uint64_t seen = 0, count;
    int key;
    while ((key = key_next(json, schema_keys, SCHEMA_KEYS, &seen)) >= 0) {
        if (key == FILE_COLUMNS && json_u64(json, &count))
            /* 0 makes every position invalid, so that `contradiction` reports it. */
            schema->file_columns = count > UINT32_MAX ? 0 : (size_t)count;
        else if (key == LABEL_COLUMN)
            parse_position(json, &schema->label_position);
        else if (key == LABEL_NAME)
            json_string(json, &schema->label);
        else if (key == AUTOMATIC)
            json_bool(json, &schema->automatic);
        else if (key == GAPS)
            parse_texts(json, &schema->gaps);
        else if (key == MISSING)
            parse_missing(json, &schema->missing);
        else if (key == COLUMNS)
            parse_columns(json, schema);
    }
    uint64_t optional = 1u << LABEL_COLUMN | 1u << LABEL_NAME | 1u << AUTOMATIC | 1u << GAPS;
    keys_complete(json, schema_keys, SCHEMA_KEYS, ((1u << SCHEMA_KEYS) - 1) & ~seen & ~optional, "schema");
}

/* Reads the object "schema". Inconsistencies between its keys are reported at the beginning of the object. *out is
 * untouched on failure. */
bool schema_parse(struct json_reader *json, struct schema **out)
{
    if (!json_object(json))
        return false;
    /* For the place of an inconsistency, which no single key has. */
    const char *begin = json->value;
    struct schema *schema = mem_zeroed(1, sizeof *schema);
    if (!schema)
        return json_no_memory(json);
    schema->label_position = SCHEMA_NO_LABEL;
    parse_schema_keys(json, schema);
    const char *fault = json->status == TEMPER_OK ? contradiction(schema) : NULL;
    if (fault) {
        json->value = begin;
        json_fail(json, "the schema has %s; the file was changed: train again", fault);
    }
    if (json->status != TEMPER_OK) {
        schema_free(schema);
        return false;
    }
    *out = schema;
    return true;
}
