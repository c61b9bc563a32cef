/* csv_raw_rows: the cells of some rows as the file has them, with those of columns that are not features: for a person
 * who looks at these rows. The file is read once more. */
#ifndef DATA_CSV_RAW_ROWS_H
#define DATA_CSV_RAW_ROWS_H

#include "data/csv/csv.h"

#define RAW_HEADER SIZE_MAX

/* Called with the cells of wanted row `index`, or of the header (RAW_HEADER); they are valid during the call. */
typedef temper_status raw_row_fn(void *context, size_t index, const struct csv_line *cells);

struct raw_rows {
    const size_t *row; /* rows of the dataset, ascending, each once */
    size_t count;
    raw_row_fn *visit;
    void *context;
};

/* Whether the data is a table from one regular file, which can be read again. */
bool csv_can_reread(const struct dataset *data);
/* Visits the header, if there is one, then the rows in their order. TEMPER_BAD_DATA if the file has changed. */
temper_status csv_reread(const struct dataset *data, const struct raw_rows *wanted, temper_error *error);

#endif
