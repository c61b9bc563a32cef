/* training: the options of 'temper train', and what it reports. */
#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H

#include <stdio.h>

#include "parse.h"
#include "temper.h"

/* From the command line, all but data, warm start and progress. What goes together badly has been
 * complained about. */
temper_status training_options(const struct arguments *arguments, temper_train_options *options);

struct training {
    const char *data_path, *model_path;
    const temper_data *data;
    temper_train_report report;
    double seconds_read, seconds_write;
};

void training_table(FILE *out, const struct training *training);
void training_json(FILE *out, const struct training *training);

#endif
