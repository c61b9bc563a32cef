/* checkpoint: all that a training needs to go on, in a file that is whole or not there.
 *
 * A header of fixed size, numbers of the machine's own kind, a checksum. It is for the same build
 * on the same kind of machine; what does not fit is refused, never guessed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "base/atomic_file_save.h"
#include "base/memory.h"
#include "base/text.h"
#include "train/train_state.h"

static const char magic[16] = "temper-resume-1";

/* What must be the same for the same bits. */
struct identity {
    char fingerprint[40];
    char valid[40]; /* the fingerprint of the validation rows; "" without */
    double t1, t2, smoothing, l2, tolerance;
    uint64_t method, solver, f64, size, phases, max_iterations, patience, scale;
    uint64_t initial; /* a hash of the initial weights */
};

struct header {
    char magic[16];
    struct identity identity;
    struct counts before;
    uint64_t current, answers, stop, valid_since, memory_count;
    double valid_best, answer_norm;
    uint64_t stopped_early;
    uint64_t checksum; /* of all other bytes, this one being 0 */
};

static void identify(const struct training_run *t, struct identity *identity)
{
    memset(identity, 0, sizeof *identity); /* padding too: bytes are compared */
    memcpy(identity->fingerprint, t->fingerprint, sizeof t->fingerprint);
    memcpy(identity->valid, t->valid_fingerprint, sizeof t->valid_fingerprint);
    identity->t1 = t->loss.t1;
    identity->t2 = t->loss.t2;
    identity->smoothing = t->loss.smoothing;
    identity->l2 = t->l2;
    identity->tolerance = t->options->tolerance;
    identity->method = t->loss.method;
    identity->solver = t->solver;
    identity->f64 = t->f64;
    identity->size = t->size;
    identity->phases = t->phases;
    identity->max_iterations = t->options->max_iterations;
    identity->patience = t->options->patience;
    identity->scale = t->ground->scale.kind;
    identity->initial = XXH3_64bits(t->initial, t->size * sizeof *t->initial);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

/* Behind the header: where the phase began, answers, best on the validation rows, memory. */
static size_t numbers_of(const struct training_run *t, size_t answers, size_t memory_count)
{
    return t->size * (1 + answers + (t->valid ? 1 : 0)) + memory_count;
}

static char *put(char *to, const double *numbers, size_t count)
{
    memcpy(to, numbers, count * sizeof *numbers);
    return to + count * sizeof *numbers;
}

static void fill(const struct training_run *t, const struct optim_progress *progress, char *bytes, size_t length)
{
    struct header header;
    memset(&header, 0, sizeof header);
    memcpy(header.magic, magic, sizeof magic);
    identify(t, &header.identity);
    header.before = t->before;
    header.current = t->current;
    header.answers = t->answers;
    header.stop = t->stop;
    header.valid_since = t->valid_since;
    header.valid_best = t->valid_best;
    header.answer_norm = t->answer_norm;
    header.stopped_early = t->stopped_early;
    header.memory_count = progress->memory_count;
    char *to = put(bytes + sizeof header, t->w, t->size);
    to = put(to, t->answer, t->size * t->answers);
    if (t->valid)
        to = put(to, t->valid_w, t->size);
    put(to, progress->memory, progress->memory_count);
    memcpy(bytes, &header, sizeof header);
    header.checksum = XXH3_64bits(bytes, length);
    memcpy(bytes, &header, sizeof header);
}

temper_status checkpoint_save(struct training_run *t, const struct optim_progress *progress)
{
    double now = training_clock();
    if (!t->options->checkpoint || comm_rank(t->given->ranks.comm) > 0 || progress->iteration == 0 ||
        now - t->saved < t->options->checkpoint_seconds)
        return TEMPER_OK;
    size_t count = numbers_of(t, t->answers, progress->memory_count);
    size_t length = sizeof(struct header) + count * sizeof(double);
    char *bytes = mem_alloc(length, 1);
    if (!bytes)
        return error_no_memory(t->error);
    fill(t, progress, bytes, length);
    temper_status status = atomic_file_save(t->options->checkpoint, bytes, length, t->error);
    mem_free(bytes);
    t->saved = training_clock();
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static temper_status refuse(const struct training_run *t, const char *why)
{
    return error_set(t->error, TEMPER_BAD_DATA, "%.200s: %s; train without --resume, or with another --checkpoint",
                     t->options->checkpoint, why);
}

static const char *take(const char *from, double *to, size_t count)
{
    memcpy(to, from, count * sizeof *to);
    return from + count * sizeof *to;
}

static temper_status restore(struct training_run *t, const struct header *header, const char *numbers)
{
    t->memory = mem_alloc((size_t)header->memory_count, sizeof *t->memory);
    if (!t->memory)
        return error_no_memory(t->error);
    t->before = header->before;
    t->current = (size_t)header->current;
    t->answers = (size_t)header->answers;
    t->stop = (enum optim_stop)header->stop;
    t->valid_since = (size_t)header->valid_since;
    t->valid_best = header->valid_best;
    t->answer_loss = t->loss; /* the one that has answers on the way is not rounded */
    t->answer_norm = header->answer_norm;
    t->stopped_early = header->stopped_early != 0;
    t->memory_count = (size_t)header->memory_count;
    numbers = take(numbers, t->w, t->size);
    numbers = take(numbers, t->answer, t->size * t->answers);
    if (t->valid)
        numbers = take(numbers, t->valid_w, t->size);
    take(numbers, t->memory, t->memory_count);
    t->resumed = true;
    return TEMPER_OK;
}

static temper_status parse(struct training_run *t, char *bytes, size_t length)
{
    struct header header;
    struct identity ours;
    if (!bytes || length < sizeof header || memcmp(bytes, magic, sizeof magic) != 0)
        return refuse(t, "this is no checkpoint of temper");
    memcpy(&header, bytes, sizeof header);
    uint64_t checksum = header.checksum;
    header.checksum = 0;
    memcpy(bytes, &header, sizeof header);
    if (checksum != XXH3_64bits(bytes, length))
        return refuse(t, "the checkpoint is damaged");
    identify(t, &ours);
    if (XXH3_64bits(&ours, sizeof ours) != XXH3_64bits(&header.identity, sizeof ours))
        return refuse(t, "the checkpoint is of other data or other options");
    if (header.current >= t->phases || header.answers > MOST_STARTS || header.memory_count > length ||
        header.stop > OPTIM_NOT_FINITE ||
        length != sizeof header + numbers_of(t, (size_t)header.answers, (size_t)header.memory_count) * sizeof(double))
        return refuse(t, "the checkpoint contradicts itself");
    return restore(t, &header, bytes + sizeof header);
}

temper_status checkpoint_load(struct training_run *t)
{
    struct text text = {0};
    temper_status status = comm_read_file(t->given->ranks.comm, t->options->checkpoint, &text, t->error);
    if (status == TEMPER_OK)
        status = parse(t, text.bytes, text.length);
    text_free(&text);
    return status == TEMPER_NO_INPUT ? TEMPER_OK : status; /* nothing was saved yet: begin */
}
