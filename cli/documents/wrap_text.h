/* layout: text for a terminal of 80 columns. */
#ifndef CLI_LAYOUT_H
#define CLI_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

/* The next paragraph and on to behind it; its length is 0 at the end. Paragraphs have an empty line
 * between them; one that begins with a space is to be shown as it is. */
const char *next_paragraph(const char **text, size_t *length);

/* Words in lines that begin at `indent`, where the first of them is; ends the last line. */
void layout_words(FILE *out, const char *words, size_t length, size_t indent);
void layout_paragraphs(FILE *out, const char *text);
/* A row of a list: the name, and at `indent` what it means, in as many lines as it takes. */
void layout_row(FILE *out, const char *name, const char *meaning, size_t indent);
/* Lines as they are, each behind `indent` spaces. */
void layout_lines(FILE *out, const char *lines, size_t indent);

#endif
