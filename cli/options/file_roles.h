/* file_roles: which files a command reads and which it writes. */
#ifndef CLI_FILE_ROLES_H
#define CLI_FILE_ROLES_H

#include "options/command_line.h"

/* Refuses a command of which a result would replace an input, or another result. To be called before anything is read.
 * Errors have been reported. */
temper_status check_file_roles(const struct arguments *arguments);

/* The names of results that an option may give or that follow from other names, all to be freed. Errors have been
 * reported. */

/* The model: the value of -m, or DATA.temper. */
temper_status name_model(const struct arguments *arguments, char **path);
/* The checkpoint of tune: the value of --checkpoint, or MODEL.tuning. */
temper_status name_tune_checkpoint(const struct arguments *arguments, const char *model, char **path);
/* The rows that tune asks for: the value of --ask-output, or MODEL.ask.csv. */
temper_status name_asked_rows(const struct arguments *arguments, const char *model, char **path);
/* The list of the rows that noise has changed: FILE.changes.csv. */
temper_status name_changes(const char *data, char **path);

/* Whether two paths are, or would be, one file. */
bool same_result(const char *a, const char *b);

/* Whether labels are written to a second file, PATH.labels: npy, and idx with a name that does not contain "images". */
bool labels_are_separate(const char *path, const char *format);

#endif
