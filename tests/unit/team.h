/* team: several "processes" in one, each a thread: all that a comm is about, without MPI. */
#ifndef TEST_TEAM_H
#define TEST_TEAM_H

#include "temper.h"

enum { TEAM_MOST = 8 };

/* Runs work(context, comm) once for each rank of so many, at once, and waits for all. */
typedef void team_fn(void *context, const temper_comm *comm);
void team_run(size_t size, team_fn *work, void *context);

#endif
