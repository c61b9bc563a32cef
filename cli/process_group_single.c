/* process_group_single: one process. What several of them change, it leaves alone. */
#include "process_group.h"

/* NOLINTBEGIN(readability-non-const-parameter): mpi/process_group_mpi.c has the same names */

void process_group_begin(int *count, char ***words)
{
    (void)count;
    (void)words;
}

int process_group_end(int exit_code)
{
    return exit_code;
}

const temper_comm *process_group_comm(void)
{
    return NULL;
}

bool process_group_is_first(void)
{
    return true;
}

temper_status process_group_check(const char *command, const char *data)
{
    (void)command;
    (void)data;
    return TEMPER_OK;
}

bool process_group_keeps(const char *line, bool complaint)
{
    (void)complaint;
    (void)line;
    return false;
}

temper_status process_group_agree(temper_status status)
{
    return status;
}

temper_status process_group_collect(char **bytes, size_t *length)
{
    (void)bytes;
    (void)length;
    return TEMPER_OK;
}

/* NOLINTEND(readability-non-const-parameter) */
