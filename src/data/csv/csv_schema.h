/* csv_schema: tables and schemas, both ways: the schema of a table that was read, and a table read
 * by a schema. */
#ifndef DATA_CSV_SCHEMA_H
#define DATA_CSV_SCHEMA_H

#include "data/csv/csv.h"
#include "data/schema.h"

/* What the plan and the texts came to; `mean` of each feature, or NULL where none is to be kept. */
temper_status csv_schema_learn(const struct csv_column_plan *plan, const struct csv_rows *whole, const double *mean,
                               struct schema **out, temper_error *error);

/* ---- By a schema, reading->schema -------------------------------------------------------------
 */

/* Whether the first line has a name of the schema in it. */
bool csv_match_header(const struct schema *schema, const struct csv_line *first);
/* The rule for missing values, where no option gives one; an option that the schema cannot follow
 * is refused. */
temper_status csv_match_missing(struct csv_column_plan *plan, const struct reading *reading);
/* Finds the columns and gives them roles; options have taken theirs already. */
temper_status csv_match_columns(struct csv_column_plan *plan, const struct reading *reading);
/* Turns the rows into the features of the schema, in place; *width is their number. */
temper_status csv_match_finish(const struct csv_column_plan *plan, struct csv_rows *whole,
                               const struct reading *reading, struct dataset *data, size_t *width);

#endif
