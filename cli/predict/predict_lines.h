/* predict_lines: the predictions of rows as lines of text: plain, CSV or JSON. */
#ifndef CLI_PREDICT_LINES_H
#define CLI_PREDICT_LINES_H

#include <stdio.h>

#include "temper_extra.h"

enum predict_form {
    PREDICT_PLAIN, /* the label, or numbers separated by tabs */
    PREDICT_CSV,   /* kept columns, the predicted class, numbers */
    PREDICT_JSONL  /* the same as an object a line */
};

struct predict_lines {
    enum predict_form form;
    const temper_model *model;
    const temper_batch_reader *reader; /* source of the names of kept columns, once a batch was asked for */
    const char *keep;                  /* --keep, or NULL */
    temper_prediction kind;            /* of the numbers; TEMPER_PREDICT_LABELS: none but the label */
    size_t width;                      /* numbers of a row */
};

/* A row of a batch with its predictions. */
struct predicted_line {
    const temper_data *batch; /* has the kept columns */
    size_t row;
    size_t label;          /* the predicted class */
    const double *numbers; /* [width]; PREDICT_PLAIN of labels: not used */
};

/* Refuses kept columns that have the name of a column of the result, or of each other in JSON; and --keep for data
 * without columns. `batch`: the first one, or NULL. The error has been reported. */
temper_status predict_lines_check(const struct predict_lines *lines, const temper_data *batch);

/* The first line, where there is one: names. */
void print_predict_header(FILE *out, const struct predict_lines *lines);
void print_predict_line(FILE *out, const struct predict_lines *lines, const struct predicted_line *row);

#endif
