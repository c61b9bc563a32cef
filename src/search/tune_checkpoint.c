/* tune_checkpoint: the results of the candidates in a file, from which an interrupted tuning continues.
 *
 * The whole table is written each time: it is small compared with the data. */
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "base/checkpoint_file.h"
#include "base/memory.h"
#include "base/source.h"
#include "search/tune_state.h"
#include "tempered/loss_family.h"
#include "train/train.h"

static const char magic[CHECKPOINT_MAGIC] = "temper-tune-3";

/* ---- Identity -------------------------------------------------------------------------------- */

/* Appends a word with its terminating zero, so that ("ab", "c") and ("a", "bc") differ. NULL is the same as "auto". */
static void add_word(struct text *text, const char *word)
{
    const char *given = word ? word : "auto";
    text_append_bytes(text, given, strlen(given) + 1);
}

/* Appends losses and penalties in the order of the table; measures are what the checkpoint stores, so they are no
 * part of the identity. */
static void add_candidates(struct text *text, const struct crossval_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const temper_tune_candidate *candidate = &table->candidate[i];
        const double numbers[] = {(double)candidate->loss.method, candidate->loss.t1, candidate->loss.t2, candidate->l2,
                                  candidate->l1};
        char loss[TEMPER_LOSS_TEXT];
        loss_format(candidate->loss, loss); /* with the parameters that only this method has */
        text_append_bytes(text, (const char *)numbers, sizeof numbers);
        add_word(text, loss);
    }
}

/* Appends what the trusted measures depend on: a fingerprint of the other dataset, or number and label of each row. */
static temper_status add_trusted(struct text *text, const struct tune_request *request, const struct dataset *trusted)
{
    const temper_tune_options *options = request->options;
    char fingerprint[33] = "";
    if (trusted)
        TRY(dataset_fingerprint(trusted, request->train.threads, fingerprint, request->error));
    add_word(text, fingerprint);
    for (size_t i = 0; i < options->trusted_count; i++) {
        const uint64_t pair[] = {options->trusted_rows[i], options->trusted_labels[i]};
        text_append_bytes(text, (const char *)pair, sizeof pair);
    }
    return TEMPER_OK;
}

/* Appends everything that the results in the table depend on. The number of threads is not part of it, and may
 * change between two sessions. */
static temper_status describe(const struct tune_request *request, const struct tune_setup *setup,
                              const struct crossval_table *table, struct text *text)
{
    const temper_train_options *train = &request->train;
    const struct crossval *cv = &setup->cv;
    char fingerprint[33];
    /* Numbers as doubles, for a description of one layout. */
    const double numbers[] = {train->tolerance,
                              (double)train->max_iterations,
                              (double)train->seed,
                              (double)train->no_intercept,
                              (double)setup->features.scale.kind,
                              (double)cv->folds,
                              (double)request->prunes};
    TRY(dataset_fingerprint(request->data, train->threads, fingerprint, request->error));
    add_word(text, fingerprint);
    add_word(text, train->solver);
    add_word(text, train->precision);
    text_append_bytes(text, (const char *)numbers, sizeof numbers);
    add_candidates(text, table);
    /* Drawn folds follow from the seed; given ones are part of the description. */
    if (cv->given_fold)
        text_append_bytes(text, (const char *)cv->given_fold, cv->labels.rows * sizeof *cv->given_fold);
    TRY(add_trusted(text, request, setup->trusted));
    return text->failed ? error_no_memory(request->error) : TEMPER_OK;
}

/* The identity is the 128-bit XXH3 hash of that description. */
static temper_status find_identity(const struct tune_request *request, struct tune_setup *setup,
                                   const struct crossval_table *table)
{
    struct text text = {0};
    temper_status status = describe(request, setup, table, &text);
    if (status == TEMPER_OK) {
        XXH128_hash_t hash = XXH3_128bits(text.bytes, text.length);
        memcpy(setup->identity, &hash, sizeof setup->identity);
    }
    text_free(&text);
    return status;
}

/* ---- Saving and loading ---------------------------------------------------------------------- */

/* The bytes of the outcomes of all candidates in one stage. */
static size_t outcome_stage_bytes(const struct crossval_table *table)
{
    return table->count * table->outcomes.words * sizeof **table->outcomes.bits;
}

/* Only the first process writes, since all have the same table. The interval between two checkpoints is that of the
 * training options; `now` ignores it. */
static temper_status save(struct tune_state *t, bool now, temper_error *error)
{
    const temper_tune_options *options = t->request.options;
    const struct crossval_table *table = &t->table;
    if (!options->checkpoint || comm_rank(t->request.data->ranks.comm) > 0 ||
        (!now && train_clock() - t->progress.saved < options->train.checkpoint_seconds))
        return TEMPER_OK;
    /* The layout that restore() reads: identity, candidates, accuracies by fold, outcomes of halves and folds. */
    const struct checkpoint_part parts[] = {
        {t->setup.identity, sizeof t->setup.identity},
        {table->candidate, table->count * sizeof *table->candidate},
        {table->fold_accuracy, table->count * t->setup.cv.folds * sizeof *table->fold_accuracy},
        {table->outcomes.bits[OUTCOMES_HALVES], outcome_stage_bytes(table)},
        {table->outcomes.bits[OUTCOMES_FOLDS], outcome_stage_bytes(table)}};
    temper_status status = checkpoint_file_save(options->checkpoint, magic, parts, sizeof parts / sizeof *parts, error);
    t->progress.saved = train_clock();
    return status;
}

/* Processes agree on the status, as only the first can fail and all have to stop then. */
temper_status tune_checkpoint_save(struct tune_state *t, bool now, temper_error *error)
{
    return comm_agree(t->request.data->ranks.comm, save(t, now, error), error);
}

/* Whether a number is a share of rows, up to rounding. */
static bool is_share(double x)
{
    return x >= 0 && x <= 1 + 1e-9;
}

/* Whether the saved candidates are those of the table, at stages that there are, and have accuracies where they were
 * fitted, so that one of them is the best: a checksum is no proof that a file was written by temper. */
static bool are_candidates(const struct crossval_table *table, const char *saved, bool trusted)
{
    for (size_t i = 0; i < table->count; i++) {
        const temper_tune_candidate *ours = &table->candidate[i];
        temper_tune_candidate candidate;
        memcpy(&candidate, saved + i * sizeof candidate, sizeof candidate);
        if (!loss_same_spec(candidate.loss, ours->loss) || candidate.l2 != ours->l2 || candidate.l1 != ours->l1 ||
            candidate.stage < STAGE_NONE || candidate.stage > STAGE_FOLDS ||
            (candidate.stage != STAGE_NONE &&
             (!is_share(candidate.accuracy) || (trusted && !is_share(candidate.trusted)))))
            return false;
    }
    return true;
}

/* Refuses a file of another kind, size or identity, or with a wrong checksum, before the table is changed. */
static temper_status restore(struct tune_state *t, const struct text *file)
{
    struct checkpoint_part content = {0};
    struct crossval_table *table = &t->table;
    size_t identity = sizeof t->setup.identity, candidates = table->count * sizeof *table->candidate;
    size_t accuracies = table->count * t->setup.cv.folds * sizeof *table->fold_accuracy;
    size_t outcomes = outcome_stage_bytes(table);
    bool has_trusted = t->setup.trusted || t->request.options->trusted_count > 0;
    const char *refused = checkpoint_file_check(file->bytes, file->length, magic, &content);
    const char *from = content.bytes;
    /* The size is compared first: content.bytes has an identity only if it is long enough. */
    if (!refused && (content.length != identity + candidates + accuracies + OUTCOME_STAGES * outcomes ||
                     memcmp(from, t->setup.identity, identity) != 0))
        refused = "the checkpoint is of other data or other options";
    else if (!refused && !are_candidates(table, from + identity, has_trusted))
        refused = "the checkpoint contradicts itself";
    if (refused)
        return error_set(t->request.error, TEMPER_BAD_DATA,
                         "%.200s: %s; tune without --resume, or with another --checkpoint",
                         t->request.options->checkpoint, refused);
    memcpy(table->candidate, from + identity, candidates);
    memcpy(table->fold_accuracy, from + identity + candidates, accuracies);
    from += identity + candidates + accuracies;
    for (size_t i = 0; i < OUTCOME_STAGES; i++)
        memcpy(table->outcomes.bits[i], from + i * outcomes, outcomes);
    t->report.resumed = 1;
    return TEMPER_OK;
}

/* Sets the identity, which saving needs too, and loads the file if the search is resumed. A missing file is no
 * error: the search may have been interrupted before its first checkpoint, and scripts can always pass --resume. */
temper_status tune_checkpoint_load(struct tune_state *t)
{
    const temper_tune_options *options = t->request.options;
    struct text file = {0};
    if (!options->checkpoint)
        return TEMPER_OK;
    TRY(find_identity(&t->request, &t->setup, &t->table));
    /* A search that is not resumed replaces an existing checkpoint when it first saves one. */
    const temper_comm *comm = t->request.data->ranks.comm;
    if (!options->resume)
        return comm_check_replaceable(comm, options->checkpoint, t->request.error);
    const struct whole_file expected = {.begins = magic, .begins_length = sizeof magic};
    temper_status status = comm_read_file(comm, options->checkpoint, &expected, &file, t->request.error);
    if (status == TEMPER_OK)
        status = restore(t, &file);
    text_free(&file);
    return status == TEMPER_NO_INPUT ? TEMPER_OK : status; /* nothing was saved yet */
}
