/* survey: taken where the rows are, and sent to where the training is. */
#include "remote/shard_stats.h"

#include <string.h>

#include "base/memory.h"
#include "data/classes.h"
#include "data/dist/scatter_rows.h"
#include "data/schema.h"
#include "train/train.h"

void shard_stats_free(struct shard_stats *survey)
{
    classes_free(&survey->classes);
    mem_free(survey->class_weight);
    names_free(&survey->features);
    column_stats_free(&survey->sums);
    *survey = (struct shard_stats){0};
}

/* ---- Taking one ------------------------------------------------------------------------------ */

/* Texts and means of a table are those of its own rows: two shards would make different features.
 */
static temper_status refuse_table(const struct schema *schema, temper_error *error)
{
    bool own = schema && schema->missing == SCHEMA_MEAN;
    for (size_t c = 0; schema && c < schema->columns; c++)
        own = own || schema->column[c].texts.count > 0;
    if (!own)
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE,
                     "the features of a shard with text columns or filled-in means are not those "
                     "of another one; make numbers of all rows first, with temper convert");
}

static temper_status check_shard(const struct dataset *data, temper_error *error)
{
    temper_status status = scatter_refuse(data, "a survey", error);
    if (status != TEMPER_OK)
        return status;
    if (!data->label)
        return error_set(error, TEMPER_BAD_DATA,
                         "a shard has no labels to learn from; give a label for each of its rows");
    return refuse_table(data->schema, error);
}

static void add_weights(const struct dataset *data, struct shard_stats *out)
{
    for (uint64_t row = 0; row < data->x.rows; row++) {
        double weight = data->weight ? data->weight[row] : 1;
        out->class_weight[data->label[row]] += weight;
        out->weight_sum += weight;
    }
}

static temper_status copy_names(const struct names *from, struct names *to, temper_error *error)
{
    if (from->count == 0)
        return TEMPER_OK;
    *to = (struct names){(char **)mem_zeroed(from->count, sizeof *to->name), from->count};
    for (size_t j = 0; to->name && j < from->count; j++) {
        size_t size = strlen(from->name[j]) + 1;
        if (!(to->name[j] = mem_alloc(size, 1)))
            return error_no_memory(error);
        memcpy(to->name[j], from->name[j], size);
    }
    return to->name ? TEMPER_OK : error_no_memory(error);
}

static temper_status sum_columns(const struct dataset *data, size_t threads, struct column_stats *sums,
                                 temper_error *error)
{
    struct negative_entry negative; /* of logarithms only */
    struct sum_task task = {.data = data, .count = (size_t)data->x.rows, .variances = true, .threads = threads};
    return column_stats(&task, sums, &negative, error);
}

static temper_status fill(const struct dataset *data, size_t threads, struct shard_stats *out, temper_error *error)
{
    temper_status status = classes_copy(&data->classes, &out->classes, error);
    if (status == TEMPER_OK)
        status = copy_names(&data->features, &out->features, error);
    if (status != TEMPER_OK)
        return status;
    out->class_weight = mem_zeroed(out->classes.count, sizeof *out->class_weight);
    if (!out->class_weight)
        return error_no_memory(error);
    add_weights(data, out);
    status = sum_columns(data, threads, &out->sums, error);
    return status == TEMPER_OK ? dataset_fingerprint(data, threads, out->fingerprint, error) : status;
}

temper_status shard_stats_compute(const struct dataset *data, size_t threads, struct shard_stats *out,
                                  temper_error *error)
{
    struct shard_stats survey = {
        .rows = data->x.rows, .nonzeros = data->x.nonzeros, .columns = data->x.columns, .kind = data->x.kind};
    temper_status status = check_shard(data, error);
    if (status != TEMPER_OK)
        return status;
    status = fill(data, threads, &survey, error);
    if (status != TEMPER_OK) {
        shard_stats_free(&survey);
        return status;
    }
    *out = survey;
    return TEMPER_OK;
}

/* ---- As a record ----------------------------------------------------------------------------- */

void shard_stats_put(struct text *out, const struct shard_stats *survey)
{
    wire_put_count(out, survey->rows);
    wire_put_count(out, survey->nonzeros);
    wire_put_count(out, survey->columns);
    wire_put_count(out, survey->kind);
    wire_put_number(out, survey->weight_sum);
    wire_put_text(out, survey->fingerprint);
    wire_put_count(out, survey->classes.count);
    for (size_t c = 0; c < survey->classes.count; c++)
        wire_put_text(out, survey->classes.name[c]);
    wire_put_numbers(out, survey->class_weight, survey->classes.count);
    wire_put_count(out, survey->features.count);
    for (size_t j = 0; j < survey->features.count; j++)
        wire_put_text(out, survey->features.name[j]);
}

void shard_stats_put_sums(struct text *out, const struct shard_stats *survey)
{
    size_t columns = (size_t)survey->columns;
    wire_put_numbers(out, survey->sums.low, columns);
    wire_put_numbers(out, survey->sums.high, columns);
    wire_put_numbers(out, survey->sums.mean, columns);
    wire_put_numbers(out, survey->sums.variance, columns);
}

static bool get_classes(struct wire_reader *record, struct shard_stats *out)
{
    size_t count = wire_take_length(record, 1);
    for (size_t c = 0; c < count && !record->failed; c++) {
        const char *name = wire_take_text(record);
        uint32_t number = name ? classes_add(&out->classes, name, strlen(name)) : 0;
        if (number == CLASSES_NO_MEMORY)
            return false;
        record->failed = record->failed || number != c;
    }
    if (record->failed)
        return true;
    out->class_weight = mem_alloc(count, sizeof *out->class_weight);
    if (out->class_weight)
        wire_take_numbers(record, out->class_weight, count);
    return out->class_weight != NULL;
}

static bool get_features(struct wire_reader *record, struct shard_stats *out)
{
    struct names names = {.count = wire_take_length(record, 1)};
    temper_error error;
    record->failed = record->failed || (names.count > 0 && names.count != out->columns);
    if (names.count == 0 || record->failed)
        return true;
    names.name = (char **)mem_zeroed(names.count, sizeof *names.name);
    for (size_t j = 0; names.name && j < names.count; j++)
        names.name[j] = (char *)wire_take_text(record); /* lies in the record until copied */
    bool done = names.name != NULL;
    if (done && !record->failed)
        done = copy_names(&names, &out->features, &error) == TEMPER_OK;
    mem_free((void *)names.name);
    return done;
}

bool shard_stats_get(struct wire_reader *record, struct shard_stats *out)
{
    out->rows = wire_take_count(record);
    out->nonzeros = wire_take_count(record);
    out->columns = wire_take_count(record);
    uint64_t kind = wire_take_count(record);
    out->weight_sum = wire_take_number(record);
    const char *fingerprint = wire_take_text(record);
    record->failed =
        record->failed || kind > MATRIX_CSR || !fingerprint || strlen(fingerprint) + 1 != sizeof out->fingerprint;
    if (record->failed)
        return true;
    out->kind = (enum matrix_kind)kind;
    memcpy(out->fingerprint, fingerprint, sizeof out->fingerprint);
    return get_classes(record, out) && get_features(record, out);
}

bool shard_stats_get_sums(struct wire_reader *record, struct shard_stats *out)
{
    struct column_stats *sums = &out->sums;
    size_t columns = (size_t)out->columns;
    double **const arrays[] = {&sums->low, &sums->high, &sums->mean, &sums->variance};
    if (record->failed || columns > (size_t)(record->end - record->at) / sizeof(double)) {
        record->failed = true; /* before memory is asked for */
        return true;
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!(*arrays[i] = mem_alloc(columns, sizeof(double))))
            return false;
        wire_take_numbers(record, *arrays[i], columns);
    }
    return true;
}

temper_status shard_stats_read(const char *bytes, size_t length, struct shard_stats *out, temper_error *error)
{
    struct shard_stats survey = {0};
    struct wire_reader record;
    temper_status status = TEMPER_BAD_DATA;
    bool opened = wire_open(&record, bytes, length, SURVEY_KIND);
    if (opened && (!shard_stats_get(&record, &survey) || !shard_stats_get_sums(&record, &survey)))
        status = error_no_memory(error);
    else if (opened && wire_done(&record))
        status = TEMPER_OK;
    else
        error_set(error, TEMPER_BAD_DATA,
                  "this is no survey of a shard, or not all of it; send what temper_shard_stats made, "
                  "by this version, as it is");
    if (status != TEMPER_OK) {
        shard_stats_free(&survey);
        return status;
    }
    *out = survey;
    return TEMPER_OK;
}
