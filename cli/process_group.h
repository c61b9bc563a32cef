/* process_group: the processes that run one command together: a single one, or those that mpirun has started.
 *
 * main.c implements it for temper, mpi/main_mpi.c for temper-mpi; all other files are the same in both. Only the first
 * process prints and writes files. */
#ifndef CLI_PROCESS_GROUP_H
#define CLI_PROCESS_GROUP_H

#include <stdbool.h>

#include "temper_extra.h"

const temper_comm *process_group_comm(void); /* NULL: a single process */
bool process_group_is_first(void);

/* Whether several processes can share the command, and read `data`; reports an error if not. */
temper_status process_group_check(const char *command, const char *data);

/* Whether a message is suppressed, as those of all processes but the first are. An error is kept, to be printed if no
 * earlier process has failed. */
bool process_group_keeps(const char *line, bool is_error);

/* The first failure among all processes becomes the status of each. */
temper_status process_group_agree(temper_status status);

/* Concatenates the texts of all processes in the first one; the others are left with none. *bytes, from malloc, is
 * replaced. */
temper_status process_group_collect(char **bytes, size_t *length);

#endif
