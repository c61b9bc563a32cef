/* fits_batched: many two-class fits in step, so that one pass over the rows evaluates all of them.
 *
 * The solvers use reverse communication (optim/lbfgs.h): a round collects the request of every L-BFGS solver in
 * progress, evaluates all of them in one pass, and hands the results back. A solver that has converged makes its slot
 * free for the next fit. */
#include "search/fits_batched.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "objective/batch/multi_objective.h"
#include "optim/lbfgs.h"
#include "tempered/loss_family.h"
#include "train/preconditioner/preconditioner_batch.h"
#include "train/train.h"

enum {
    MOST_AT_ONCE = GRAM_PRECONDITIONERS_MOST_VECTORS, /* the requests of two passes, so that slots are rarely empty */
    HISTORY = 100,          /* pairs of vectors of L-BFGS; with 40, there are half as many passes again */
    WARM_HISTORY = 14,      /* from the solutions of similar fits, few iterations are needed */
    KEPT_HISTORY = 40,      /* of a solver that continues with another penalty, at most, */
    KEPT_LEAST = 8,         /* and at least */
    WORTH_THREADS = 1 << 16 /* numbers of all solvers together from which threads advance them */
};
/* Memory of all solvers together, but at least MULTI_WIDTH of them, and of scores. */
/* Multiplications that take as long as measuring the prediction of a row. */
static const double SCORE_WORK = 50;
static const size_t SOLVER_BYTES = (size_t)256 << 20, SCORE_BYTES = (size_t)64 << 20;
enum { SOLVER_SHARE = 8, SCORE_SHARE = 16 }; /* with a memory limit: at most these fractions of it */

/* A slot passes through these stages in order; SLOT_ZERO is skipped where the norm of the gradient at zero is known. */
enum slot_stage {
    SLOT_FREE,
    SLOT_ZERO,    /* the gradient at w = 0 is requested: the stopping rule is relative to its norm */
    SLOT_SOLVING, /* the solver requests */
    SLOT_SCORES,  /* converged: the scores of all rows are requested */
};

/* A fit in progress. The solver exists from SLOT_SOLVING on. */
struct fit_slot {
    enum slot_stage stage;
    size_t fit;
    struct lbfgs *solver;
    double *gradient;              /* at zero; [size], part of fit_batch.gradients */
    size_t preconditioner;         /* its number, or GRAM_PRECONDITIONERS_NONE */
    struct multi_request *request; /* of this round, or NULL */
    bool has_reply;                /* the solver is to be advanced by this number and the vector that it requested */
    double reply;
};

/* What is kept of every fit of the job, also after its slot is free again. */
struct fit_record {
    double zero_value, zero_norm; /* of the objective and of its gradient at w = 0 */
    double *end;                  /* its weights, as long as some fit is to start from them */
    size_t waiting;               /* fits that are to start from `end` and have not begun */
    bool begun, ended;
};

/* All fits of a job, and the slots of those in progress. */
struct fit_batch {
    const struct fits_job *job;
    temper_error *error;
    size_t size, rows; /* of a weight vector, and of this process */
    struct multi_objective *objective;
    struct gram_preconditioners *preconditioners; /* NULL: no fit uses one */
    struct fit_record *record;                    /* of each fit */
    double *zero;                                 /* weights */
    double *gradients;                            /* of all slots */
    struct fit_slot slot[MOST_AT_ONCE];
    size_t slots, busy;
    size_t next; /* the first fit that has not begun */
    struct multi_request request[MOST_AT_ONCE];
    size_t requests;
    double *score; /* [score_slots * rows] */
    size_t score_slots;
};

/* ---- Allocation ------------------------------------------------------------------------------ */

/* x limited to [least, most]; if least > most, `least` wins, so that there is always at least one slot. */
static size_t clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* How many solvers and score vectors fit into memory; `size` is the length of a weight vector. A solver takes 2 *
 * HISTORY vectors for its pairs and a few more. Computed from the rows of all processes, so that these run the same
 * rounds. The number of slots changes the time only: each fit has the same requests in any case. */
struct fit_slots fit_slots_for(const struct dataset *data, size_t size, size_t fits)
{
    size_t each = (2 * HISTORY + 8) * size * sizeof(double), solvers = SOLVER_BYTES, scores = SCORE_BYTES;
    size_t least = MULTI_WIDTH, rows = (size_t)dataset_all_rows(data);
    if (data->storage.memory_limit) {
        solvers = clamp(solvers, 0, (size_t)(data->storage.memory_limit / SOLVER_SHARE));
        scores = clamp(scores, 0, (size_t)(data->storage.memory_limit / SCORE_SHARE));
        least = 1;
    }
    struct fit_slots slots = {.solver_bytes = (double)each};
    slots.solvers = clamp(fits, 1, clamp(solvers / each, least, MOST_AT_ONCE));
    slots.scores = clamp(scores / sizeof(double) / (rows ? rows : 1), 1, slots.solvers);
    return slots;
}

/* Allocates all arrays of the batch, and counts for every fit how many others start from its result. False: out of
 * memory; batch_free releases what there is. Memory limits how many fits are in progress (slots) and, separately, how
 * many of them can deliver scores of all rows in one pass: scores are needed once for each fit, at its end. */
static bool allocate(struct fit_batch *batch)
{
    const struct fits_job *job = batch->job;
    struct fit_slots slots = fit_slots_for(job->features->data, batch->size, job->count);
    batch->slots = slots.solvers;
    batch->score_slots = slots.scores;
    batch->record = mem_zeroed(job->count, sizeof *batch->record);
    batch->zero = mem_zeroed(batch->size, sizeof *batch->zero);
    batch->gradients = mem_alloc(batch->slots, batch->size * sizeof *batch->gradients);
    batch->score = mem_alloc(batch->score_slots, batch->rows * sizeof *batch->score);
    if (!batch->record || !batch->zero || !batch->gradients || !batch->score)
        return false;
    for (size_t i = 0; i < batch->slots; i++)
        batch->slot[i].gradient = batch->gradients + i * batch->size;
    for (size_t i = 0; i < job->count; i++) {
        const struct fit_spec *fit = &job->fit[i];
        if (fit->after != FIT_BEGINS_AT_ZERO)
            batch->record[fit->after].waiting++;
        if (fit_second_start(job, fit) != FIT_BEGINS_AT_ZERO)
            batch->record[fit_second_start(job, fit)].waiting++;
    }
    return true;
}

/* The number of partitions that the fits refer to: the objective needs an array of that length. */
static uint32_t count_partitions(const struct fits_job *job)
{
    uint32_t count = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->fit[i].part != FIT_SEES_ALL && job->fit[i].partition >= count)
            count = job->fit[i].partition + 1;
    return count;
}

/* Member i of the objective is fit i: loss, penalty and the rows that it leaves out. */
static void fill_members(const struct fits_job *job, struct multi_member *member)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct fit_spec *fit = &job->fit[i];
        int partition = fit->part == FIT_SEES_ALL ? MULTI_NO_PARTITION : (int)fit->partition;
        member[i] = (struct multi_member){fit->loss, fit->l2, partition, fit->part};
    }
}

/* The parts of a partition cover the rows of all processes, hence the offset of this process's first row. */
temper_status fits_objective_new(const struct fits_job *job, struct multi_objective **out, temper_error *error)
{
    struct multi_spec spec = {.data = job->features->data,
                              .scale = scaled_features_scale(job->features),
                              .intercept = !job->options->no_intercept,
                              .threads = job->threads};
    TRY(choose_precision(job->options, job->features->data, &spec.f64, error));
    struct multi_member *member = mem_alloc(job->count, sizeof *member);
    uint32_t partitions = count_partitions(job);
    const uint32_t **part = (const uint32_t **)mem_alloc(partitions + 1, sizeof *part);
    temper_status status = TEMPER_NO_MEMORY;
    if (member && part) {
        fill_members(job, member);
        for (uint32_t p = 0; p < partitions; p++)
            part[p] = job->partition[p].part + job->features->data->ranks.first_row;
        spec.partition = part;
        status = multi_objective_new(&spec, member, job->count, out, error);
    } else {
        error_no_memory(error);
    }
    mem_free(member);
    mem_free((void *)part);
    return status;
}

/* That of the job, or a new one. */
static temper_status take_objective(struct fit_batch *batch)
{
    batch->objective = batch->job->objective;
    return batch->objective ? TEMPER_OK : fits_objective_new(batch->job, &batch->objective, batch->error);
}

/* Whether a fit has a preconditioner: as in a training on dense rows; the Hessian at given weights also on sparse rows
 * of few features. */
static bool is_preconditioned(const struct fits_job *job, const struct fit_spec *fit)
{
    const struct dataset *data = job->features->data;
    if (fit->kept)
        return false;
    bool few = data->x.kind == MATRIX_CSR && data->x.columns <= FITS_SPARSE_HESSIAN_MOST;
    return preconditioner_suits(fit->loss, data) || (job->curvature_at && few);
}

/* Computes the Gram matrix, at most once for all fits, and only if it speeds up at least one of the losses. */
static temper_status make_preconditioners(struct fit_batch *batch)
{
    const struct fits_job *job = batch->job;
    struct gram_preconditioners_spec spec = {.features = job->features,
                                             .intercept = !job->options->no_intercept,
                                             .few_fits = job->few,
                                             .max_penalties = job->count,
                                             .loss = job->fit[0].loss,
                                             .curvature_at = job->curvature_at,
                                             .threads = job->threads,
                                             .pool = multi_threads(batch->objective)};
    for (size_t i = 0; i < job->count; i++)
        if (is_preconditioned(job, &job->fit[i]))
            return gram_preconditioners_new(&spec, &batch->preconditioners, batch->error);
    return TEMPER_OK;
}

/* Also for a batch that was allocated in part, or stopped with fits in progress. */
static void batch_free(struct fit_batch *batch)
{
    for (size_t i = 0; i < batch->slots; i++)
        lbfgs_close(batch->slot[i].solver);
    for (size_t i = 0; batch->record && i < batch->job->count; i++)
        mem_free(batch->record[i].end);
    gram_preconditioners_free(batch->preconditioners);
    if (!batch->job->objective)
        multi_objective_free(batch->objective);
    mem_free(batch->record);
    mem_free(batch->zero);
    mem_free(batch->gradients);
    mem_free(batch->score);
    mem_free(batch);
}

/* ---- Starting fits --------------------------------------------------------------------------- */

/* A hinge has its own rule (hinge_min_decrease). */
static struct optim_distance fit_distance(const struct fit_batch *batch, size_t number)
{
    const struct fits_job *job = batch->job;
    const struct fit_spec *fit = &job->fit[number];
    if (!job->converges || job->gradient_entry > 0 || fit->loss.method == TEMPER_HINGE)
        return (struct optim_distance){0};
    return train_distance(job->options->tolerance, fit->l2, batch->record[number].zero_value);
}

/* Releases the weights of a fit when the last fit that starts from them has begun. */
static void release_end(struct fit_batch *batch, size_t number)
{
    struct fit_record *record = number == FIT_BEGINS_AT_ZERO ? NULL : &batch->record[number];
    if (!record || --record->waiting > 0)
        return;
    mem_free(record->end);
    record->end = NULL;
}

/* The weights at which a fit starts; in slot->gradient where they are extrapolated, which has no other use then. */
static const double *start_of(struct fit_batch *batch, struct fit_slot *slot)
{
    const struct fits_job *job = batch->job;
    const struct fit_spec *fit = &job->fit[slot->fit];
    size_t second = fit_second_start(job, fit);
    const double *last = fit->after == FIT_BEGINS_AT_ZERO ? fit->initial : batch->record[fit->after].end;
    const double *before = second == FIT_BEGINS_AT_ZERO ? fit_given_second(job, fit) : batch->record[second].end;
    if (!last)
        return batch->zero;
    return fit_extrapolate(fit, (struct fit_ends){last, before, batch->size}, slot->gradient);
}

/* Pairs of vectors of a fit. Those that are kept for later fits are as many as take about as long as a pass over the
 * rows: a pair four multiplications for each feature, a pass two for each entry, which are gathered if they are sparse.
 * So there are few where rows are sparse and features many. All kept solvers together are limited in memory. */
static size_t history_of(const struct fit_batch *batch, const struct fit_spec *fit)
{
    const struct fits_job *job = batch->job;
    const struct matrix *x = &job->features->data->x;
    if (!fit->kept)
        return fit->after != FIT_BEGINS_AT_ZERO || fit->initial ? WARM_HISTORY : HISTORY;
    size_t affordable = SOLVER_BYTES / (2 * batch->size * sizeof(double)) / job->count;
    size_t wanted = (size_t)(x->nonzeros / (x->columns ? x->columns : 1));
    return clamp(wanted < affordable ? wanted : affordable, KEPT_LEAST, KEPT_HISTORY);
}

/* The stopping rule of a slot's fit. That by the norm is relative to the gradient at zero, not at the start: a warm
 * start must reach the same accuracy. */
static struct optim_options solver_options(const struct fit_batch *batch, const struct fit_slot *slot)
{
    const struct fits_job *job = batch->job;
    const struct fit_spec *fit = &job->fit[slot->fit];
    struct optim_options options = {.gradient_norm = job->options->tolerance * batch->record[slot->fit].zero_norm,
                                    .gradient_entry = job->gradient_entry,
                                    .distance = fit_distance(batch, slot->fit),
                                    .max_iterations = job->options->max_iterations,
                                    .history = history_of(batch, fit),
                                    .convex = fit->kept != NULL,
                                    .no_memory = true};
    return options;
}

/* Creates the L-BFGS solver of a slot, at zero, at given weights or by the results of earlier fits, or continues with
 * the one that was kept. */
static temper_status start_solver(struct fit_batch *batch, struct fit_slot *slot)
{
    const struct fits_job *job = batch->job;
    const struct fit_spec *fit = &job->fit[slot->fit];
    struct optim_options options = solver_options(batch, slot);
    slot->preconditioner = GRAM_PRECONDITIONERS_NONE;
    if (is_preconditioned(job, fit))
        TRY(gram_preconditioners_find(batch->preconditioners, fit->l2, &slot->preconditioner, batch->error));
    if (fit->kept && fit->kept->solver) {
        slot->solver = fit->kept->solver;
        fit->kept->solver = NULL;
        lbfgs_restart(slot->solver, &options, start_of(batch, slot), fit->l2 - fit->kept->l2,
                      (size_t)job->features->data->x.columns);
    } else {
        TRY(lbfgs_new(batch->size, slot->preconditioner != GRAM_PRECONDITIONERS_NONE, &options, start_of(batch, slot),
                      &slot->solver, batch->error));
    }
    slot->stage = SLOT_SOLVING;
    release_end(batch, fit->after);
    release_end(batch, fit_second_start(job, fit));
    return TEMPER_OK;
}

/* Takes value and gradient at zero, and starts the solver. A solver that starts at zero would request the same
 * evaluation again: it is answered at once, which saves a request of every such fit. */
static temper_status leave_zero(struct fit_batch *batch, struct fit_slot *slot, double value)
{
    double sum = 0;
    for (size_t i = 0; i < batch->size; i++)
        sum += slot->gradient[i] * slot->gradient[i];
    batch->record[slot->fit].zero_norm = sqrt(sum);
    batch->record[slot->fit].zero_value = value;
    TRY(start_solver(batch, slot));
    if (batch->job->fit[slot->fit].after != FIT_BEGINS_AT_ZERO || batch->job->fit[slot->fit].initial)
        return TEMPER_OK;
    memcpy(lbfgs_next_request(slot->solver).answer, slot->gradient, batch->size * sizeof(double));
    return lbfgs_reply(slot->solver, value, batch->error);
}

/* The gradient of the penalty is 0 at zero, so the norm there depends on rows and loss only. Fits along a path of
 * penalties take it from the fit before them. */
static bool zero_is_known(const struct fits_job *job, const struct fit_spec *fit)
{
    if (fit->after == FIT_BEGINS_AT_ZERO)
        return false;
    const struct fit_spec *before = &job->fit[fit->after];
    return loss_same_spec(fit->loss, before->loss) && fit->part == before->part &&
           (fit->part == FIT_SEES_ALL || fit->partition == before->partition);
}

/* Assigns fit `number` to a free slot. */
static temper_status begin_fit(struct fit_batch *batch, struct fit_slot *slot, size_t number)
{
    const struct fit_spec *fit = &batch->job->fit[number];
    slot->fit = number;
    slot->stage = SLOT_ZERO;
    batch->record[number].begun = true;
    batch->busy++;
    if (batch->job->gradient_entry > 0)
        return start_solver(batch, slot);
    if (!zero_is_known(batch->job, fit))
        return TEMPER_OK;
    batch->record[number].zero_norm = batch->record[fit->after].zero_norm;
    batch->record[number].zero_value = batch->record[fit->after].zero_value;
    return start_solver(batch, slot);
}

/* A fit that starts from another result has to wait until that fit has ended. */
static bool is_ready(const struct fit_batch *batch, size_t number)
{
    size_t after = batch->job->fit[number].after;
    return !batch->record[number].begun && (after == FIT_BEGINS_AT_ZERO || batch->record[after].ended);
}

/* Assigns the first fits of the list that are ready to the free slots. `next` skips fits that have begun, so that a
 * long list is not searched from its beginning in every round. A fit is ready when the one it starts from has ended. */
static temper_status fill_slots(struct fit_batch *batch)
{
    size_t number = batch->next, count = batch->job->count;
    for (size_t i = 0; i < batch->slots; i++) {
        if (batch->slot[i].stage != SLOT_FREE)
            continue;
        while (number < count && !is_ready(batch, number))
            number++;
        if (number == count)
            break;
        TRY(begin_fit(batch, &batch->slot[i], number));
    }
    while (batch->next < count && batch->record[batch->next].begun)
        batch->next++;
    return TEMPER_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Adds the request of a slot to the round; a slot has at most one, to which slot->request points until the next
 * round. */
static void add_request(struct fit_batch *batch, struct fit_slot *slot, struct multi_request request)
{
    request.member = batch->job->objective ? batch->job->fit[slot->fit].member : slot->fit;
    slot->request = &batch->request[batch->requests++];
    *slot->request = request;
}

/* Passes on the request of a solver: value and gradient at a point, or the length of a step, which is the root mean
 * square of the scores that it adds. The solver limits its steps by that length. */
static void add_solver_request(struct fit_batch *batch, struct fit_slot *slot)
{
    struct lbfgs_request asked = lbfgs_next_request(slot->solver);
    if (asked.what == LBFGS_VALUE)
        add_request(batch, slot,
                    (struct multi_request){.kind = MULTI_EVALUATE, .w = asked.point, .gradient = asked.answer});
    else
        add_request(batch, slot, (struct multi_request){.kind = MULTI_LENGTH, .w = asked.point});
}

/* Lists the requests of all slots. A fit that has converged needs a vector of scores; while all of these are in use, it
 * waits for a later round without a request. So each pass over the data serves every fit in progress, whatever its
 * stage: the first gradient at 0, a trial of a line search, the length of a direction, or the final scores. */
static void collect_requests(struct fit_batch *batch)
{
    size_t scores = 0;
    batch->requests = 0;
    for (size_t i = 0; i < batch->slots; i++) {
        struct fit_slot *slot = &batch->slot[i];
        slot->request = NULL;
        if (slot->stage == SLOT_ZERO)
            add_request(batch, slot,
                        (struct multi_request){.kind = MULTI_EVALUATE, .w = batch->zero, .gradient = slot->gradient});
        if (slot->stage == SLOT_SOLVING)
            add_solver_request(batch, slot);
        if (slot->stage == SLOT_SCORES && scores < batch->score_slots)
            add_request(batch, slot,
                        (struct multi_request){.kind = MULTI_SCORES,
                                               .w = lbfgs_best(slot->solver),
                                               .scores = batch->score + batch->rows * scores});
        scores += slot->stage == SLOT_SCORES;
    }
}

/* What is reported of the fit of a slot that has scores. */
static struct fit_end end_of(const struct fit_slot *slot)
{
    struct optim_result result = lbfgs_result(slot->solver);
    return (struct fit_end){.fit = slot->fit,
                            .stop = result.stop,
                            .iterations = result.iterations,
                            .evaluations = result.evaluations,
                            .w = lbfgs_best(slot->solver),
                            .activation = slot->request->scores};
}

/* Reports the scores of a slot's fit, if it has any; runs on a worker thread. */
static temper_status report_scores(void *context, size_t number, size_t worker)
{
    const struct fit_batch *batch = context;
    const struct fit_slot *slot = &batch->slot[number];
    (void)worker;
    if (slot->stage != SLOT_SCORES || !slot->request)
        return TEMPER_OK;
    struct fit_end end = end_of(slot);
    return batch->job->scored(batch->job->context, &end, NULL);
}

/* The same of all slots. */
static temper_status report_all_scores(struct fit_batch *batch)
{
    size_t fits = 0;
    for (size_t i = 0; i < batch->slots; i++)
        fits += batch->slot[i].stage == SLOT_SCORES && batch->slot[i].request;
    if (fits == 0 || !batch->job->scored)
        return TEMPER_OK;
    size_t threads = threads_worth(batch->job->threads, SCORE_WORK * (double)(fits * batch->rows));
    temper_status status = pool_blocks(multi_threads(batch->objective), batch->slots, threads, report_scores, batch);
    return status == TEMPER_OK ? status : error_no_memory(batch->error);
}

/* Reports a fit to the caller, keeps its weights if others start from them, and frees its slot. fit_end.w and the
 * scores are valid during the call only. The kept weights are freed when the last of those has begun. */
static temper_status finish_fit(struct fit_batch *batch, struct fit_slot *slot)
{
    const struct fits_job *job = batch->job;
    struct fit_record *record = &batch->record[slot->fit];
    struct fit_end end = end_of(slot);
    temper_status status = job->ended(job->context, &end, batch->error);
    if (status == TEMPER_OK && record->waiting > 0) {
        record->end = mem_alloc(batch->size, sizeof *record->end);
        if (record->end)
            memcpy(record->end, end.w, batch->size * sizeof *end.w);
        else
            status = error_no_memory(batch->error);
    }
    record->ended = true;
    if (job->fit[slot->fit].kept)
        *job->fit[slot->fit].kept = (struct kept_solver){slot->solver, job->fit[slot->fit].l2};
    else
        lbfgs_close(slot->solver);
    slot->solver = NULL;
    slot->stage = SLOT_FREE;
    batch->busy--;
    return status;
}

/* Advances the solver of one slot; runs on a worker thread. Without `options->memory`, which batches never use,
 * lbfgs_reply cannot fail, so no error object is passed, which threads could not share. */
static temper_status advance(void *context, size_t number, size_t worker)
{
    struct fit_slot *slot = &((struct fit_batch *)context)->slot[number];
    (void)worker;
    return slot->has_reply ? lbfgs_reply(slot->solver, slot->reply, NULL) : TEMPER_OK;
}

/* Advances all solvers that have a reply. Their two-loop recursions over up to HISTORY pairs are the work of a round
 * besides the pass; one thread does it where all vectors together have fewer than WORTH_THREADS numbers. */
static temper_status advance_all(struct fit_batch *batch)
{
    size_t threads = batch->busy * batch->size >= WORTH_THREADS ? batch->job->threads : 1;
    temper_status status = pool_blocks(multi_threads(batch->objective), batch->slots, threads, advance, batch);
    return status == TEMPER_OK ? status : error_no_memory(batch->error);
}

/* Lists the vectors of the solvers that request their preconditioner, and marks these slots for advance_all; returns
 * how many there are. The preconditioner works in place, on the vector in which the solver expects the answer. One Gram
 * matrix serves losses of different curvature: each vector brings that of its own loss along. */
static size_t collect_vectors(struct fit_batch *batch, struct preconditioned *vector)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->slots; i++) {
        struct fit_slot *slot = &batch->slot[i];
        slot->has_reply = slot->stage == SLOT_SOLVING && lbfgs_next_request(slot->solver).what == LBFGS_PRECONDITION;
        if (!slot->has_reply)
            continue;
        double curvature = initial_curvature(batch->job->fit[slot->fit].loss, 2);
        vector[count++] =
            (struct preconditioned){slot->preconditioner, lbfgs_next_request(slot->solver).answer, curvature};
    }
    return count;
}

/* Applies preconditioners until no solver requests one: a solver may do so twice between two evaluations. All
 * vectors of a round are processed in one call, which makes a matrix product of many matrix-vector products. */
static temper_status precondition(struct fit_batch *batch)
{
    struct preconditioned vector[MOST_AT_ONCE];
    size_t count;
    while ((count = collect_vectors(batch, vector)) > 0) {
        if (gram_preconditioners_apply(batch->preconditioners, vector, count) != TEMPER_OK)
            return error_no_memory(batch->error);
        TRY(advance_all(batch));
    }
    return TEMPER_OK;
}

/* Hands out the results of a pass: first to the solvers, in parallel, then the slots that change their stage. Solvers
 * that need their preconditioner next get it in the same round, since that takes no pass over the data. */
static temper_status reply_all(struct fit_batch *batch)
{
    for (size_t i = 0; i < batch->slots; i++) {
        struct fit_slot *slot = &batch->slot[i];
        slot->has_reply = slot->stage == SLOT_SOLVING;
        slot->reply = slot->has_reply ? slot->request->number : 0;
    }
    TRY(advance_all(batch));
    TRY(report_all_scores(batch));
    for (size_t i = 0; i < batch->slots; i++) {
        struct fit_slot *slot = &batch->slot[i];
        if (slot->stage == SLOT_ZERO)
            TRY(leave_zero(batch, slot, slot->request->number));
        else if (slot->stage == SLOT_SCORES && slot->request)
            TRY(finish_fit(batch, slot));
    }
    return precondition(batch);
}

/* Solvers that have ended, by convergence or by a limit, request the scores of all rows next. A loss that is not
 * finite fails the whole job: the remaining fits have the same features and would fail too. */
static temper_status find_converged(struct fit_batch *batch)
{
    for (size_t i = 0; i < batch->slots; i++) {
        struct fit_slot *slot = &batch->slot[i];
        if (slot->stage != SLOT_SOLVING || lbfgs_next_request(slot->solver).what != LBFGS_DONE)
            continue;
        if (lbfgs_result(slot->solver).stop == OPTIM_NOT_FINITE)
            return error_set(batch->error, TEMPER_BAD_DATA,
                             "the loss is not a finite number: features are too large; pass --scale standard");
        slot->stage = SLOT_SCORES;
    }
    return TEMPER_OK;
}

/* Runs rounds until all fits have ended, or the caller wants to stop: then *finished remains false, and the fits
 * reported so far are valid. One round is one pass over the data. Fits converge after different numbers of rounds; each
 * leaves its slot to the next one of the list, so that passes stay full until the end. */
static temper_status run_rounds(struct fit_batch *batch, bool *finished)
{
    const struct fits_job *job = batch->job;
    for (bool keep_going = true; keep_going; keep_going = !job->goes_on || job->goes_on(job->context)) {
        TRY(fill_slots(batch));
        TRY(precondition(batch));
        TRY(find_converged(batch));
        if (batch->busy == 0) {
            *finished = true;
            return TEMPER_OK;
        }
        collect_requests(batch);
        TRY(multi_evaluate(batch->objective, batch->request, batch->requests, batch->error));
        TRY(reply_all(batch));
    }
    return TEMPER_OK;
}

/* The batch is allocated on the heap, as its arrays of slots and requests are large for the stack of a thread. */
temper_status fits_batched(const struct fits_job *job, bool *finished, temper_error *error)
{
    struct fit_batch *batch = mem_zeroed(1, sizeof *batch);
    *finished = false;
    if (!batch)
        return error_no_memory(error);
    batch->job = job;
    batch->error = error;
    batch->size = fits_size(job->features, job->options);
    batch->rows = (size_t)job->features->data->x.rows;
    temper_status status = allocate(batch) ? take_objective(batch) : error_no_memory(error);
    if (status == TEMPER_OK)
        status = make_preconditioners(batch);
    if (status == TEMPER_OK)
        status = run_rounds(batch, finished);
    batch_free(batch);
    return status;
}
