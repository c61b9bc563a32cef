/* training: the options of 'temper train', and what it reports. */
#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H

#include <stdio.h>

#include "options/options.h"
#include "temper.h"

/* From the command line, all but data, warm start and progress. What goes together badly has been
 * complained about. */
temper_status training_options(const struct arguments *arguments, temper_train_options *options);

/* Those of them that all trainings share, tuning too. */
void solving_options(const struct arguments *arguments, temper_train_options *options);

/* Whether some temperature is to be chosen, and the grid to choose from. */
enum { GRID_LENGTH = 160 };
bool training_is_automatic(const struct arguments *arguments);
void training_grid(const struct arguments *arguments, const temper_train_options *options, char grid[GRID_LENGTH]);

/* Warnings of the library, a sentence a line. */
void print_warnings(const char *warnings);

#endif
