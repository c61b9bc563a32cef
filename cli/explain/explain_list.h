/* explain_list: effects of features and explanations of rows, as a table, CSV, JSON lines or one JSON object. */
#ifndef CLI_EXPLAIN_LIST_H
#define CLI_EXPLAIN_LIST_H

#include <stdio.h>

#include "temper_explain.h"
#include "temper_extra.h"

enum explain_form { FORM_TABLE, FORM_CSV, FORM_JSON_LINES, FORM_JSON };

/* What a list is about. */
struct explain_subject {
    const char *model_path, *data_path; /* data NULL: the model alone */
    const temper_model *model;
    const temper_explainer *explainer;
    size_t top;
    enum explain_form form;
};

enum { VALUE_LENGTH = 200 };
/* The value of a contribution for people: "red", "yes", "1234.5", "(its words)". Returns `out`. */
const char *contribution_value(const temper_contribution *contribution, char out[VALUE_LENGTH]);
/* "colour = red", "age is missing = no" */
const char *contribution_title(const temper_contribution *contribution, char out[VALUE_LENGTH]);

/* The whole list of a model. Errors have been reported. */
temper_status explain_list_model(FILE *out, const struct explain_subject *subject);

/* A list of rows: its beginning, each row, its end. `number` is that of the row, from 1. */
void explain_list_begin(FILE *out, const struct explain_subject *subject);
void explain_list_row(FILE *out, const struct explain_subject *subject, size_t number,
                      const temper_row_explanation *row, const temper_contribution *list);
void explain_list_end(FILE *out, const struct explain_subject *subject, size_t rows);

#endif
