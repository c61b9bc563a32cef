/* team: the processes that run one command together: this one alone, or those that mpirun started.
 *
 * process_group_single.c is for temper, mpi/process_group_mpi.c for temper-mpi; all else is the same. The first
 * process speaks and writes, the others work. */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include <stdbool.h>

#include "temper.h"

/* First and last in main. The exit code of all is that of the first process that has failed. */
void process_group_begin(int *count, char ***words);
int process_group_end(int exit_code);

const temper_comm *process_group_comm(void); /* NULL: alone */
bool process_group_is_first(void);

/* Whether the command is one that several processes can share; complains if not. */
temper_status process_group_check(const char *command, const char *data);

/* Whether a message is of a process that does not speak. A complaint is kept for the case that
 * nobody else has failed. */
bool process_group_keeps(const char *line, bool complaint);

/* A failure of one is one of all. */
temper_status process_group_agree(temper_status status);

/* The texts of all, one after another, for the first process; the others are left with none.
 * *bytes, from malloc, is replaced. */
temper_status process_group_collect(char **bytes, size_t *length);

#endif
