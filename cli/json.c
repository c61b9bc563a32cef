/* json: escapes, and nothing that a parser would stumble over. */
#include "json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "temper.h"

/* Bytes of the UTF-8 character at `text`, or 0 if there is none: cut, overlong, a surrogate, or
 * beyond U+10FFFF. */
static size_t utf8_length(const unsigned char *text, size_t length)
{
    size_t wanted = *text < 0x80 ? 1 : *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3 : 4;
    if (wanted == 1)
        return 1;
    if (*text < 0xc2 || *text > 0xf4 || wanted > length)
        return 0;
    for (size_t i = 1; i < wanted; i++)
        if (text[i] >> 6 != 2)
            return 0;
    bool bad = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f) ||
               (*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f);
    return bad ? 0 : wanted;
}

static void json_ascii(FILE *out, unsigned char character)
{
    if (character == '"' || character == '\\')
        fprintf(out, "\\%c", character);
    else if (character < ' ' || character == 127)
        fprintf(out, "\\u%04x", character);
    else
        fputc(character, out);
}

void json_span(FILE *out, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    fputc('"', out);
    for (size_t i = 0; i < length;) {
        size_t size = utf8_length(bytes + i, length - i);
        if (size == 1)
            json_ascii(out, bytes[i]);
        else if (size == 0)
            fputs("\\ufffd", out);
        else
            fwrite(bytes + i, 1, size, out);
        i += size ? size : 1;
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
    char digits[TEMPER_NUMBER_LENGTH];
    if (isfinite(number))
        temper_format_number(number, digits);
    fputs(isfinite(number) ? digits : "null", out);
}

void json_number_field(FILE *out, const char *name, double number)
{
    fprintf(out, ",\n  \"%s\": ", name);
    json_number(out, number);
}

void json_text_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\n  \"%s\": ", name);
    json_text(out, text);
}
