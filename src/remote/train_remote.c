/* train_remote: the coordinator's side of remote training: the plan, which is the same for all shards (classes,
 * scaling, loss and penalty), and training by an engine that sums the gradients of the shards.
 *
 * Three steps: each worker computes statistics of its rows (shard_stats.c); the coordinator merges them and decides on
 * the plan, exactly as a training in memory would decide; the workers make their shards by that plan. The training
 * itself is that of train/, with an objective that calls the engine instead of passing over rows. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "remote/train_remote.h"
#include "temper_extra.h"
#include "tempered/loss_family.h"
#include "train/train.h"

/* The kind of message; its last letter is the version. */
#define PLAN_KIND "tmprpln2"

/* Accepts NULL, and a plan that could not be completed. */
void shard_plan_free(struct shard_plan *plan)
{
    if (!plan)
        return;
    shard_stats_free(&plan->all);
    scale_free(&plan->scale);
    mem_free(plan);
}

/* A dataset without rows: enough for all decisions that do not read rows. */
struct dataset shard_plan_rows(const struct shard_plan *plan)
{
    const struct shard_stats *all = &plan->all;
    return (struct dataset){
        .x = {.kind = all->kind, .rows = all->rows, .columns = all->columns, .nonzeros = all->nonzeros},
        .classes = all->classes,
        .features = all->features};
}

/* The size of the weights, the same as objective_size of any of the shards. */
size_t shard_plan_size(const struct shard_plan *plan)
{
    /* One weight vector for two classes, otherwise one for each class. */
    size_t vectors = weight_vectors(plan->all.classes.count);
    return ((size_t)plan->all.columns + (plan->intercept ? 1 : 0)) * vectors;
}

/* ---- From the statistics of all shards ------------------------------------------------------- */

/* The statistics of all rows: the first message is read into *all, the others are merged into it in their order. Sums
 * of columns are merged in the order of the shards, which is part of the result: floating-point addition is not
 * associative. */
static temper_status merge_stats(const temper_bytes *stats, size_t count, struct shard_stats *all, temper_error *error)
{
    temper_status status = shard_stats_read(stats[0].bytes, stats[0].length, all, error);
    for (size_t i = 1; status == TEMPER_OK && i < count; i++) {
        /* One shard at a time, so that the memory does not grow with the number of shards. */
        struct shard_stats next;
        status = shard_stats_read(stats[i].bytes, stats[i].length, &next, error);
        if (status != TEMPER_OK)
            return status;
        status = shard_stats_merge(all, &next, i + 1, error);
        shard_stats_free(&next);
    }
    return status == TEMPER_OK ? shard_stats_finish(all, error) : status;
}

/* Refuses rows of a single class, over all shards; one shard may have rows of one class only. */
static temper_status check_classes(const struct shard_stats *all, temper_error *error)
{
    /* `one`: a class that has rows, for the message. */
    size_t there = 0, one = 0;
    for (size_t c = 0; c < all->classes.count; c++)
        if (all->class_weight[c] > 0) {
            there++;
            one = c;
        }
    if (there >= 2)
        return TEMPER_OK;
    return error_set(error, TEMPER_BAD_DATA,
                     "all rows of all shards that count have one class, '%.40s'; a classifier "
                     "needs two",
                     all->classes.count ? all->classes.name[one] : "");
}

/* Offsets and factors from the statistics of all rows, with the same defaults as scaled_features_new for rows in
 * memory. Logarithms would need statistics of the logarithms, which the workers have not computed. */
static temper_status decide_scale(struct shard_plan *plan, const char *word, temper_error *error)
{
    const struct dataset rows = shard_plan_rows(plan);
    enum scale_kind kind;
    /* Offsets would make sparse rows dense. */
    if (!word)
        word = rows.x.kind == MATRIX_CSR ? "none" : "standard";
    if (!scale_find(word, &kind))
        return error_set(error, TEMPER_USAGE,
                         "there is no scaling '%.64s'; over shards there are none, standard, "
                         "minmax, maxabs and pixels",
                         word);
    /* Refused here, where the remedy can be named, and not by the workers. */
    if (kind == SCALE_LOG)
        return error_set(error, TEMPER_USAGE,
                         "shards cannot be scaled by logarithms; take them of the rows, and pass "
                         "--scale standard");
    return scale_from_sums(&rows, kind, &plan->all.sums, &plan->scale, error);
}

/* Refuses solvers that need Hessians or Hessian-vector products: workers compute gradients only. */
static temper_status check_solver(const char *solver, temper_error *error)
{
    if (!solver || strcmp(solver, "auto") == 0 || strcmp(solver, "lbfgs") == 0)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "the solver '%.64s' is not for shards, which give gradients only; try lbfgs",
                     solver);
}

/* Refuses what needs rows in one place, with the plan and again with the options of the training, which may differ. */
static temper_status check_options(const temper_train_options *options, temper_error *error)
{
    const char *calibrate = options->calibrate;
    if (options->estimate_noise)
        return error_set(error, TEMPER_USAGE,
                         "the noise of the labels is estimated by an audit, which needs the rows in one place; train "
                         "on shards without it");
    if (options->clean && strcmp(options->clean, "none") != 0)
        return error_set(error, TEMPER_USAGE,
                         "labels are cleaned by an audit, which needs the rows in one place; train on shards without "
                         "it");
    if (calibrate && strcmp(calibrate, "auto") != 0 && strcmp(calibrate, "none") != 0)
        return error_set(error, TEMPER_USAGE,
                         "a model of shards is not calibrated, which needs rows in one place; 'calibrate' can be auto "
                         "or none here, not '%.64s'",
                         calibrate);
    return check_solver(options->solver, error);
}

/* Loss, penalty and precision, as a training in memory would have them, so that the model is the same up to
 * rounding. */
static temper_status decide_loss(struct shard_plan *plan, const temper_train_options *options, temper_error *error)
{
    const struct shard_stats *all = &plan->all;
    const struct dataset rows = shard_plan_rows(plan);
    plan->loss = loss_resolve(options->loss);
    plan->intercept = !options->no_intercept;
    plan->l2 = options->l2;
    if (loss_has_rounds(plan->loss))
        return error_set(error, TEMPER_USAGE,
                         "loss %s repeats its training with other row weights, for which the rows have to be in one "
                         "place; pass another loss",
                         method_name(plan->loss.method));
    TRY(train_check_l2(options->l2, error));
    /* NaN: the default penalty, from the variances of all rows as scaled. */
    if (isnan(options->l2))
        plan->l2 = default_l2_of(all->sums.variance, plan->scale.factor, (size_t)all->columns, all->classes.count);
    temper_status status = train_check_loss(plan->loss, error);
    return status == TEMPER_OK ? choose_precision(options, &rows, &plan->f64, error) : status;
}

/* All decisions, in the order in which they depend on each other. The column statistics are freed afterwards: scaling
 * and penalty contain all that is needed of them. */
static temper_status decide(struct shard_plan *plan, const temper_bytes *stats, size_t count,
                            const temper_train_options *options, temper_error *error)
{
    temper_status status = check_options(options, error);
    if (status == TEMPER_OK)
        status = merge_stats(stats, count, &plan->all, error);
    if (status == TEMPER_OK)
        status = check_classes(&plan->all, error);
    if (status == TEMPER_OK)
        status = decide_scale(plan, options->scale, error);
    if (status == TEMPER_OK)
        status = decide_loss(plan, options, error);
    /* On failure too; shard_plan_free accepts that. */
    column_stats_free(&plan->all.sums);
    return status;
}

/* `stats`: the messages of all shards, in their order. *out is untouched on failure. */
temper_status shard_plan_new(const temper_bytes *stats, size_t count, const temper_train_options *options,
                             struct shard_plan **out, temper_error *error)
{
    /* The first message decides on the columns that all must have. */
    if (count == 0)
        return error_set(error, TEMPER_USAGE, "there are no shards to train on; survey some");
    /* Zeroed, so that a plan that is not complete can be freed. */
    struct shard_plan *plan = mem_zeroed(1, sizeof *plan);
    if (!plan)
        return error_no_memory(error);
    temper_status status = decide(plan, stats, count, options, error);
    if (status != TEMPER_OK) {
        shard_plan_free(plan);
        return status;
    }
    *out = plan;
    return TEMPER_OK;
}

/* ---- As a message ------------------------------------------------------------------------------ */

/* The plan as a message to the workers; the order is that of shard_plan_read. */
temper_status shard_plan_write(const struct shard_plan *plan, struct text *out, temper_error *error)
{
    size_t columns = (size_t)plan->all.columns;
    /* Class names and numbers come first: the sizes of what follows depend on them. */
    wire_begin(out, PLAN_KIND);
    shard_stats_put(out, &plan->all);
    wire_put_count(out, plan->scale.kind);
    wire_put_count(out, plan->scale.constants);
    wire_put_numbers(out, plan->scale.offset, columns);
    wire_put_numbers(out, plan->scale.factor, columns);
    wire_put_count(out, plan->loss.method);
    /* The loss is resolved: workers need not know which temperatures a name implies. */
    wire_put_number(out, plan->loss.t1);
    wire_put_number(out, plan->loss.t2);
    const temper_loss_parameter *parameter;
    temper_loss_spec loss = plan->loss;
    for (size_t k = 0; (parameter = method_parameter(loss.method, k)); k++)
        wire_put_number(out, *loss_parameter(&loss, parameter));
    wire_put_number(out, plan->l2);
    wire_put_count(out, plan->intercept);
    wire_put_count(out, plan->f64);
    wire_end(out);
    return out->failed ? error_no_memory(error) : TEMPER_OK;
}

/* Reads the scaling. False: out of memory. */
static bool get_scale(struct wire_reader *record, struct shard_plan *plan)
{
    size_t columns = (size_t)plan->all.columns;
    struct scale *scale = &plan->scale;
    uint64_t kind = wire_take_count(record);
    *scale =
        (struct scale){.kind = (enum scale_kind)kind, .columns = columns, .constants = (size_t)wire_take_count(record)};
    if (record->failed || kind > SCALE_PIXELS || columns > (size_t)(record->end - record->at) / sizeof(double)) {
        record->failed = true; /* before memory is allocated */
        return true;
    }
    scale->offset = mem_alloc(columns, sizeof(double));
    scale->factor = mem_alloc(columns, sizeof(double));
    if (!scale->offset || !scale->factor)
        return false;
    wire_take_numbers(record, scale->offset, columns);
    wire_take_numbers(record, scale->factor, columns);
    return true;
}

/* Reads loss, penalty and precision. Values that no plan has are failures of the message. The parameters of a method
 * follow in the order of its list, as the plan was written. */
static void get_loss(struct wire_reader *record, struct shard_plan *plan)
{
    /* Its range is checked below, before the plan is used. */
    uint64_t method = wire_take_count(record);
    plan->loss.method = (temper_method)method;
    plan->loss.t1 = wire_take_number(record);
    plan->loss.t2 = wire_take_number(record);
    const temper_loss_parameter *parameter;
    for (size_t k = 0; (parameter = method_parameter(plan->loss.method, k)); k++)
        *loss_parameter(&plan->loss, parameter) = wire_take_number(record);
    plan->l2 = wire_take_number(record);
    plan->intercept = wire_take_count(record) != 0;
    plan->f64 = wire_take_count(record) != 0;
    record->failed =
        record->failed || method >= TEMPER_METHODS || plan->all.columns == 0 || plan->all.classes.count < 2;
}

/* Reads a plan in a worker. A message of another version, or a truncated one, is refused. */
temper_status shard_plan_read(const char *bytes, size_t length, struct shard_plan **out, temper_error *error)
{
    struct wire_reader record;
    struct shard_plan *plan = mem_zeroed(1, sizeof *plan);
    temper_status status = TEMPER_BAD_DATA;
    if (!plan)
        return error_no_memory(error);
    /* The checksum is verified before any field is read. */
    bool opened = wire_open(&record, bytes, length, PLAN_KIND);
    bool memory = !opened || (shard_stats_get(&record, &plan->all) && get_scale(&record, plan));
    /* Fields read after a failure are 0; record.failed is checked once, by wire_done. */
    if (opened && memory)
        get_loss(&record, plan);
    if (!memory)
        status = error_no_memory(error);
    else if (opened && wire_done(&record))
        status = TEMPER_OK;
    else
        error_set(error, TEMPER_BAD_DATA,
                  "this is no plan for shards, or not all of it; send what temper_shard_plan_to_text made, "
                  "by this version, as it is");
    if (status != TEMPER_OK) {
        shard_plan_free(plan);
        return status;
    }
    *out = plan;
    return TEMPER_OK;
}

/* ---- Training -------------------------------------------------------------------------------- */

/* Trains on the rows of all shards: the options of the user, replaced by the plan wherever the workers depend on them.
 * The features are shared, and have no rows. */
temper_status train_shards(const struct shard_plan *plan, const temper_shard_engine *engine,
                           const temper_train_options *options, struct model **model, temper_train_report *report,
                           temper_error *error)
{
    const struct dataset rows = shard_plan_rows(plan);
    /* No rows are read: `given` and `data` are the dataset without rows. */
    const struct scaled_features features = {.given = &rows, .data = &rows, .scale = plan->scale};
    temper_train_options agreed = *options;
    temper_status status = check_options(options, error);
    if (status != TEMPER_OK)
        return status;
    /* What the workers were given with the plan, even if the options differ from those of the plan. */
    agreed.solver = "lbfgs";
    agreed.loss = plan->loss;
    agreed.l2 = plan->l2;
    agreed.precision = plan->f64 ? "f64" : "f32";
    agreed.no_intercept = !plan->intercept;
    /* What training would otherwise compute by passes over the rows. */
    const struct remote_rows remote = {.engine = engine,
                                       .class_weight = plan->all.class_weight,
                                       .weight_sum = plan->all.weight_sum,
                                       .fingerprint = plan->all.fingerprint};
    const struct train_request request = {
        .data = &rows, .features = &features, .options = &agreed, .error = error, .remote = &remote};
    return train_model(&request, model, report);
}
