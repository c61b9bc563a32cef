/* info_table: prints the columns of a table of text. */
#include "info/info_table.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "json_csv.h"
#include "number_format.h"

enum { NAME_WIDTH = 18, EXAMPLES_WIDTH = 48 };

/* Whether a text needs no quotes in a shell. */
static bool is_plain(const char *text)
{
    return *text &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+/:@%,=")] == '\0';
}

/* A file's name as a shell takes it. */
static void print_quoted(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    fputc('\'', out);
}

/* The command that trains on the file. */
static void print_command(FILE *out, const char *path, const temper_table *table)
{
    fputs("temper train ", out);
    print_quoted(out, path);
    if (*table->options)
        fprintf(out, " %s", table->options);
}

/* "label", "3 features", "left out: counts the rows". */
static void print_fate(FILE *out, const temper_table_column *column)
{
    if (column->reason)
        fprintf(out, "left out: it %s", column->reason);
    else if (strcmp(column->role, "feature") == 0)
        fprintf(out, "%s feature%s", count_shown(column->features).text, column->features == 1 ? "" : "s");
    else
        fputs(column->role, out);
}

/* Different cells, as many as fit. */
static void print_examples(FILE *out, const temper_table_column *column)
{
    size_t taken = 0;
    for (size_t i = 0; i < TEMPER_TABLE_EXAMPLES && column->example[i]; i++) {
        char shown[NAME_SHOWN];
        size_t width = format_name(column->example[i], NAME_WIDTH, shown);
        if (taken + width > EXAMPLES_WIDTH)
            break;
        fprintf(out, "%s%s", i ? ", " : "", shown);
        taken += width + 2;
    }
    fputc('\n', out);
}

/* One column: two lines, so that long reasons and examples fit. */
static void print_one(FILE *out, const temper_table_column *column, size_t number)
{
    char name[NAME_SHOWN], gaps[FORMAT_LENGTH], distinct[FORMAT_LENGTH];
    size_t width = format_name(column->name ? column->name : "-", NAME_WIDTH, name);
    fprintf(out, "%5zu  %s%*s  %-8s %9s %9s  ", number, name, (int)(NAME_WIDTH - width), "", column->kind,
            format_count(column->gaps, gaps), format_count(column->distinct, distinct));
    print_fate(out, column);
    fputs("\n       ", out);
    print_examples(out, column);
}

void print_table_columns(FILE *out, const char *path, const temper_table *table, const char *problem)
{
    char rows[FORMAT_LENGTH];
    print_title(out, "columns");
    fprintf(out, "%zu in the first %s rows%s, ", table->columns, format_count(table->rows, rows),
            table->more_rows ? "" : ", which are all");
    if (strcmp(table->separator, "none") == 0)
        fputs("the keys of objects\n", out);
    else
        fprintf(out, "separated by %s, %s\n", table->separator,
                table->header > 0    ? "with a header"
                : table->header == 0 ? "without a header"
                                     : "the first line may be a header or not");
    if (table->skipped > 0)
        fprintf(out, "%-18s %zu line%s\n", "before the table", table->skipped, table->skipped == 1 ? "" : "s");
    if (table->columns > 0)
        fprintf(out, "%5s  %-*s  %-8s %9s %9s  %s\n", "", NAME_WIDTH, "name", "kind", "gaps", "different", "becomes");
    for (size_t i = 0; i < table->columns; i++)
        print_one(out, &table->column[i], i + 1);
    const char *reason = table->problem ? table->problem : problem;
    if (reason) {
        print_title(out, "problem");
        fprintf(out, "%s\n", reason);
    }
    print_title(out, "train by");
    print_command(out, path, table);
    fputc('\n', out);
}

/* ---- JSON: released names never change ----------------------------------------------------------- */

static void json_one(FILE *out, const temper_table_column *column)
{
    fputs("{\"name\": ", out);
    json_text(out, column->name);
    json_text_member(out, "kind", column->kind);
    json_text_member(out, "role", column->role);
    json_text_member(out, "reason", column->reason);
    fprintf(out, ", \"cells\": %zu, \"gaps\": %zu, \"distinct\": %zu, \"features\": %zu, \"examples\": [",
            column->cells, column->gaps, column->distinct, column->features);
    for (size_t i = 0; i < TEMPER_TABLE_EXAMPLES && column->example[i]; i++) {
        fputs(i ? ", " : "", out);
        json_text(out, column->example[i]);
    }
    fputs("]}", out);
}

void json_table_columns(FILE *out, const char *path, const temper_table *table, const char *problem)
{
    fprintf(out,
            ",\n  \"table\": {\"rows\": %zu, \"more_rows\": %s, \"separator\": \"%s\", \"header\": %s, "
            "\"skipped_lines\": %zu, \"ragged_rows\": %zu",
            table->rows, table->more_rows ? "true" : "false", table->separator,
            table->header < 0 ? "null"
            : table->header   ? "true"
                              : "false",
            table->skipped, table->ragged);
    json_text_member(out, "file", path);
    json_text_member(out, "options", table->options);
    json_text_member(out, "problem", table->problem ? table->problem : problem);
    fputs(",\n    \"columns\": [", out);
    for (size_t i = 0; i < table->columns; i++) {
        fputs(i ? ",\n      " : "\n      ", out);
        json_one(out, &table->column[i]);
    }
    fputs("]}", out);
}
