/* json_csv: values as JSON and as cells of CSV files, for programs. */
#ifndef CLI_JSON_CSV_H
#define CLI_JSON_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "temper.h"

/* In quotes; bytes that are not UTF-8 become the letters that they are in Latin-1, or U+FFFD (base/json_write escapes
 * them for temper's own files instead). NULL becomes null. */
void json_text(FILE *out, const char *text);
/* The shortest decimal that reads back as the same number; null if it is not finite. */
void json_number(FILE *out, double number);
/* An array with a string for each line. */
void json_lines(FILE *out, const char *text);
/* The texts of warnings, as an array. */
void json_warnings(FILE *out, const temper_warnings *warnings);

/* The next member of an object, on a line of its own. */
void json_number_field(FILE *out, const char *name, double number);
void json_count_field(FILE *out, const char *name, size_t count);
void json_bool_field(FILE *out, const char *name, bool value);
void json_text_field(FILE *out, const char *name, const char *text);
/* The members loss, t1, t2, smoothing, other parameters of the loss, and l2; what the loss does not have is null. The
 * first has no separator before it. */
void json_loss_members(FILE *out, temper_loss_spec loss, double l2, const char *separator);
/* The same, each on a line of its own. */
void json_loss_fields(FILE *out, temper_loss_spec loss, double l2);
/* "calibration" and "noise_rate" of a model; null: not calibrated, not estimated. */
void json_probability_fields(FILE *out, const temper_model *model);
/* The member seconds: {"read": ..., NAME: ..., "write": ...} */
void json_seconds_field(FILE *out, double read, const char *name, double seconds, double write);

/* The beginning of a report on a training or tuning: the size of the data. */
void json_begin_data(FILE *out, const temper_data *data);
/* Its end: warnings, the file of the model, and whether it has replaced another. */
void json_end_model(FILE *out, const temper_warnings *warnings, const char *path, bool replaced);

/* The next member of an object, on the same line. */
void json_number_member(FILE *out, const char *name, double number);
void json_text_member(FILE *out, const char *name, const char *text);

/* A cell of a CSV file, in quotes where it needs them. */
void csv_cell(FILE *out, const char *text);
/* ",NUMBER" with the shortest digits that read back as the same double; NAN is an empty cell, which CSV readers take as
 * missing. */
void csv_number(FILE *out, double number);

#endif
