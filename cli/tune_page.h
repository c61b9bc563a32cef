/* tune_page: the page of 'temper tune --report', with heat maps of the candidates. */
#ifndef CLI_TUNE_PAGE_H
#define CLI_TUNE_PAGE_H

#include <stdbool.h>

#include "temper.h"

/* What the reports of 'temper tune' are made from. */
struct tune_result {
    const char *data_path, *model_path;
    const char *ask_path;     /* of the rows to label; NULL without --ask */
    const char *ask_command;  /* the command to run next where the choice is unsure, or NULL */
    const char *trusted_path; /* the file that it would write */
    const temper_data *data;
    const temper_model *model;
    temper_tune_report report;
    const char *ask_section; /* HTML: the review of the rows to label; NULL without --ask or --report */
    double seconds_read, seconds_write;
    int replaced; /* the model has replaced a file */
};

/* Whether the expected accuracy is corrected for having chosen the best: another criterion may have preferred a
 * candidate, whose accuracy then needs no correction. */
static inline bool is_corrected(const temper_tune_report *report)
{
    return report->best == report->by_accuracy;
}

/* Writes the page, or one map alone if the path ends in .svg. */
temper_status tune_page_write(const struct tune_result *result, const char *path);

#endif
