/* json_csv: prints values as JSON and CSV. */
#include "json_csv.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* Escapes quotes, backslashes and control characters. */
static void json_ascii(FILE *out, unsigned char character)
{
    if (character == '"' || character == '\\')
        fprintf(out, "\\%c", character);
    else if (character < ' ' || character == 127)
        fprintf(out, "\\u%04x", character);
    else
        fputc(character, out);
}

/* A string of `length` bytes, in quotes. */
static void json_span(FILE *out, const char *text, size_t length)
{
    const char *end = text + length;
    fputc('"', out);
    while (text < end) {
        size_t size = utf8_length(text, end);
        if (size == 1)
            json_ascii(out, (unsigned char)*text);
        else if (size == 0)
            fputs("\\ufffd", out);
        else
            fwrite(text, 1, size, out);
        text += size ? size : 1;
    }
    fputc('"', out);
}

void json_text(FILE *out, const char *text)
{
    if (text)
        json_span(out, text, strlen(text));
    else
        fputs("null", out);
}

void json_lines(FILE *out, const char *text)
{
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

void json_number(FILE *out, double number)
{
    char digits[NUMBER_LENGTH];
    if (isfinite(number))
        number_write_f64(number, digits);
    fputs(isfinite(number) ? digits : "null", out);
}

/* ---- Members of objects ------------------------------------------------------------------------ */

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

void json_loss_fields(FILE *out, temper_loss_spec loss, double l2)
{
    bool hinge = loss.method == TEMPER_HINGE;
    json_text_field(out, "loss", temper_method_name(loss.method));
    json_number_field(out, "t1", hinge ? (double)NAN : loss.t1);
    json_number_field(out, "t2", hinge ? (double)NAN : loss.t2);
    json_number_field(out, "smoothing", hinge ? loss.smoothing : (double)NAN);
    json_number_field(out, "l2", l2);
}

void json_seconds_field(FILE *out, double read, const char *name, double seconds, double write)
{
    fputs(",\n  \"seconds\": {\"read\": ", out);
    json_number(out, read);
    json_number_member(out, name, seconds);
    json_number_member(out, "write", write);
    fputc('}', out);
}

/* Without printf, which would take as long as the digits in a list of tens of thousands. */
void json_number_member(FILE *out, const char *name, double number)
{
    fputs(", \"", out);
    fputs(name, out);
    fputs("\": ", out);
    json_number(out, number);
}

void json_text_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    json_text(out, text);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Quotes an empty cell and one with blanks at its ends too: readers would drop these. */
void csv_cell(FILE *out, const char *text)
{
    bool blank = *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    if (*text && !blank && !strpbrk(text, ",;\t\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
