/* number_format: numbers and names for people: short, aligned, without control characters. */
#ifndef CLI_NUMBER_FORMAT_H
#define CLI_NUMBER_FORMAT_H

#include <stddef.h>
#include <stdio.h>

#include "temper.h"

enum {
    FORMAT_LENGTH = 40,
    NAME_SHOWN = 160 /* bytes: enough for 40 characters */
};

/* 1,234,567 */
const char *format_count(size_t count, char out[FORMAT_LENGTH]);
/* 13.8 MB; decimal units */
const char *format_bytes(size_t bytes, char out[FORMAT_LENGTH]);
/* 0.268 %: never "0 %" of a part that is not empty, nor "100 %" of less than all. */
const char *format_share(size_t part, double whole, char out[FORMAT_LENGTH]);
/* 91.27 %: never "100 %" of less than 1; "none" for NAN. */
const char *format_percent(double share, char out[FORMAT_LENGTH]);

/* A name of at most `width` columns of a terminal (3 to 40): control characters become "?", the end of a longer name
 * "...". Returns how many columns it takes. */
size_t format_name(const char *name, size_t width, char out[NAME_SHOWN]);
/* Prints a whole name, padded with blanks to |width| columns: on the left if width > 0, on the right if width < 0, as
 * printf does. Control characters become "?". */
void print_whole_name(FILE *out, const char *name, int width);

/* The beginning of a line of a table: its title, padded with blanks. */
void print_title(FILE *out, const char *text);
/* The lines "rows", "features" and "classes" of a table. */
void print_data_size(FILE *out, const temper_data *data);
/* "; 10 more dropped: values are missing in them", after a number of rows; nothing for 0. */
void print_dropped(FILE *out, size_t rows);
/* tempered, t1 = 0.3, t2 = 1 */
void print_loss(FILE *out, temper_loss_spec loss);
/* The line "probabilities", and "label noise" where the model has an estimate of it. */
void print_probabilities(FILE *out, const temper_model *model);

#endif
