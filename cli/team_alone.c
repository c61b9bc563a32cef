/* team_alone: one process. What several of them change, it leaves alone. */
#include "team.h"

/* NOLINTBEGIN(readability-non-const-parameter): mpi/team_mpi.c has the same names */

void team_begin(int *count, char ***words)
{
    (void)count;
    (void)words;
}

int team_end(int exit_code)
{
    return exit_code;
}

const temper_comm *team_comm(void)
{
    return NULL;
}

bool team_is_first(void)
{
    return true;
}

temper_status team_check(const char *command, const char *data)
{
    (void)command;
    (void)data;
    return TEMPER_OK;
}

bool team_keeps(const char *line, bool complaint)
{
    (void)complaint;
    (void)line;
    return false;
}

temper_status team_agree(temper_status status)
{
    return status;
}

temper_status team_collect(char **bytes, size_t *length)
{
    (void)bytes;
    (void)length;
    return TEMPER_OK;
}

/* NOLINTEND(readability-non-const-parameter) */
