/* tune_trust: rows whose labels are right. */
#include <string.h>

#include "base/memory.h"
#include "data/subset.h"
#include "search/tune_state.h"

static temper_status check_rows(const struct tuning *t)
{
    const temper_tune_options *options = t->options;
    for (size_t i = 0; i < options->trusted_count; i++) {
        if (options->trusted_rows[i] >= dataset_all_rows(t->data))
            return error_set(t->error, TEMPER_BAD_DATA, "trusted row %llu is not there: the data has %llu rows",
                             options->trusted_rows[i] + 1, (unsigned long long)dataset_all_rows(t->data));
        if (options->trusted_labels[i] >= t->data->classes.count)
            return error_set(t->error, TEMPER_BAD_DATA, "trusted row %llu is of a class that the data does not have",
                             options->trusted_rows[i] + 1);
    }
    return TEMPER_OK;
}

static temper_status check_like(const struct tuning *t, const struct dataset *trusted)
{
    bool sparse = t->data->x.kind == MATRIX_CSR;
    if (!trusted->label || trusted->x.rows == 0)
        return error_set(t->error, TEMPER_BAD_DATA,
                         "the trusted data has no labelled rows; give some, or tune without it");
    if (trusted->x.columns != t->data->x.columns || sparse != (trusted->x.kind == MATRIX_CSR))
        return error_set(t->error, TEMPER_BAD_DATA,
                         "the trusted data has %llu %s features, the data %llu %s ones; they must "
                         "be alike",
                         (unsigned long long)trusted->x.columns, trusted->x.kind == MATRIX_CSR ? "sparse" : "dense",
                         (unsigned long long)t->data->x.columns, sparse ? "sparse" : "dense");
    return TEMPER_OK;
}

/* Classes get the numbers that the data has for them. */
static temper_status map_labels(const struct tuning *t, struct dataset *trusted)
{
    for (uint64_t row = 0; row < trusted->x.rows; row++) {
        const char *name = trusted->classes.name[trusted->label[row]];
        uint32_t number = classes_find(&t->data->classes, name, strlen(name));
        if (number == CLASSES_NONE)
            return error_set(t->error, TEMPER_BAD_DATA,
                             "trusted row %llu has the class '%.64s', which the data does not "
                             "have; drop it",
                             (unsigned long long)row + 1, name);
        trusted->label[row] = number;
    }
    return TEMPER_OK;
}

temper_status tuning_trust(struct tuning *t)
{
    const temper_tune_options *options = t->options;
    const struct dataset *given = (const struct dataset *)options->trusted;
    t->drops = t->criterion != BY_LOG_LOSS && t->criterion != BY_BOUNDED_LOSS && !given && !options->trusted_count;
    if (given && options->trusted_count)
        return error_set(t->error, TEMPER_USAGE,
                         "trusted rows are those of a file, or some of the data; give one of them");
    if (options->trusted_count) {
        t->cv.trusted = (struct trusted){
            .count = options->trusted_count, .row = options->trusted_rows, .label = options->trusted_labels};
        return check_rows(t);
    }
    if (!given)
        return TEMPER_OK;
    temper_status status = check_like(t, given);
    if (status == TEMPER_OK)
        status = dataset_borrow(given, &t->trusted, t->error);
    if (status == TEMPER_OK)
        status = map_labels(t, t->trusted);
    if (status == TEMPER_OK)
        t->cv.trusted = (struct trusted){.count = (size_t)given->x.rows, .data = t->trusted};
    return status;
}
