/* json: values as JSON, whatever bytes a file has brought. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stddef.h>
#include <stdio.h>

/* In quotes; what is not UTF-8 becomes U+FFFD. NULL becomes null. */
void json_text(FILE *out, const char *text);
void json_span(FILE *out, const char *text, size_t length);
/* Reads back as the same number; null if it is not finite. */
void json_number(FILE *out, double number);
/* A string for each line. */
void json_lines(FILE *out, const char *text);
/* The next member of an object, on a line of its own. */
void json_number_field(FILE *out, const char *name, double number);
void json_text_field(FILE *out, const char *name, const char *text);

#endif
