/* json_csv: prints values as JSON and CSV. All functions write to a stream in memory (output_paths.h), which reports
 * errors when it is closed; hence none of them returns a status.
 *
 * Numbers have the shortest digits that read back as the same double, in every locale. JSON has no NaN, which becomes
 * null. Members that a report shares with others (loss, seconds, warnings, calibration) are printed by one function
 * each, so that they have the same names in every command. */
#include "json_csv.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "temper_extra.h"

/* Prints one ASCII character, with quotes, backslashes and control characters escaped as RFC 8259 requires. DEL need
 * not be escaped but would be invisible. */
static void json_ascii(FILE *out, unsigned char character)
{
    if (character == '"' || character == '\\')
        fprintf(out, "\\%c", character);
    else if (character < ' ' || character == 127)
        fprintf(out, "\\u%04x", character);
    else
        fputc(character, out);
}

/* Prints `length` bytes as a JSON string. Names come from data files in any encoding, and a single invalid byte would
 * make the whole document unreadable for a strict parser. Such a byte is almost always a letter in Latin-1, whose bytes
 * are the first code points of Unicode. */
static void json_span(FILE *out, const char *text, size_t length)
{
    const char *end = text + length;
    fputc('"', out);
    while (text < end) {
        /* 0 for a byte that begins no valid sequence of UTF-8; only that byte is skipped. */
        size_t size = utf8_length(text, end);
        if (size == 1)
            json_ascii(out, (unsigned char)*text);
        else if (size == 0)
            fprintf(out, "\\u%04x", (unsigned char)*text >= 0xa0 ? (unsigned char)*text : 0xfffdu);
        else
            fwrite(text, 1, size, out);
        text += size ? size : 1;
    }
    fputc('"', out);
}

/* NULL is a name that does not exist, such as that of a column without a header. */
void json_text(FILE *out, const char *text)
{
    if (text)
        json_span(out, text, strlen(text));
    else
        fputs("null", out);
}

/* The library returns notes and warnings as one text with a sentence on each line; programs get an array. */
void json_lines(FILE *out, const char *text)
{
    /* No separator before the first element. */
    const char *comma = "";
    fputc('[', out);
    while (*text) {
        size_t length = strcspn(text, "\n");
        fputs(comma, out);
        json_span(out, text, length);
        text += length + (text[length] == '\n');
        comma = ", ";
    }
    fputc(']', out);
}

/* The texts alone, as one JSON array. */
void json_warnings(FILE *out, const temper_warnings *warnings)
{
    fputc('[', out);
    for (size_t i = 0; i < warnings->count; i++) {
        fputs(i ? ", " : "", out);
        json_text(out, warnings->list[i].text);
    }
    fputc(']', out);
}

/* JSON has no NaN and no infinity: null is what parsers turn into a missing value. */
void json_number(FILE *out, double number)
{
    char digits[NUMBER_LENGTH];
    /* Digits that read back as the same double, independent of the locale. */
    if (isfinite(number))
        number_write_f64(number, digits);
    fputs(isfinite(number) ? digits : "null", out);
}

/* ---- Members of objects ------------------------------------------------------------------------ */

/* The comma comes before the member: each object begins with a member that its caller prints without one. */
void json_number_field(FILE *out, const char *name, double number)
{
    fprintf(out, ",\n  \"%s\": ", name);
    json_number(out, number);
}

void json_count_field(FILE *out, const char *name, size_t count)
{
    fprintf(out, ",\n  \"%s\": %zu", name, count);
}

void json_bool_field(FILE *out, const char *name, bool value)
{
    fprintf(out, ",\n  \"%s\": %s", name, value ? "true" : "false");
}

void json_text_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\n  \"%s\": ", name);
    json_text(out, text);
}

/* A number behind a separator, which decides whether the members of an object share a line. */
static void separated_number(FILE *out, const char *separator, const char *name, double number)
{
    fprintf(out, "%s\"%s\": ", separator, name);
    json_number(out, number);
}

/* The two temperatures belong to the tempered losses, the smoothing to the hinge loss; these members are always
 * present. Other parameters are there for the methods that have them. */
void json_loss_members(FILE *out, temper_loss_spec loss, double l2, const char *separator)
{
    /* Null and not a missing member: scripts can read the same names for every loss. */
    bool hinge = loss.method == TEMPER_HINGE;
    fputs("\"loss\": ", out);
    json_text(out, temper_method_name(loss.method));
    separated_number(out, separator, "t1", hinge ? (double)NAN : loss.t1);
    separated_number(out, separator, "t2", hinge ? (double)NAN : loss.t2);
    separated_number(out, separator, "smoothing", hinge ? loss.smoothing : (double)NAN);
    const temper_loss_parameter *own;
    for (size_t k = 0; !hinge && (own = temper_method_parameter(loss.method, k)); k++)
        separated_number(out, separator, own->name, *temper_loss_parameter_field(&loss, own));
    separated_number(out, separator, "l2", l2);
}

void json_loss_fields(FILE *out, temper_loss_spec loss, double l2)
{
    static const char separator[] = ",\n  ";
    fputs(separator, out);
    json_loss_members(out, loss, l2, separator);
}

void json_probability_fields(FILE *out, const temper_model *model)
{
    temper_model_summary summary;
    temper_model_summarise(model, &summary);
    if (summary.calibration_order > 0) {
        fputs(",\n  \"calibration\": {\"order\": ", out);
        json_number(out, summary.calibration_order);
        json_number_member(out, "floor", summary.calibration_floor);
        fprintf(out, ", \"rows\": %zu, \"folds\": %zu}", summary.calibration_rows, summary.calibration_folds);
    } else {
        fputs(",\n  \"calibration\": null", out);
    }
    json_number_field(out, "noise_rate", summary.noise_rate);
}

/* `name` is what the command mainly does: train or tune. */
void json_seconds_field(FILE *out, double read, const char *name, double seconds, double write)
{
    fputs(",\n  \"seconds\": {\"read\": ", out);
    json_number(out, read);
    json_number_member(out, name, seconds);
    json_number_member(out, "write", write);
    fputc('}', out);
}

void json_begin_data(FILE *out, const temper_data *data)
{
    fprintf(out, "{\n  \"rows\": %zu", temper_data_total_rows(data));
    json_count_field(out, "dropped_rows", temper_data_dropped_rows(data));
    json_count_field(out, "features", temper_data_features(data));
    json_count_field(out, "classes", temper_data_classes(data));
}

/* Warnings are included although they were printed, because programs rarely read the standard error. */
void json_end_model(FILE *out, const temper_warnings *warnings, const char *path, bool replaced)
{
    fputs(",\n  \"warnings\": ", out);
    json_warnings(out, warnings);
    json_text_field(out, "model", path);
    json_bool_field(out, "replaced", replaced);
    fputs("\n}\n", out);
}

/* Without printf, which would take as long as the digits do: audit prints several numbers for tens of thousands of
 * rows. */
void json_number_member(FILE *out, const char *name, double number)
{
    fputs(", \"", out);
    fputs(name, out);
    fputs("\": ", out);
    json_number(out, number);
}

/* Names of members are constants of this program and need no escapes. */
void json_text_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    json_text(out, text);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Whether a spreadsheet would run the cell: a formula (=, +, -, @ at its beginning, or what a reader skips before them)
 * with a call, a remote reference or a sheet. Numbers and plain words such as -1 or @home are none. */
static bool is_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text) && strpbrk(text, "(|!");
}

/* A cell that a spreadsheet would run gets an apostrophe before it, which makes it text there; corrections.c reads such
 * a cell without it. Quotes a cell if it contains a separator of any dialect, a quote or a line break (RFC 4180); also
 * an empty cell and one with blanks at an end, which many readers would drop. */
void csv_cell(FILE *out, const char *text)
{
    /* The comparison with the separators includes those of other dialects, for spreadsheets with a local setting. */
    bool blank = *text == ' ' || (*text && text[strlen(text) - 1] == ' '), formula = is_formula(text);
    if (*text && !blank && !strpbrk(text, ",;\t\"\r\n")) {
        fprintf(out, "%s%s", formula ? "'" : "", text);
        return;
    }
    fputs(formula ? "\"'" : "\"", out);
    for (; *text; text++) {
        /* A quote within quotes is doubled. */
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* The buffer of number_write_f64 holds every double, so only NAN needs a case of its own. */
void csv_number(FILE *out, double number)
{
    char text[NUMBER_LENGTH];
    number_write_f64(number, text);
    fprintf(out, ",%s", isnan(number) ? "" : text);
}
