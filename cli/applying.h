/* applying: a model and the rows that it is applied to, for 'temper predict' and 'temper eval'. */
#ifndef CLI_APPLYING_H
#define CLI_APPLYING_H

#include "parse.h"
#include "temper.h"

struct application {
    const struct arguments *arguments;
    temper_model *model;
    temper_stream *stream;
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

#endif
