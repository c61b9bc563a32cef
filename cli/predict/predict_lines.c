/* predict_lines: formats predictions. Kept columns are the texts of the input; the predicted class is in the column
 * "predicted", since tables often have a column "label" with the given one. */
#include "predict/predict_lines.h"

#include <string.h>

#include "base/number.h"
#include "json_csv.h"
#include "message.h"
#include "options/command_line.h"

static const char PREDICTED[] = "predicted";

/* ---- Names of columns ------------------------------------------------------------------------ */

/* Whether the numbers are decision values, not probabilities. */
static bool has_decisions(const struct predict_lines *lines)
{
    return lines->kind == TEMPER_PREDICT_DECISIONS;
}

/* How many numbers of a row are printed behind its label. */
static size_t number_count(const struct predict_lines *lines)
{
    return lines->kind == TEMPER_PREDICT_LABELS ? 0 : lines->width;
}

/* Composes the name of the column of number i: "probability_CLASS", "decision_CLASS", or "decision" of two classes. */
static void print_number_name(FILE *out, const struct predict_lines *lines, size_t i)
{
    fputs(has_decisions(lines) ? "decision" : "probability", out);
    if (!has_decisions(lines) || lines->width > 1)
        fprintf(out, "_%s", temper_model_class_name(lines->model, i));
}

/* Whether a name is that of number i of a row. */
static bool is_number_name(const struct predict_lines *lines, size_t i, const char *name)
{
    const char *kind = has_decisions(lines) ? "decision" : "probability";
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) != 0)
        return false;
    if (has_decisions(lines) && lines->width == 1)
        return name[length] == '\0';
    return name[length] == '_' && strcmp(name + length + 1, temper_model_class_name(lines->model, i)) == 0;
}

/* Whether a name is that of a column of the result; an object of JSON has one member for all numbers. */
static bool is_result_name(const struct predict_lines *lines, const char *name)
{
    if (strcmp(name, PREDICTED) == 0)
        return true;
    if (lines->form == PREDICT_JSONL)
        return number_count(lines) > 0 && strcmp(name, has_decisions(lines) ? "decision" : "probability") == 0;
    for (size_t i = 0; i < number_count(lines); i++)
        if (is_number_name(lines, i, name))
            return true;
    return false;
}

/* The number of an earlier kept column of the same name, or that of the column itself. */
static size_t first_of_name(const struct predict_lines *lines, size_t column)
{
    const char *name = temper_batch_reader_kept_name(lines->reader, column);
    size_t first = 0;
    while (strcmp(temper_batch_reader_kept_name(lines->reader, first), name) != 0)
        first++;
    return first;
}

temper_status predict_lines_check(const struct predict_lines *lines, const temper_data *batch)
{
    size_t kept = temper_batch_reader_kept_columns(lines->reader);
    if (lines->keep && batch && kept == 0)
        return fail(TEMPER_USAGE, "predict: --keep is for tables, and rows of %s have no columns to keep; drop it",
                    temper_data_format(batch));
    for (size_t i = 0; i < kept; i++) {
        const char *name = temper_batch_reader_kept_name(lines->reader, i);
        if (is_result_name(lines, name))
            return fail(TEMPER_USAGE,
                        "predict: the kept column '%s' has the name of a column of the result; rename it, or leave it "
                        "out of --keep",
                        name);
        if (lines->form == PREDICT_JSONL && first_of_name(lines, i) != i)
            return fail(TEMPER_USAGE,
                        "predict: two kept columns are named '%s', and an object of JSON has each name once; rename "
                        "one, or leave it out of --keep",
                        name);
    }
    return TEMPER_OK;
}

/* ---- Plain lines ----------------------------------------------------------------------------- */

/* Prints a class name with tabs and line breaks escaped: the output is one line for each row, in columns separated by
 * tabs. */
static void print_escaped(FILE *out, const char *name)
{
    for (; *name; name++)
        if (*name == '\n' || *name == '\t' || *name == '\r')
            fprintf(out, "\\%c", *name == '\n' ? 'n' : *name == '\t' ? 't' : 'r');
        else
            fputc(*name, out);
}

/* Prints the names of the classes above their probabilities. Labels and decision values have no header, so that the
 * lines of the output correspond to rows. */
static void print_plain_header(FILE *out, const struct predict_lines *lines)
{
    if (lines->kind == TEMPER_PREDICT_LABELS || has_decisions(lines))
        return;
    for (size_t c = 0; c < temper_model_classes(lines->model); c++) {
        fputs(c ? "\t" : "", out);
        print_escaped(out, temper_model_class_name(lines->model, c));
    }
    fputc('\n', out);
}

/* Prints the label, or the numbers with the shortest digits that read back as the same doubles. Numbers are composed in
 * a buffer: every call of a stream takes as long as composing a number. */
static void print_plain(FILE *out, const struct predict_lines *lines, const struct predicted_line *row)
{
    enum { BUFFER = 1024 };
    char text[BUFFER];
    size_t length = 0;
    if (lines->kind == TEMPER_PREDICT_LABELS)
        print_escaped(out, temper_model_class_name(lines->model, row->label));
    for (size_t i = 0; i < number_count(lines); i++) {
        if (i)
            text[length++] = '\t';
        length += number_write_f64(row->numbers[i], text + length);
        if (length + NUMBER_LENGTH + 2 > BUFFER) { /* a tab, a number and the end of the line must fit */
            fwrite(text, 1, length, out);
            length = 0;
        }
    }
    text[length++] = '\n';
    fwrite(text, 1, length, out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* The name of a number as a cell, in quotes where it needs them. */
static void csv_number_name(FILE *out, const struct predict_lines *lines, size_t i)
{
    const char *class_name = has_decisions(lines) && lines->width == 1 ? "" : temper_model_class_name(lines->model, i);
    bool quoted = strpbrk(class_name, ",;\t\"\r\n") != NULL;
    if (!quoted) {
        print_number_name(out, lines, i);
        return;
    }
    fprintf(out, "\"%s_", has_decisions(lines) ? "decision" : "probability");
    for (; *class_name; class_name++) {
        fputs(*class_name == '"' ? "\"" : "", out);
        fputc(*class_name, out);
    }
    fputc('"', out);
}

/* A file without a line has no names, but the option may have some. */
static void print_kept_names(FILE *out, const struct predict_lines *lines)
{
    size_t kept = temper_batch_reader_kept_columns(lines->reader);
    for (size_t i = 0; i < kept; i++) {
        csv_cell(out, temper_batch_reader_kept_name(lines->reader, i));
        fputc(',', out);
    }
    if (kept > 0 || !lines->keep || strcmp(lines->keep, "all") == 0)
        return;
    for (const char *list = lines->keep; list;) {
        char word[WORD_LENGTH];
        next_word(&list, ',', word);
        csv_cell(out, word);
        fputc(',', out);
    }
}

/* Names of kept columns, of the label and of the numbers. */
static void print_csv_header(FILE *out, const struct predict_lines *lines)
{
    print_kept_names(out, lines);
    fputs(PREDICTED, out);
    for (size_t i = 0; i < number_count(lines); i++) {
        fputc(',', out);
        csv_number_name(out, lines, i);
    }
    fputc('\n', out);
}

/* An empty kept cell stays empty: in the input it was a gap. */
static void print_csv(FILE *out, const struct predict_lines *lines, const struct predicted_line *row)
{
    for (size_t i = 0; i < temper_batch_reader_kept_columns(lines->reader); i++) {
        const char *text = temper_data_kept_cell(row->batch, row->row, i);
        if (*text)
            csv_cell(out, text);
        fputc(',', out);
    }
    csv_cell(out, temper_model_class_name(lines->model, row->label));
    for (size_t i = 0; i < number_count(lines); i++)
        csv_number(out, row->numbers[i]);
    fputc('\n', out);
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

/* Kept columns are strings, as their texts are; probabilities are an object with a member for each class. */
static void print_object(FILE *out, const struct predict_lines *lines, const struct predicted_line *row)
{
    fputc('{', out);
    for (size_t i = 0; i < temper_batch_reader_kept_columns(lines->reader); i++) {
        json_text(out, temper_batch_reader_kept_name(lines->reader, i));
        fputs(": ", out);
        json_text(out, temper_data_kept_cell(row->batch, row->row, i));
        fputs(", ", out);
    }
    fprintf(out, "\"%s\": ", PREDICTED);
    json_text(out, temper_model_class_name(lines->model, row->label));
    if (has_decisions(lines) && lines->width == 1)
        json_number_member(out, "decision", row->numbers[0]);
    else if (number_count(lines) > 0)
        fprintf(out, ", \"%s\": {", has_decisions(lines) ? "decision" : "probability");
    for (size_t i = 0; lines->width > 1 && i < number_count(lines); i++) {
        fputs(i ? ", " : "", out);
        json_text(out, temper_model_class_name(lines->model, i));
        fputs(": ", out);
        json_number(out, row->numbers[i]);
    }
    fputs(lines->width > 1 && number_count(lines) > 0 ? "}}\n" : "}\n", out);
}

/* ---- All forms ------------------------------------------------------------------------------- */

void print_predict_header(FILE *out, const struct predict_lines *lines)
{
    if (lines->form == PREDICT_PLAIN)
        print_plain_header(out, lines);
    else if (lines->form == PREDICT_CSV)
        print_csv_header(out, lines);
}

void print_predict_line(FILE *out, const struct predict_lines *lines, const struct predicted_line *row)
{
    static void (*const print[])(FILE *, const struct predict_lines *, const struct predicted_line *) = {
        [PREDICT_PLAIN] = print_plain, [PREDICT_CSV] = print_csv, [PREDICT_JSONL] = print_object};
    print[lines->form](out, lines, row);
}
