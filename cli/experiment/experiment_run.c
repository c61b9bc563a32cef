/* experiment_run: goes through the cells of a plan, and measures those that have no record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "message.h"
#include "options/data_options.h"
#include "progress.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* As many rows as the plan says, of every class in the same shares. */
static temper_status limit_rows(const struct plan *plan, temper_data **data)
{
    temper_data *kept, *dropped;
    temper_error error;
    double rows = (double)temper_data_rows(*data);
    const temper_split_options options = {.share = (double)plan->rows / rows, .seed = plan->seed, .stratified = 1};
    if (plan->rows == 0 || (double)plan->rows >= rows)
        return TEMPER_OK;
    if (temper_data_split(*data, &options, &dropped, &kept, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_data_free(dropped);
    temper_data_free(*data);
    *data = kept;
    return TEMPER_OK;
}

static bool wants_pool(const struct plan *plan)
{
    for (size_t i = 0; i < plan->noise_count; i++)
        if (strcmp(plan->noises[i], "instance") == 0)
            return true;
    return false;
}

temper_status plan_load(const struct plan *plan, const struct source *set, struct loaded *loaded)
{
    const struct source_options options = {
        .folder = plan->folder, .classes = plan->classes, .pool = wants_pool(plan), .threads = plan->threads};
    temper_status status = experiment_read(set, &options, loaded);
    if (status == TEMPER_OK)
        status = limit_rows(plan, &loaded->data);
    return status;
}

temper_status split_part(const struct plan *plan, const struct loaded *loaded, size_t split, struct split_rows *rows)
{
    temper_error error;
    const temper_split_options options = {.share = plan->experiment->test_share, .seed = plan_seed(plan, split)};
    *rows = (struct split_rows){NULL, NULL, NULL, 0};
    if (temper_data_split(loaded->data, &options, &rows->train, &rows->test, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

temper_status split_spoil(const struct plan *plan, const struct cell *cell, const struct loaded *loaded,
                          struct split_rows *rows, temper_noise_change **changes)
{
    const temper_noise_options options = {
        .kind = cell->noise,
        .rate = cell->rate,
        .seed = plan_seed(plan, cell->split),
        .pool = strcmp(cell->noise, "instance") == 0 ? loaded->pool : NULL,
        .rank_l2 = 1e-4,
        .rank_scale = plan_scale(plan, cell->set),
        .threads = plan->threads,
    };
    temper_noise_change *list = NULL;
    temper_error error;
    temper_data_free(rows->noisy);
    rows->noisy = NULL;
    rows->changed = 0;
    if (cell->rate == 0)
        return TEMPER_OK;
    if (temper_data_add_noise(rows->train, &options, &rows->noisy, &list, &rows->changed, &error) != TEMPER_OK)
        return complain_error(&error);
    if (changes)
        *changes = list;
    else
        temper_free(list);
    return TEMPER_OK;
}

void experiment_split_free(struct split_rows *rows)
{
    temper_data_free(rows->noisy); /* first: it borrows from the others */
    temper_data_free(rows->train);
    temper_data_free(rows->test);
    *rows = (struct split_rows){NULL, NULL, NULL, 0};
}

/* ---- Progress -------------------------------------------------------------------------------- */

static const double redraw_seconds = 0.2;

static void progress_text(const struct run_progress *progress, char text[240])
{
    double spent = seconds_now() - progress->start, left = NAN;
    if (progress->measured > 0)
        left = spent / (double)progress->measured * (double)(progress->all - progress->done);
    int length = snprintf(text, 240, "%zu of %zu: %s", progress->done, progress->all, progress->what);
    if (isfinite(left) && length > 0 && length < 200)
        snprintf(text + length, 240 - (size_t)length, left < 90 ? "; %.0f s left" : "; %.0f min left",
                 left < 90 ? left : left / 60);
}

void run_progress_draw(struct run_progress *progress)
{
    char text[240];
    double now = seconds_now();
    if (!progress->line || now - progress->drawn < redraw_seconds)
        return;
    progress_text(progress, text);
    int over = (int)progress->shown - (int)strlen(text);
    fprintf(stderr, "\r%.*s%*s", 79, text, over > 0 ? over : 0, "");
    fflush(stderr);
    progress->shown = strlen(text) < 79 ? strlen(text) : 79;
    progress->drawn = now;
}

static void progress_erase(struct run_progress *progress)
{
    if (progress->shown > 0)
        fprintf(stderr, "\r%*s\r", (int)progress->shown, "");
    fflush(stderr);
    progress->shown = 0;
}

static void describe(const struct plan *plan, const struct cell *cell, struct run_progress *progress)
{
    snprintf(progress->what, sizeof progress->what, "%s, split %zu, %s %g %%, %s", cell->set->name, cell->split + 1,
             cell->noise, 100 * cell->rate, cell->method ? cell->method->label : plan->experiment->name);
    progress->drawn = 0;
    run_progress_draw(progress);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* What is in memory: it is read and made when a cell wants it, and kept for the next one. */
struct bench {
    const struct plan *plan;
    struct records *records;
    struct run_progress progress;
    struct loaded loaded;
    const struct source *set; /* of `loaded` */
    struct split_rows rows;
    size_t split; /* of `rows`, if there are any */
    const char *noise;
    double rate;
    bool quiet, told; /* that a set has no pool */
};

static void bench_clear(struct bench *bench)
{
    experiment_split_free(&bench->rows);
    loaded_free(&bench->loaded);
    bench->set = NULL;
    bench->noise = NULL;
}

static temper_status bench_load(struct bench *bench, const struct cell *cell)
{
    if (bench->set == cell->set)
        return TEMPER_OK;
    bench_clear(bench);
    temper_status status = plan_load(bench->plan, cell->set, &bench->loaded);
    if (status != TEMPER_OK)
        return status;
    bench->set = cell->set;
    return TEMPER_OK;
}

static temper_status bench_split(struct bench *bench, const struct cell *cell)
{
    temper_status status = bench_load(bench, cell);
    if (status != TEMPER_OK || (bench->rows.train && bench->split == cell->split))
        return status;
    experiment_split_free(&bench->rows);
    bench->noise = NULL;
    bench->split = cell->split;
    return split_part(bench->plan, &bench->loaded, cell->split, &bench->rows);
}

static temper_status bench_spoil(struct bench *bench, const struct cell *cell)
{
    temper_status status = bench_split(bench, cell);
    if (status != TEMPER_OK)
        return status;
    if (bench->noise && strcmp(bench->noise, cell->noise) == 0 && bench->rate == cell->rate)
        return TEMPER_OK;
    bench->noise = NULL;
    status = split_spoil(bench->plan, cell, &bench->loaded, &bench->rows, NULL);
    if (status != TEMPER_OK)
        return status;
    bench->noise = cell->noise;
    bench->rate = cell->rate;
    return TEMPER_OK;
}

/* Instance noise needs rows of other classes. A set without is left out, with a word. */
static temper_status check_pool(struct bench *bench, const struct cell *cell, bool *possible)
{
    *possible = true;
    if (strcmp(cell->noise, "instance") != 0)
        return TEMPER_OK;
    temper_status status = bench_load(bench, cell);
    if (status != TEMPER_OK || bench->loaded.pool)
        return status;
    *possible = false;
    if (bench->plan->sets_named && bench->plan->noise_count == 1)
        return complain(TEMPER_NO_INPUT,
                        "%s: instance noise takes rows of other classes, and the files have none; "
                        "give the whole data set",
                        cell->set->name);
    if (!bench->told && !bench->quiet)
        note("%s: the files have no other classes, which instance noise takes its rows from; that "
             "is left out",
             cell->set->name);
    bench->told = true;
    return TEMPER_OK;
}

static temper_status measure(struct bench *bench, const struct cell *cell)
{
    struct record record = record_unknown();
    temper_status status = bench_spoil(bench, cell);
    if (status != TEMPER_OK)
        return status;
    const struct rows_at_hand rows = {
        .train = bench->rows.noisy ? bench->rows.noisy : bench->rows.train,
        .test = bench->rows.test,
        .changed = bench->rows.changed,
    };
    record.rows = (double)temper_data_rows(rows.train);
    record.test_rows = (double)temper_data_rows(rows.test);
    record.features = (double)temper_data_features(rows.train);
    record.changed = (double)rows.changed;
    status = cell->method ? cell_measure(bench->plan, cell, &rows, &bench->progress, &record)
                          : cell_select(bench->plan, cell, &rows, &bench->progress, &record);
    return status == TEMPER_OK ? records_add(bench->records, bench->plan, cell, &record) : status;
}

static temper_status visit(struct bench *bench, const struct cell *cell)
{
    char key[KEY_LENGTH];
    bool possible;
    bench->progress.done++;
    if (records_find(bench->records, plan_key(bench->plan, cell, key)))
        return TEMPER_OK;
    if (interrupt_noted())
        return TEMPER_INTERRUPTED;
    describe(bench->plan, cell, &bench->progress);
    temper_status status = check_pool(bench, cell, &possible);
    if (status == TEMPER_OK && possible) {
        status = measure(bench, cell);
        bench->progress.measured++;
    }
    return status;
}

temper_status plan_run(const struct plan *plan, struct records *records, bool quiet)
{
    struct bench bench = {.plan = plan, .records = records, .quiet = quiet};
    struct cell cell;
    temper_status status = TEMPER_OK;
    bench.progress = (struct run_progress){
        .line = !quiet && isatty(STDERR_FILENO) == 1, .all = plan_cells(plan), .start = seconds_now()};
    for (size_t i = 0; status == TEMPER_OK && plan_cell(plan, i, &cell); i++)
        status = visit(&bench, &cell);
    progress_erase(&bench.progress);
    bench_clear(&bench);
    return status;
}
