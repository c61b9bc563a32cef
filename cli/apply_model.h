/* apply_model: a model and the rows that it is applied to, batch by batch, for predict, eval and plot report. */
#ifndef CLI_APPLY_MODEL_H
#define CLI_APPLY_MODEL_H

#include "options/command_line.h"
#include "temper_extra.h"

struct model_application {
    const struct arguments *arguments;
    temper_model *model;
    temper_batch_reader *reader;
    bool noted;   /* the notes of the reader have been printed */
    size_t rows;  /* so far */
    double start; /* seconds at the beginning */
};

/* Loads the model and opens DATA. Errors have been reported; application_end in any case. */
temper_status application_begin(struct model_application *application, const struct arguments *arguments,
                                bool labelled);
/* The next rows, freed by temper_data_free, or NULL. */
temper_status application_next(struct model_application *application, temper_data **batch);
/* Prints what the reader has assumed, and frees everything. */
void application_end(struct model_application *application);

/* The accuracy of a model on labelled rows; errors have been reported. */
temper_status model_accuracy(const temper_model *model, const temper_data *test, size_t threads, double *accuracy);

#endif
