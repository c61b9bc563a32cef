/* A process that runs out of memory before an exchange: the others do not wait for it. */
#include "data/dist/gather_labels.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "data/dist/scatter_rows.h"
#include "data/duplicate_rows.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/thread_comm_fixture.h"
#include "fixtures/train_fixture.h"

enum { ROWS = 40 };

/* The comm of rank 0, which reports when it has reached the next exchange. */
struct watched_comm {
    const temper_comm *comm;
    atomic_bool *waits;
};

static int gather_and_tell(void *context, const void *mine, const size_t *bytes, void *all)
{
    const struct watched_comm *watched = context;
    atomic_store(watched->waits, true);
    return watched->comm->gather(watched->comm->context, mine, bytes, all);
}

struct failing_team {
    atomic_bool waits; /* rank 0 has allocated all that it needs, and waits for the other */
    temper_status status[2];
};

/* Only rank 1 allocates while the fault is armed. */
static void hash_rows(void *context, const temper_comm *comm)
{
    struct failing_team *team = context;
    struct watched_comm watched = {comm, &team->waits};
    temper_comm telling = *comm;
    struct dataset *data = made_data(MATRIX_F64, ROWS, 3, 2);
    struct gathered_labels labels = {0};
    uint64_t hash[ROWS];
    temper_status *status = &team->status[comm->rank];
    *status = scatter_rows(data, comm, NULL);
    if (*status == TEMPER_OK)
        *status = gathered_labels_needed(data, &labels, NULL);
    telling.gather = gather_and_tell;
    telling.context = &watched;
    if (comm->rank == 0)
        labels.comm = &telling;
    while (comm->rank == 1 && !atomic_load(&team->waits))
        continue;
    if (comm->rank == 1)
        fault_arm(1);
    if (*status == TEMPER_OK)
        *status = row_hashes_of_all(data, &labels, 1, hash, NULL);
    if (comm->rank == 1)
        fault_disarm();
    gathered_labels_free(&labels);
    dataset_free(data);
}

TEST(processes_agree_on_memory_before_they_exchange_hashes)
{
    struct failing_team team = {0};
    team_run(2, hash_rows, &team);
    CHECK(fault_fired());
    CHECK(team.status[0] == TEMPER_NO_MEMORY && team.status[1] == TEMPER_NO_MEMORY);
}

TEST_LIST(LISTED(processes_agree_on_memory_before_they_exchange_hashes))
