/* jsonl: JSON lines, a table with an object on each line.
 *
 * The text is read twice: first for its keys, which are the columns, in the order in which they first occur; then each
 * object becomes a row of CSV as it is read, and the reader of CSV does all the rest. So a table has the same columns
 * and the same model in both formats. A key that a row lacks, and null, are empty cells. Blank lines are skipped. Rows
 * keep the numbers of their lines, and messages have the place of the value in the original text. */
#ifndef DATA_JSONL_H
#define DATA_JSONL_H

#include "data/read/read.h"

/* Replaces the source of a reader by the same table as CSV, and its options by those of such a table. On failure the
 * source is closed. What it makes is freed by jsonl_free, after the source. */
temper_status jsonl_to_csv(struct data_reader *reader);
struct jsonl_table;
void jsonl_free(struct jsonl_table *table);

#endif
