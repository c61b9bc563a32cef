/* info_table: the columns of a table of text, for temper info: what each holds, what becomes of it, and how to train.
 */
#ifndef CLI_INFO_TABLE_H
#define CLI_INFO_TABLE_H

#include <stdio.h>

#include "temper.h"

/* `problem`: why the file was refused as data, or NULL. */
void print_table_columns(FILE *out, const char *path, const temper_table *table, const char *problem);
/* The same as members of a JSON object, each after a comma. */
void json_table_columns(FILE *out, const char *path, const temper_table *table, const char *problem);

#endif
