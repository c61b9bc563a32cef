/* writing: where a model goes, and whether it can. */
#ifndef CLI_WRITING_H
#define CLI_WRITING_H

#include "parse.h"
#include "temper.h"

/* DATA.temper, or what -m asks for; to be freed. What is wrong has been complained about. */
temper_status name_model(const struct arguments *arguments, char **path);

/* Whether model and checkpoint (or NULL) can be written, and are nothing that is read: better now
 * than after hours. */
temper_status check_targets(const struct arguments *arguments, const char *model, const char *checkpoint);
/* The same for one more file. */
temper_status check_target(const struct arguments *arguments, const char *path);

/* Whether there is a file of that name, which a result would replace. */
bool is_file(const char *path);

/* The two texts as one, to be freed; NULL, and complained, if there is no memory. */
char *joined(const char *first, const char *second);

#endif
