/* csv_describe: what the first rows of a text file hold, column by column, whether or not a model can be trained on
 * it. Nothing that is odd about a table is refused here; it is reported. */
#ifndef DATA_CSV_DESCRIBE_H
#define DATA_CSV_DESCRIBE_H

#include "data/read/read.h"
#include "temper.h"

/* The reader is open, its format is a table. *out is freed by csv_description_free. Closes the source. */
temper_status csv_describe(struct data_reader *reader, temper_table **out);
void csv_description_free(temper_table *table);

#endif
