/* main: the program temper, a process group of one. mpi/main_mpi.c implements the same functions for the processes of
 * an MPI job; all other files of the command are the same for both programs, and neither program needs the other's
 * libraries. */
#include "options/command_line.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"

/* words[0] is the name of the program; a caller of execve may pass no words at all. */
int main(int count, char **words)
{
    output_prepare();
    return interrupt_exit_code(command_line_run(count > 0 ? words + 1 : words));
}

/* NULL: the library reads whole files and does not communicate. */
const temper_comm *process_group_comm(void)
{
    return NULL;
}

/* The only process is the one that prints and writes files. */
bool process_group_is_first(void)
{
    return true;
}

/* A single process can run every command. */
temper_status process_group_check(const char *command, const char *data)
{
    (void)command;
    (void)data;
    return TEMPER_OK;
}

/* Every message is printed at once. */
bool process_group_keeps(const char *line, bool is_error)
{
    (void)is_error;
    (void)line;
    return false;
}

/* There is no other process to compare with. */
temper_status process_group_agree(temper_status status)
{
    return status;
}

/* The text is already complete. NOLINTNEXTLINE(readability-non-const-parameter): main_mpi.c has the same signature */
temper_status process_group_collect(char **bytes, size_t *length)
{
    (void)bytes;
    (void)length;
    return TEMPER_OK;
}
