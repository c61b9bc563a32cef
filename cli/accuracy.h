/* accuracy: how often a model is right. */
#ifndef CLI_ACCURACY_H
#define CLI_ACCURACY_H

#include "temper.h"

/* The share of labelled rows; what fails is complained about. */
temper_status model_accuracy(const temper_model *model, const temper_data *test, size_t threads, double *accuracy);

#endif
