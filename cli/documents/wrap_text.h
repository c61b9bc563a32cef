/* wrap_text: text for a terminal of 80 columns. */
#ifndef CLI_WRAP_TEXT_H
#define CLI_WRAP_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Returns the next paragraph and moves *text behind it; its length is 0 at the end. Paragraphs are separated by an
 * empty line; one that begins with a space is printed as it is. */
const char *next_paragraph(const char **text, size_t *length);

/* Words in lines that begin at `indent`, where the first of them is; ends the last line. */
void wrap_words(FILE *out, const char *words, size_t length, size_t indent);
void wrap_paragraphs(FILE *out, const char *text);
/* A row of a list: the name, and at `indent` what it means, in as many lines as it takes. */
void wrap_row(FILE *out, const char *name, const char *meaning, size_t indent);
/* Lines as they are, each after `indent` spaces. */
void print_indented(FILE *out, const char *lines, size_t indent);

#endif
