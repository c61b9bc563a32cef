/* figure: numbers and names for people: short, aligned, harmless to a terminal. */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include <stddef.h>
#include <stdio.h>

#include "temper.h"

enum {
    FIGURE_LENGTH = 40,
    NAME_SHOWN = 160 /* bytes: room for 40 characters */
};

/* 1,234,567 */
const char *figure_count(unsigned long long count, char out[FIGURE_LENGTH]);
/* 13.8 MB; decimal units */
const char *figure_bytes(unsigned long long bytes, char out[FIGURE_LENGTH]);
/* 0.268 %: never "0 %" of something, nor "100 %" of less than all. */
const char *figure_share(unsigned long long part, double whole, char out[FIGURE_LENGTH]);

/* 91.27 %: never "100 %" of less than all; "none" of NAN. */
const char *figure_percent(double share, char out[FIGURE_LENGTH]);

/* The beginning of a line of a table: what it tells, and blanks. */
void figure_title(FILE *out, const char *text);
/* "; 10 more dropped: values are missing in them", behind a number of rows; nothing of none */
void figure_dropped(FILE *out, unsigned long long rows);
/* tempered, t1 = 0.3, t2 = 1 */
void figure_loss(FILE *out, temper_loss_spec loss);

/* ": no (120), yes (80)", where they are few; without counts where others have the other rows. */
void figure_classes(FILE *out, const temper_data *data);

/* A name of at most `width` characters (<= 40), control characters as "?", cut to "...". Returns
 * how many characters it takes on a terminal. */
size_t figure_name(const char *name, size_t width, char out[NAME_SHOWN]);

#endif
