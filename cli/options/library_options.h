/* library_options: from the command line to the option structs of the library, for reading data and for fitting models.
 */
#ifndef CLI_LIBRARY_OPTIONS_H
#define CLI_LIBRARY_OPTIONS_H

#include "options/command_line.h"
#include "temper.h"

/* ---- Reading data ---------------------------------------------------------------------------- */

/* Options that the command does not have count as not given. */
temper_read_options data_options(const struct arguments *arguments);

/* Reports an error for an empty file name, which is neither a file nor the standard input. */
temper_status check_path(const struct arguments *arguments, const char *path);

/* Reads a file. *data is freed by temper_data_free; nothing to free on failure, which has been reported. `seconds` is
 * the time it took, or NULL. */
temper_status read_data(const struct arguments *arguments, const char *path, temper_data **data, double *seconds);
/* Reads further rows of the same columns as `like`; every process reads all of them. Files of labels and weights belong
 * to `like` and are not used. */
temper_status read_data_like(const struct arguments *arguments, const temper_data *like, const char *path,
                             temper_data **data);

/* Prints what the reader has assumed, unless --quiet. */
void print_notes(const struct arguments *arguments, const temper_data *data);
/* The same for sentences from another source, one a line; those that begin with "warning: " are printed always. */
void print_sentences(const struct arguments *arguments, const char *sentences);
/* Prints warnings of the library, one a line. */
void print_warnings(const temper_warnings *warnings);

/* --threads */
size_t threads_of(const struct arguments *arguments);

/* ---- Fitting models -------------------------------------------------------------------------- */

/* All options of 'temper train', except data, warm start and progress. Contradictions have been reported. */
temper_status train_options(const struct arguments *arguments, temper_train_options *options);

/* Those of them that tune and audit have too. */
void solver_options(const struct arguments *arguments, temper_train_options *options);

/* Whether a temperature is "auto", to be chosen by tuning; and the grid for that. */
enum { TRAIN_GRID_LENGTH = 320 };
bool has_auto_temperatures(const struct arguments *arguments);
void auto_grid(const struct arguments *arguments, const temper_train_options *options, char grid[TRAIN_GRID_LENGTH]);

#endif
