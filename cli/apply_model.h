/* apply_model: a model and batches of rows for it, for predict and eval. */
#ifndef CLI_APPLY_MODEL_H
#define CLI_APPLY_MODEL_H

#include "options/options.h"
#include "temper.h"

struct application {
    const struct arguments *arguments;
    temper_model *model;
    temper_batch_reader *stream;
    unsigned long long rows; /* so far */
    double start;            /* when it began */
};

/* Loads the model and opens DATA. What is wrong has been complained about; application_end in any
 * case. */
temper_status application_begin(struct application *application, const struct arguments *arguments);
/* The next rows, freed by temper_data_free, or NULL. */
temper_status application_next(struct application *application, temper_data **batch);
/* Tells what the reader has assumed, and frees all. */
void application_end(struct application *application);

/* The share of labelled rows; what fails is complained about. */
temper_status model_accuracy(const temper_model *model, const temper_data *test, size_t threads, double *accuracy);

#endif
