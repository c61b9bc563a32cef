/* train_checkpoint: all that a training needs to continue to the same bits, in a file that is whole or not there
 * (base/checkpoint_file.h): a header of fixed size, then doubles. A file that does not fit is refused, never guessed
 * at. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "base/checkpoint_file.h"
#include "base/memory.h"
#include "base/source.h"
#include "base/text.h"
#include "tempered/loss_family.h"
#include "train/train_state.h"

static const char magic[CHECKPOINT_MAGIC] = "temper-resume-4";

/* Data and options that must be the same in the training that resumes, because the bits of its result depend on them.
 * Compared as bytes. */
struct checkpoint_identity {
    char fingerprint[40];
    char valid[40];              /* the fingerprint of the validation rows; "" without */
    char loss[TEMPER_LOSS_TEXT]; /* the method with the parameters that only it has */
    double t1, t2, l2, l1, tolerance;
    uint64_t solver, f64, size, phases, max_iterations, patience, scale;
    uint64_t initial; /* a hash of the initial weights */
};

/* The first part of the file; the counts are those at the iteration that was saved. */
struct train_checkpoint_header {
    struct checkpoint_identity identity;
    struct train_counts counts;
    uint64_t phase, solutions, since_best, memory_count;
    double validation_loss, solution_scale;
    double value[MAX_STARTS];  /* of the starts that have ended: the objective, */
    uint64_t stop[MAX_STARTS]; /* and why they ended */
    uint64_t stopped_by_validation;
};

/* Fills the identity: options that change the path of the optimiser, and hashes of data and initial weights. A
 * checkpoint is used only where all of these are equal, byte for byte: then the training continues as if it had not
 * been interrupted, and ends with the same bits. Threads, progress reports and the path of the model do not change the
 * path of the optimiser, and are not part of it. */
static void identify(const struct train_state *train, struct checkpoint_identity *identity)
{
    const struct train_plan *plan = &train->plan;
    const temper_train_options *options = train->request->options;
    memset(identity, 0, sizeof *identity); /* padding too: bytes are compared */
    memcpy(identity->fingerprint, plan->fingerprint, sizeof plan->fingerprint);
    if (train->validation)
        memcpy(identity->valid, train->validation->fingerprint, sizeof train->validation->fingerprint);
    identity->t1 = plan->loss.t1;
    identity->t2 = plan->loss.t2;
    loss_format(plan->asked, identity->loss);
    identity->l2 = plan->l2;
    identity->l1 = plan->l1;
    identity->tolerance = options->tolerance;
    identity->solver = plan->solver;
    identity->f64 = plan->f64;
    identity->size = plan->size;
    identity->phases = plan->phases;
    identity->max_iterations = options->max_iterations;
    identity->patience = options->patience;
    identity->scale = plan->features->scale.kind;
    identity->initial = XXH3_64bits(plan->initial, plan->size * sizeof *plan->initial);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

/* Counts the doubles behind the header: the weights that the phase began with, the solutions so far, the best weights
 * on the validation rows if there are any, the memory of the minimiser. */
static size_t count_numbers(const struct train_state *train, size_t solutions, size_t memory_count)
{
    return train->plan.size * (1 + solutions + (train->validation ? 1 : 0)) + memory_count;
}

/* Padding is 0 too, so that equal states make equal bytes. */
static struct train_checkpoint_header make_header(const struct train_state *train, const struct optim_progress *now)
{
    const struct train_progress *progress = &train->progress;
    const struct train_validation *validation = train->validation;
    struct train_checkpoint_header header;
    memset(&header, 0, sizeof header);
    identify(train, &header.identity);
    header.counts = progress->counts;
    header.phase = progress->phase;
    header.solutions = progress->solutions;
    for (size_t k = 0; k < progress->solutions; k++) {
        header.value[k] = progress->end[k].value;
        header.stop[k] = progress->end[k].stop;
    }
    header.solution_scale = progress->solution_scale;
    header.memory_count = now->memory_count;
    header.validation_loss = INFINITY; /* without validation rows */
    if (validation) {
        header.since_best = validation->since_best;
        header.validation_loss = validation->best_loss;
        header.stopped_by_validation = validation->stopped;
    }
    return header;
}

/* Saves a checkpoint at most once in checkpoint_seconds. The first process writes for all, because each has the same
 * weights; iteration 0 has nothing to save yet. The parts are written one after the other: header, start of the phase,
 * solutions, best weights of the validation, memory of the minimiser. An interrupted process leaves the file of the
 * save before. */
temper_status checkpoint_save(struct train_state *train, const struct optim_progress *now)
{
    const struct train_request *request = train->request;
    const struct train_progress *progress = &train->progress;
    size_t bytes = train->plan.size * sizeof(double);
    if (comm_rank(request->data->ranks.comm) > 0 || now->iteration == 0 ||
        train_clock() - train->checkpoint_saved < request->options->checkpoint_seconds)
        return TEMPER_OK;
    const struct train_checkpoint_header header = make_header(train, now);
    const struct checkpoint_part parts[] = {
        {&header, sizeof header},
        {progress->w, bytes},
        {progress->solution, bytes * progress->solutions},
        {train->validation ? train->validation->best : progress->w, train->validation ? bytes : 0},
        {now->memory, now->memory_count * sizeof(double)}};
    temper_status status =
        checkpoint_file_save(request->options->checkpoint, magic, parts, sizeof parts / sizeof *parts, request->error);
    train->checkpoint_saved = train_clock();
    return status;
}

/* ---- Resuming -------------------------------------------------------------------------------- */

/* Names the file, and what to do. */
static temper_status refuse(const struct train_request *request, const char *why)
{
    return error_set(request->error, TEMPER_BAD_DATA,
                     "%.200s: %s; train without --resume, or with another --checkpoint", request->options->checkpoint,
                     why);
}

static const char *take(const char *from, double *to, size_t count)
{
    memcpy(to, from, count * sizeof *to);
    return from + count * sizeof *to;
}

/* Restores progress and validation from a checkpoint. Its sizes were checked against the length of the file, so that
 * the numbers are all there. */
static temper_status restore(struct train_state *train, const struct train_checkpoint_header *header,
                             const char *numbers)
{
    struct train_progress *progress = &train->progress;
    size_t size = train->plan.size;
    progress->solver_memory = mem_alloc((size_t)header->memory_count, sizeof *progress->solver_memory);
    if (!progress->solver_memory)
        return error_no_memory(train->request->error);
    progress->counts = header->counts;
    progress->phase = (size_t)header->phase;
    progress->solutions = (size_t)header->solutions;
    for (size_t k = 0; k < progress->solutions; k++)
        progress->end[k] = (struct start_end){k, header->value[k], (enum optim_stop)header->stop[k]};
    progress->solution_loss = train->plan.loss; /* a loss with solutions before the last phase is not rounded */
    progress->solution_scale = header->solution_scale;
    progress->solver_memory_count = (size_t)header->memory_count;
    numbers = take(numbers, progress->w, size);
    numbers = take(numbers, progress->solution, size * progress->solutions);
    if (train->validation) {
        train->validation->since_best = (size_t)header->since_best;
        train->validation->best_loss = header->validation_loss;
        train->validation->stopped = header->stopped_by_validation != 0;
        numbers = take(numbers, train->validation->best, size);
    }
    take(numbers, progress->solver_memory, progress->solver_memory_count);
    progress->resumed = true;
    return TEMPER_OK;
}

/* Whether the reasons why starts ended are such; stops at MAX_STARTS, because the count is not checked yet. */
static bool stops_are_valid(const struct train_checkpoint_header *header)
{
    for (size_t k = 0; k < MAX_STARTS; k++)
        if (header->stop[k] > OPTIM_NOT_FINITE)
            return false;
    return true;
}

/* Checks the checksum, the identity and the sizes, in this order. Until the checksum and the identity are right, no
 * number of the file is used; the sizes are compared with the length of the file before anything is copied. */
static temper_status parse(struct train_state *train, const struct text *file)
{
    const struct train_request *request = train->request;
    struct train_checkpoint_header header;
    struct checkpoint_identity ours;
    struct checkpoint_part content;
    const char *why = checkpoint_file_check(file->bytes, file->length, magic, &content);
    if (why)
        return refuse(request, why);
    if (content.length < sizeof header)
        return refuse(request, "the checkpoint is damaged");
    memcpy(&header, content.bytes, sizeof header);
    identify(train, &ours);
    if (XXH3_64bits(&ours, sizeof ours) != XXH3_64bits(&header.identity, sizeof ours))
        return refuse(request, "the checkpoint is of other data or other options");
    if (header.phase >= train->plan.phases || header.solutions > MAX_STARTS || header.memory_count > content.length ||
        !stops_are_valid(&header) ||
        content.length != sizeof header + count_numbers(train, (size_t)header.solutions, (size_t)header.memory_count) *
                                              sizeof(double))
        return refuse(request, "the checkpoint contradicts itself");
    return restore(train, &header, (const char *)content.bytes + sizeof header);
}

/* A file that is not there is no error with --resume: nothing was saved yet. */
temper_status checkpoint_begin(struct train_state *train)
{
    const struct train_request *request = train->request;
    struct train_validation *validation = train->validation;
    TRY(train_plan_fingerprint(request, &train->plan));
    if (validation)
        TRY(dataset_fingerprint(validation->data, train->plan.threads, validation->fingerprint, request->error));
    const temper_comm *comm = request->data->ranks.comm;
    if (!request->options->resume)
        return comm_check_replaceable(comm, request->options->checkpoint, request->error);
    const struct whole_file expected = {.begins = magic, .begins_length = sizeof magic};
    struct text text = {0};
    temper_status status = comm_read_file(comm, request->options->checkpoint, &expected, &text, request->error);
    if (status == TEMPER_OK)
        status = parse(train, &text);
    text_free(&text);
    return status == TEMPER_NO_INPUT ? TEMPER_OK : status; /* nothing was saved yet: begin */
}
