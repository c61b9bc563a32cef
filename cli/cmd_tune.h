/* tuning: what 'temper tune' has found, for people and for programs. */
#ifndef CLI_TUNING_H
#define CLI_TUNING_H

#include <stdio.h>

#include "options/options.h"
#include "temper.h"

struct tuning {
    const char *data_path, *model_path;
    const char *ask_path; /* of the rows to label; NULL: nothing was asked */
    const temper_data *data;
    temper_tune_report report;
    double seconds_read, seconds_write;
    bool replaced; /* a file was there before the model */
};

void tuning_table(FILE *out, const struct tuning *tuning);
void tuning_json(FILE *out, const struct tuning *tuning);

/* The rows to label: row, given, and an empty column for the true label. */
temper_status tuning_write_ask(const struct tuning *tuning);

/* Trusted rows from a file: data like `data`, or what tuning_write_ask has written, filled in. */
struct trusted_rows {
    temper_data *data; /* or NULL, and these: */
    unsigned long long *row;
    uint32_t *label;
    size_t count;
};
temper_status trusted_read(const struct arguments *arguments, const temper_data *data, const char *path,
                           struct trusted_rows *trusted);
void trusted_free(struct trusted_rows *trusted);

/* A page with heat maps, or one map alone. */
temper_status tuning_write_report(const struct tuning *tuning, const char *path);

#endif
