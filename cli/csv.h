/* csv: values as cells of a table that any program reads. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdio.h>

/* In quotes where it needs them. */
void csv_cell(FILE *out, const char *text);

#endif
