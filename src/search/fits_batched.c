/* fits_batched: many two-class trainings in step, so that one pass over the rows answers all of
 * them.
 *
 * A round collects what every L-BFGS run that is on its way wants to know, finds it out in one go,
 * and tells them. Runs that are over make room for the next fits. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "search/many_fits.h"
#include "search/worker_group.h"
#include "train/train.h"

enum { WORTH_THREADS = 1 << 16 }; /* numbers that a round has to move */

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool same_rows_and_loss(const struct fit_spec *a, const struct fit_spec *b)
{
    return a->loss.method == b->loss.method && a->loss.t1 == b->loss.t1 && a->loss.t2 == b->loss.t2 &&
           a->loss.smoothing == b->loss.smoothing && a->part == b->part &&
           (a->part == FIT_SEES_ALL || a->partition == b->partition);
}

/* The gradient at zero has nothing of the penalty: that of the fit before may do. */
static bool zero_is_known(const struct crew *crew, size_t number)
{
    const struct fit_spec *fit = &crew->job->fit[number];
    return fit->after != FIT_BEGINS_AT_ZERO && same_rows_and_loss(fit, &crew->job->fit[fit->after]);
}

static temper_status start_run(struct crew *crew, struct runner *runner)
{
    const struct fits_job *job = crew->job;
    const struct fit_spec *fit = &job->fit[runner->fit];
    struct record *before = fit->after == FIT_BEGINS_AT_ZERO ? NULL : &crew->record[fit->after];
    struct optim_options options = {.gradient_norm = job->options->tolerance * crew->record[runner->fit].zero_norm,
                                    .max_iterations = job->options->max_iterations,
                                    .history = HISTORY};
    runner->whitener = GRAM_PRECONDITIONERS_NONE;
    temper_status status = TEMPER_OK;
    if (preconditioner_suits(fit->loss, job->features->data))
        status = gram_preconditioners_find(crew->whiteners, fit->l2, &runner->whitener, crew->error);
    if (status == TEMPER_OK)
        status = lbfgs_new(crew->size, runner->whitener != GRAM_PRECONDITIONERS_NONE, &options,
                           before ? before->end : crew->zero, &runner->run, crew->error);
    if (status != TEMPER_OK)
        return status;
    runner->stage = STAGE_RUNNING;
    if (before && --before->waiting == 0) {
        mem_free(before->end);
        before->end = NULL;
    }
    return TEMPER_OK;
}

/* The run begins where the gradient is known already, or at the end of another. */
static temper_status leave_zero(struct crew *crew, struct runner *runner, double value)
{
    double sum = 0;
    for (size_t i = 0; i < crew->size; i++)
        sum += runner->gradient[i] * runner->gradient[i];
    crew->record[runner->fit].zero_norm = sqrt(sum);
    temper_status status = start_run(crew, runner);
    if (status != TEMPER_OK || crew->job->fit[runner->fit].after != FIT_BEGINS_AT_ZERO)
        return status;
    memcpy(lbfgs_asks(runner->run).answer, runner->gradient, crew->size * sizeof(double));
    return lbfgs_answer(runner->run, value, crew->error);
}

static bool ready(const struct crew *crew, size_t number)
{
    size_t after = crew->job->fit[number].after;
    return !crew->begun[number] && (after == FIT_BEGINS_AT_ZERO || crew->record[after].over);
}

static temper_status begin_fit(struct crew *crew, struct runner *runner, size_t number)
{
    runner->fit = number;
    runner->stage = STAGE_ZERO;
    crew->begun[number] = true;
    crew->busy++;
    if (!zero_is_known(crew, number))
        return TEMPER_OK;
    crew->record[number].zero_norm = crew->record[crew->job->fit[number].after].zero_norm;
    return start_run(crew, runner);
}

static temper_status fill_slots(struct crew *crew)
{
    size_t number = crew->next;
    for (size_t i = 0; i < crew->slots; i++) {
        if (crew->runner[i].stage != STAGE_FREE)
            continue;
        while (number < crew->job->count && !ready(crew, number))
            number++;
        if (number == crew->job->count)
            break;
        temper_status status = begin_fit(crew, &crew->runner[i], number);
        if (status != TEMPER_OK)
            return status;
    }
    while (crew->next < crew->job->count && crew->begun[crew->next])
        crew->next++;
    return TEMPER_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static void ask(struct crew *crew, struct runner *runner, struct multi_request request)
{
    request.member = runner->fit;
    runner->request = &crew->request[crew->requests++];
    *runner->request = request;
}

static void ask_for_run(struct crew *crew, struct runner *runner)
{
    struct lbfgs_question asked = lbfgs_asks(runner->run);
    if (asked.what == LBFGS_VALUE)
        ask(crew, runner, (struct multi_request){.kind = MULTI_EVALUATE, .w = asked.point, .gradient = asked.answer});
    else
        ask(crew, runner, (struct multi_request){.kind = MULTI_LENGTH, .w = asked.point});
}

static void collect(struct crew *crew)
{
    size_t scores = 0;
    crew->requests = 0;
    for (size_t i = 0; i < crew->slots; i++) {
        struct runner *runner = &crew->runner[i];
        runner->request = NULL;
        if (runner->stage == STAGE_ZERO)
            ask(crew, runner,
                (struct multi_request){.kind = MULTI_EVALUATE, .w = crew->zero, .gradient = runner->gradient});
        if (runner->stage == STAGE_RUNNING)
            ask_for_run(crew, runner);
        if (runner->stage == STAGE_SCORES && scores < crew->score_slots)
            ask(crew, runner,
                (struct multi_request){
                    .kind = MULTI_SCORES, .w = lbfgs_best(runner->run), .scores = crew->score + crew->rows * scores});
        scores += runner->stage == STAGE_SCORES;
    }
}

/* Shows a fit that is over, keeps its end if others wait for it, and frees its place. */
static temper_status finish(struct crew *crew, struct runner *runner)
{
    const struct fits_job *job = crew->job;
    struct record *record = &crew->record[runner->fit];
    struct optim_result result = lbfgs_result(runner->run);
    struct fit_end end = {.fit = runner->fit,
                          .stop = result.stop,
                          .iterations = result.iterations,
                          .evaluations = result.evaluations,
                          .w = lbfgs_best(runner->run),
                          .activation = runner->request->scores};
    temper_status status = job->ended(job->context, &end, crew->error);
    if (status == TEMPER_OK && record->waiting > 0) {
        record->end = mem_alloc(crew->size, sizeof *record->end);
        if (record->end)
            memcpy(record->end, end.w, crew->size * sizeof *end.w);
        else
            status = error_no_memory(crew->error);
    }
    record->over = true;
    lbfgs_close(runner->run);
    runner->run = NULL;
    runner->stage = STAGE_FREE;
    crew->busy--;
    return status;
}

static temper_status advance(void *context, size_t number, size_t worker)
{
    struct runner *runner = &((struct crew *)context)->runner[number];
    (void)worker;
    /* Without a memory from elsewhere it cannot fail. */
    return runner->told ? lbfgs_answer(runner->run, runner->number, NULL) : TEMPER_OK;
}

static size_t worth_threads(const struct crew *crew)
{
    return crew->busy * crew->size >= WORTH_THREADS ? crew->job->threads : 1;
}

/* All runs that were told something go on; their vectors are the work of a round beside the pass.
 */
static temper_status advance_all(struct crew *crew)
{
    temper_status status = parallel_blocks(crew->slots, worth_threads(crew), advance, crew);
    return status == TEMPER_OK ? status : error_no_memory(crew->error);
}

static temper_status not_finite(const struct crew *crew)
{
    return error_set(crew->error, TEMPER_BAD_DATA,
                     "the loss is not a finite number: features are too large; pass --scale "
                     "standard");
}

/* The vectors of those that ask for their metric; how many. */
static size_t collect_vectors(struct crew *crew, struct preconditioned *vector)
{
    size_t count = 0;
    for (size_t i = 0; i < crew->slots; i++) {
        struct runner *runner = &crew->runner[i];
        runner->told = runner->stage == STAGE_RUNNING && lbfgs_asks(runner->run).what == LBFGS_METRIC;
        if (!runner->told)
            continue;
        double bend = initial_curvature(crew->job->fit[runner->fit].loss, 2);
        vector[count++] = (struct preconditioned){runner->whitener, lbfgs_asks(runner->run).answer, bend};
    }
    return count;
}

/* A run may ask for its metric twice between two passes. */
static temper_status turn_vectors(struct crew *crew)
{
    struct preconditioned vector[MOST_AT_ONCE];
    size_t count;
    while ((count = collect_vectors(crew, vector)) > 0) {
        temper_status status = gram_preconditioners_apply(crew->whiteners, vector, count);
        if (status != TEMPER_OK)
            return error_no_memory(crew->error);
        status = advance_all(crew);
        if (status != TEMPER_OK)
            return status;
    }
    return TEMPER_OK;
}

/* Hands out the answers of a pass. */
static temper_status tell(struct crew *crew)
{
    for (size_t i = 0; i < crew->slots; i++) {
        struct runner *runner = &crew->runner[i];
        runner->told = runner->stage == STAGE_RUNNING;
        runner->number = runner->told ? runner->request->number : 0;
    }
    temper_status status = advance_all(crew);
    for (size_t i = 0; status == TEMPER_OK && i < crew->slots; i++) {
        struct runner *runner = &crew->runner[i];
        if (runner->stage == STAGE_ZERO)
            status = leave_zero(crew, runner, runner->request->number);
        else if (runner->stage == STAGE_SCORES && runner->request)
            status = finish(crew, runner);
    }
    return status == TEMPER_OK ? turn_vectors(crew) : status;
}

static temper_status note_ends(struct crew *crew)
{
    for (size_t i = 0; i < crew->slots; i++) {
        struct runner *runner = &crew->runner[i];
        if (runner->stage != STAGE_RUNNING || lbfgs_asks(runner->run).what != LBFGS_DONE)
            continue;
        if (lbfgs_result(runner->run).stop == OPTIM_NOT_FINITE)
            return not_finite(crew);
        runner->stage = STAGE_SCORES;
    }
    return TEMPER_OK;
}

static temper_status run_rounds(struct crew *crew, bool *finished)
{
    const struct fits_job *job = crew->job;
    temper_status status = TEMPER_OK;
    *finished = true;
    while (status == TEMPER_OK && *finished) {
        status = fill_slots(crew);
        if (status == TEMPER_OK)
            status = turn_vectors(crew);
        if (status == TEMPER_OK)
            status = note_ends(crew);
        if (status != TEMPER_OK || crew->busy == 0)
            break;
        collect(crew);
        status = multi_evaluate(crew->group, crew->request, crew->requests, crew->error);
        if (status == TEMPER_OK)
            status = tell(crew);
        *finished = !job->goes_on || job->goes_on(job->context);
    }
    *finished = *finished && status == TEMPER_OK;
    return status;
}

bool fits_solver_batches(const struct fits_job *job)
{
    const char *solver = job->options->solver;
    return !solver || strcmp(solver, "auto") == 0 || strcmp(solver, "lbfgs") == 0;
}

bool fits_can_batch(const struct fits_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->fit[i].loss.method == TEMPER_HINGE) /* goes through phases */
            return false;
    return multi_supports(job->features->data) && fits_solver_batches(job);
}

temper_status fits_batched(const struct fits_job *job, bool *finished, temper_error *error)
{
    struct crew *crew;
    *finished = false;
    temper_status status = worker_group_new(job, &crew, error);
    if (status != TEMPER_OK)
        return status;
    status = run_rounds(crew, finished);
    worker_group_free(crew);
    return status;
}
