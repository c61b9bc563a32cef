/* trusted_rows: rows whose labels are known to be right; they decide between candidates. */
#include <string.h>

#include "base/memory.h"
#include "data/subset.h"
#include "search/tune_state.h"

/* Rows of the data itself, given by number and true label; messages count rows from 1. */
static temper_status check_rows(const struct tune_request *request)
{
    const temper_tune_options *options = request->options;
    uint64_t rows = dataset_all_rows(request->data);
    for (size_t i = 0; i < options->trusted_count; i++) {
        if (options->trusted_rows[i] >= rows)
            return error_set(request->error, TEMPER_BAD_DATA, "trusted row %zu does not exist: the data has %zu rows",
                             options->trusted_rows[i] + 1, (size_t)rows);
        if (options->trusted_labels[i] >= request->data->classes.count)
            return error_set(request->error, TEMPER_BAD_DATA,
                             "trusted row %zu is of a class that the data does not have", options->trusted_rows[i] + 1);
    }
    return TEMPER_OK;
}

/* Rows of another dataset are scored by models of the data: so they need the same features in the same
 * representation. */
static temper_status check_dataset(const struct tune_request *request, const struct dataset *trusted)
{
    const struct matrix *x = &request->data->x;
    /* Dense kinds (bytes, floats, doubles) may differ; dense and sparse may not. */
    bool sparse = x->kind == MATRIX_CSR, trusted_sparse = trusted->x.kind == MATRIX_CSR;
    if (!trusted->label || trusted->x.rows == 0)
        return error_set(request->error, TEMPER_BAD_DATA,
                         "the trusted data has no labelled rows; give some, or tune without it");
    if (trusted->x.columns != x->columns || sparse != trusted_sparse)
        return error_set(request->error, TEMPER_BAD_DATA,
                         "the trusted data has %zu %s features, the data %zu %s ones; they must be alike",
                         (size_t)trusted->x.columns, trusted_sparse ? "sparse" : "dense", (size_t)x->columns,
                         sparse ? "sparse" : "dense");
    return TEMPER_OK;
}

/* Renumbers the labels of the copy as in the data, by class name: two files may list their classes in different
 * orders. A class that the data does not have could never be predicted, so it is refused. */
static temper_status map_labels(const struct tune_request *request, struct dataset *trusted)
{
    for (uint64_t row = 0; row < trusted->x.rows; row++) {
        const char *name = trusted->classes.name[trusted->label[row]];
        uint32_t number = classes_find(&request->data->classes, name, strlen(name));
        if (number == CLASSES_NONE)
            return error_set(request->error, TEMPER_BAD_DATA,
                             "trusted row %zu has the class '%.64s', which the data does not have; drop it",
                             (size_t)row + 1, name);
        trusted->label[row] = number;
    }
    return TEMPER_OK;
}

/* Fills setup->cv.trusted from either source; both at once are refused. Rows of a dataset are copied without their
 * features, since their labels are renumbered; free_state of tune.c frees the copy. */
temper_status tune_trusted_rows(const struct tune_request *request, struct tune_setup *setup)
{
    const temper_tune_options *options = request->options;
    const struct dataset *given = (const struct dataset *)options->trusted;
    struct trusted_rows *out = &setup->cv.trusted;
    /* One decision needs one set of rows: shares of two sets would have to be weighted somehow. */
    if (given && options->trusted_count)
        return error_set(request->error, TEMPER_USAGE,
                         "trusted rows are those of a file, or some of the data; give one of them");
    /* Borrowed from the options, which outlive the search. */
    if (options->trusted_count) {
        *out = (struct trusted_rows){
            .count = options->trusted_count, .row = options->trusted_rows, .label = options->trusted_labels};
        return check_rows(request);
    }
    if (!given)
        return TEMPER_OK;
    TRY(check_dataset(request, given));
    TRY(dataset_borrow(given, &setup->trusted, request->error));
    TRY(map_labels(request, setup->trusted));
    *out = (struct trusted_rows){.count = (size_t)given->x.rows, .data = setup->trusted};
    return TEMPER_OK;
}
