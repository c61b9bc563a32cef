/* tune_file: a tuning that was interrupted goes on from what was known of its candidates.
 *
 * The whole table each time: it is small beside the data, and a file that is replaced is whole or
 * not there. For the same build on the same kind of machine; what does not fit is refused. */
#include <stddef.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/text.h"
#include "search/tune_state.h"
#include "train/train.h"

static const char magic[16] = "temper-tune-1";

struct header {
    char magic[16];
    unsigned char identity[16];
    uint64_t count, folds;
    uint64_t checksum; /* of all other bytes, this one being 0 */
};

/* ---- Identity -------------------------------------------------------------------------------- */

static void add_bytes(struct text *text, const void *bytes, size_t length)
{
    text_append_bytes(text, bytes, length);
}

static void add_word(struct text *text, const char *word)
{
    add_bytes(text, word ? word : "auto", strlen(word ? word : "auto") + 1);
}

static void add_candidates(struct text *text, const struct tuning *t)
{
    for (size_t i = 0; i < t->grid.count; i++) {
        const temper_tune_candidate *candidate = &t->grid.table[i];
        const double numbers[] = {(double)candidate->loss.method, candidate->loss.t1, candidate->loss.t2,
                                  candidate->loss.smoothing, candidate->l2};
        add_bytes(text, numbers, sizeof numbers);
    }
}

static temper_status add_trusted(struct text *text, struct tuning *t)
{
    const temper_tune_options *options = t->options;
    char fingerprint[33] = "";
    temper_status status = TEMPER_OK;
    if (t->trusted)
        status = dataset_fingerprint(t->trusted, t->train.threads, fingerprint, t->error);
    add_word(text, fingerprint);
    for (size_t i = 0; i < options->trusted_count; i++) {
        const uint64_t pair[] = {options->trusted_rows[i], options->trusted_labels[i]};
        add_bytes(text, pair, sizeof pair);
    }
    return status;
}

static temper_status identify(struct tuning *t)
{
    struct text text = {0};
    char fingerprint[33];
    const temper_train_options *train = &t->train;
    const double numbers[] = {train->tolerance,
                              (double)train->max_iterations,
                              (double)train->seed,
                              (double)train->no_intercept,
                              (double)t->ground.scale.kind,
                              (double)t->cv.folds,
                              (double)t->drops};
    temper_status status = dataset_fingerprint(t->data, train->threads, fingerprint, t->error);
    if (status == TEMPER_OK) {
        add_word(&text, fingerprint);
        add_word(&text, train->solver);
        add_word(&text, train->precision);
        add_bytes(&text, numbers, sizeof numbers);
        add_candidates(&text, t);
        if (t->cv.fold)
            add_bytes(&text, t->cv.fold, t->cv.roll.rows * sizeof *t->cv.fold);
        status = add_trusted(&text, t);
    }
    if (status == TEMPER_OK && text.failed)
        status = error_no_memory(t->error);
    if (status == TEMPER_OK) {
        XXH128_hash_t hash = XXH3_128bits(text.bytes, text.length);
        memcpy(t->identity, &hash, sizeof t->identity);
    }
    text_free(&text);
    return status;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static size_t table_bytes(const struct tuning *t)
{
    return t->grid.count * (sizeof(temper_tune_candidate) + t->cv.folds * sizeof(double));
}

/* By the first process. */
static temper_status save(struct tuning *t, bool at_once)
{
    size_t length = sizeof(struct header) + table_bytes(t);
    size_t table = t->grid.count * sizeof(temper_tune_candidate);
    if (!t->options->checkpoint || comm_rank(t->data->ranks.comm) > 0 ||
        (!at_once && train_clock() - t->saved < t->options->train.checkpoint_seconds))
        return TEMPER_OK;
    struct header header = {.count = t->grid.count, .folds = t->cv.folds};
    char *bytes = mem_alloc(length, 1);
    if (!bytes)
        return error_no_memory(t->error);
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.identity, t->identity, sizeof header.identity);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, t->grid.table, table);
    memcpy(bytes + sizeof header + table, t->cv.fold_accuracy, length - sizeof header - table);
    header.checksum = XXH3_64bits(bytes, length);
    memcpy(bytes, &header, sizeof header);
    temper_status status = atomic_file_save(t->options->checkpoint, bytes, length, t->error);
    mem_free(bytes);
    t->saved = train_clock();
    return status;
}

temper_status tuning_save(struct tuning *t, bool at_once)
{
    return comm_agree(t->data->ranks.comm, save(t, at_once), t->error);
}

/* ---- Loading --------------------------------------------------------------------------------- */

static temper_status refuse(const struct tuning *t, const char *why)
{
    return error_set(t->error, TEMPER_BAD_DATA, "%.200s: %s; tune without --resume, or with another --checkpoint",
                     t->options->checkpoint, why);
}

static temper_status parse(struct tuning *t, char *bytes, size_t length)
{
    struct header header;
    size_t table = t->grid.count * sizeof(temper_tune_candidate);
    if (length < sizeof header || memcmp(bytes, magic, sizeof magic) != 0)
        return refuse(t, "this is no checkpoint of a tuning");
    memcpy(&header, bytes, sizeof header);
    uint64_t checksum = header.checksum;
    header.checksum = 0;
    memcpy(bytes, &header, sizeof header);
    if (checksum != XXH3_64bits(bytes, length))
        return refuse(t, "the checkpoint is damaged");
    if (memcmp(header.identity, t->identity, sizeof t->identity) != 0 || length != sizeof header + table_bytes(t))
        return refuse(t, "the checkpoint is of other data or other options");
    memcpy(t->grid.table, bytes + sizeof header, table);
    memcpy(t->cv.fold_accuracy, bytes + sizeof header + table, length - sizeof header - table);
    t->report.resumed = 1;
    return TEMPER_OK;
}

temper_status tuning_load(struct tuning *t)
{
    struct text text = {0};
    if (!t->options->checkpoint)
        return TEMPER_OK;
    temper_status status = identify(t);
    if (status != TEMPER_OK || !t->options->resume)
        return status;
    status = comm_read_file(t->data->ranks.comm, t->options->checkpoint, &text, t->error);
    if (status == TEMPER_OK)
        status = parse(t, text.bytes, text.length);
    text_free(&text);
    return status == TEMPER_NO_INPUT ? TEMPER_OK : status; /* nothing was saved yet: begin */
}
