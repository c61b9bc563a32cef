/* fits_crew: space, the group and the metrics for many two-class trainings in step. */
#include "search/worker_group.h"

#include "base/memory.h"
#include "train/train.h"

/* Of all runs together, but MULTI_WIDTH of them in any case; and of activations at once. */
static const size_t RUN_BYTES = (size_t)256 << 20, SCORE_BYTES = (size_t)64 << 20;
enum { RUN_SHARE = 8, SCORE_SHARE = 16 }; /* of a limit of memory */

static size_t between(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

struct crew_room crew_room(const struct dataset *data, size_t size, size_t fits)
{
    size_t run = (2 * HISTORY + 8) * size * sizeof(double), runs = RUN_BYTES, scores = SCORE_BYTES;
    size_t least = MULTI_WIDTH, rows = (size_t)dataset_all_rows(data); /* all must agree */
    if (data->storage.memory_limit) {                                  /* fits do not depend on their company */
        runs = smaller(runs, (size_t)(data->storage.memory_limit / RUN_SHARE));
        scores = smaller(scores, (size_t)(data->storage.memory_limit / SCORE_SHARE));
        least = 1;
    }
    struct crew_room room = {.run = (double)run};
    room.slots = between(fits, 1, between(runs / run, least, MOST_AT_ONCE));
    room.score_slots = between(scores / sizeof(double) / (rows ? rows : 1), 1, room.slots);
    return room;
}

static bool allocate(struct crew *crew)
{
    const struct fits_job *job = crew->job;
    struct crew_room room = crew_room(job->features->data, crew->size, job->count);
    crew->slots = room.slots;
    crew->score_slots = room.score_slots;
    crew->record = mem_zeroed(job->count, sizeof *crew->record);
    crew->begun = mem_zeroed(job->count, sizeof *crew->begun);
    crew->zero = mem_zeroed(crew->size, sizeof *crew->zero);
    crew->gradients = mem_alloc(crew->slots, crew->size * sizeof *crew->gradients);
    crew->score = mem_alloc(crew->score_slots, crew->rows * sizeof *crew->score);
    if (!crew->record || !crew->begun || !crew->zero || !crew->gradients || !crew->score)
        return false;
    for (size_t i = 0; i < crew->slots; i++)
        crew->runner[i].gradient = crew->gradients + i * crew->size;
    for (size_t i = 0; i < job->count; i++)
        if (job->fit[i].after != FIT_BEGINS_AT_ZERO)
            crew->record[job->fit[i].after].waiting++;
    return true;
}

static uint32_t count_partitions(const struct fits_job *job)
{
    uint32_t count = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->fit[i].part != FIT_SEES_ALL && job->fit[i].partition >= count)
            count = job->fit[i].partition + 1;
    return count;
}

/* Each fit is a member of the group. */
static void fill_members(const struct fits_job *job, struct multi_member *member)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct fit_spec *fit = &job->fit[i];
        int partition = fit->part == FIT_SEES_ALL ? MULTI_NO_PARTITION : (int)fit->partition;
        member[i] = (struct multi_member){fit->loss, fit->l2, partition, fit->part};
    }
}

static temper_status make_group(struct crew *crew)
{
    const struct fits_job *job = crew->job;
    uint32_t partitions = count_partitions(job);
    struct multi_spec spec = {.data = job->features->data,
                              .scale = scaled_features_scale(job->features),
                              .intercept = !job->options->no_intercept,
                              .threads = job->threads};
    temper_status status = choose_precision(job->options, job->features->data, &spec.f64, crew->error);
    if (status != TEMPER_OK)
        return status;
    struct multi_member *member = mem_alloc(job->count, sizeof *member);
    const uint32_t **part = (const uint32_t **)mem_alloc(partitions + 1, sizeof *part);
    if (member && part) {
        fill_members(job, member);
        for (uint32_t p = 0; p < partitions; p++)
            part[p] = job->partition[p].part + job->features->data->ranks.first_row;
        spec.partition = part;
        status = multi_objective_new(&spec, member, job->count, &crew->group, crew->error);
    } else {
        status = error_no_memory(crew->error);
    }
    mem_free(member);
    mem_free((void *)part);
    return status;
}

static temper_status make_whiteners(struct crew *crew)
{
    const struct fits_job *job = crew->job;
    struct gram_preconditioners_spec spec = {.features = job->features,
                                             .intercept = !job->options->no_intercept,
                                             .few_fits = job->few,
                                             .max_penalties = job->count,
                                             .threads = job->threads};
    for (size_t i = 0; i < job->count; i++)
        if (preconditioner_suits(job->fit[i].loss, job->features->data))
            return gram_preconditioners_new(&spec, &crew->whiteners, crew->error);
    return TEMPER_OK;
}

void worker_group_free(struct crew *crew)
{
    for (size_t i = 0; i < crew->slots; i++)
        lbfgs_close(crew->runner[i].run);
    for (size_t i = 0; crew->record && i < crew->job->count; i++)
        mem_free(crew->record[i].end);
    gram_preconditioners_free(crew->whiteners);
    multi_objective_free(crew->group);
    mem_free(crew->record);
    mem_free(crew->begun);
    mem_free(crew->zero);
    mem_free(crew->gradients);
    mem_free(crew->score);
    mem_free(crew);
}

temper_status worker_group_new(const struct fits_job *job, struct crew **out, temper_error *error)
{
    struct crew *crew = mem_zeroed(1, sizeof *crew);
    if (!crew)
        return error_no_memory(error);
    crew->job = job;
    crew->error = error;
    crew->size = fits_size(job->features, job->options);
    crew->rows = (size_t)job->features->data->x.rows;
    temper_status status = allocate(crew) ? make_group(crew) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = make_whiteners(crew);
    if (status == TEMPER_OK)
        *out = crew;
    else
        worker_group_free(crew);
    return status;
}
