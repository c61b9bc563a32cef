/* layout: breaks lines between words. ASCII only, so that a character is a column. */
#include "documents/wrap_text.h"

#include <string.h>

enum {
    WIDTH = 79 /* some terminals wrap a line that fills the 80th column */
};

const char *next_paragraph(const char **text, size_t *length)
{
    const char *paragraph = *text, *end = strstr(paragraph, "\n\n");
    *length = end ? (size_t)(end - paragraph) : strlen(paragraph);
    *text = end ? end + strlen("\n\n") : paragraph + *length;
    return paragraph;
}

/* As many as it takes to get to a column. */
static void spaces(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

/* A word that is wider than the line sticks out: paths and lists must stay whole. */
void layout_words(FILE *out, const char *words, size_t length, size_t indent)
{
    const char *end = words + length;
    size_t column = indent;
    while (words < end) {
        const char *space = memchr(words, ' ', (size_t)(end - words));
        size_t word = (size_t)((space ? space : end) - words);
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

void layout_paragraphs(FILE *out, const char *text)
{
    size_t length;
    const char *paragraph;
    while (paragraph = next_paragraph(&text, &length), length > 0) {
        if (*paragraph == ' ')
            fprintf(out, "%.*s\n", (int)length, paragraph);
        else
            layout_words(out, paragraph, length, 0);
        if (*text)
            fputc('\n', out);
    }
}

void layout_row(FILE *out, const char *name, const char *meaning, size_t indent)
{
    size_t length = strlen(name);
    fputs(name, out);
    if (length + 2 > indent) { /* too long to stand beside its meaning */
        fputc('\n', out);
        length = 0;
    }
    spaces(out, indent - length);
    layout_words(out, meaning, strlen(meaning), indent);
}

void layout_lines(FILE *out, const char *lines, size_t indent)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        spaces(out, indent);
        fprintf(out, "%.*s\n", (int)length, lines);
        lines += length + (lines[length] ? 1 : 0);
    }
}
