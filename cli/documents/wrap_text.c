/* wrap_text: fills paragraphs and two-column lists to the width of a terminal. Texts are ASCII, so that a byte takes
 * one column. */
#include "documents/wrap_text.h"

#include <string.h>

enum {
    WIDTH = 79 /* some terminals wrap a line that fills the 80th column */
};

/* Splits at empty lines. Advances *text; *length is 0 at the end of the text. */
const char *next_paragraph(const char **text, size_t *length)
{
    const char *paragraph = *text, *end = strstr(paragraph, "\n\n");
    *length = end ? (size_t)(end - paragraph) : strlen(paragraph);
    *text = end ? end + strlen("\n\n") : paragraph + *length;
    return paragraph;
}

/* Indentation in columns. */
static void spaces(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

/* Greedy filling, from column `indent` on, where the caller has already written that many columns. A word that is wider
 * than the line is not broken: paths and lists must stay whole. */
void wrap_words(FILE *out, const char *words, size_t length, size_t indent)
{
    const char *end = words + length;
    size_t column = indent;
    while (words < end) {
        const char *space = memchr(words, ' ', (size_t)(end - words));
        size_t word = (size_t)((space ? space : end) - words);
        /* The first word of a line is written even if it is too long. */
        if (column > indent && column + 1 + word > WIDTH) {
            fputc('\n', out);
            spaces(out, indent);
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(words, 1, word, out);
        column += word;
        words += word + (space ? 1 : 0);
    }
    fputc('\n', out);
}

/* Paragraphs that begin with a blank are preformatted and copied. */
void wrap_paragraphs(FILE *out, const char *text)
{
    size_t length;
    const char *paragraph;
    while (paragraph = next_paragraph(&text, &length), length > 0) {
        if (*paragraph == ' ')
            fprintf(out, "%.*s\n", (int)length, paragraph);
        else
            wrap_words(out, paragraph, length, 0);
        if (*text)
            fputc('\n', out);
    }
}

/* One row of a list: the name, and its meaning in the column `indent`. */
void wrap_row(FILE *out, const char *name, const char *meaning, size_t indent)
{
    size_t length = strlen(name);
    fputs(name, out);
    if (length + 2 > indent) { /* too long: the meaning begins on the next line */
        fputc('\n', out);
        length = 0;
    }
    spaces(out, indent - length);
    wrap_words(out, meaning, strlen(meaning), indent);
}

/* Every line of the text with an indent, without filling. */
void print_indented(FILE *out, const char *lines, size_t indent)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        spaces(out, indent);
        fprintf(out, "%.*s\n", (int)length, lines);
        lines += length + (lines[length] ? 1 : 0);
    }
}
