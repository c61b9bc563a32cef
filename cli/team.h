/* team: the processes that run one command together: this one alone, or those that mpirun started.
 *
 * team_alone.c is for temper, mpi/team_mpi.c for temper-mpi; all else is the same. The first
 * process speaks and writes, the others work. */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include <stdbool.h>

#include "temper.h"

/* First and last in main. The exit code of all is that of the first process that has failed. */
void team_begin(int *count, char ***words);
int team_end(int exit_code);

const temper_comm *team_comm(void); /* NULL: alone */
bool team_is_first(void);

/* Whether the command is one that several processes can share; complains if not. */
temper_status team_check(const char *command, const char *data);

/* Whether a message is of a process that does not speak. A complaint is kept for the case that
 * nobody else has failed. */
bool team_keeps(const char *line, bool complaint);

/* A failure of one is one of all. */
temper_status team_agree(temper_status status);

/* The texts of all, one after another, for the first process; the others are left with none.
 * *bytes, from malloc, is replaced. */
temper_status team_collect(char **bytes, size_t *length);

#endif
