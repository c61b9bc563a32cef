/* api_explain: the calls of temper_explain.h: check arguments, and delegate to src/predict/explain. */
#include "api/api_internal.h"
#include "base/thread.h"
#include "predict/explain.h"
#include "temper_explain.h"

/* The handle is the internal struct under another name. */
static const struct explainer *explainer_of(const temper_explainer *explainer)
{
    return (const struct explainer *)explainer;
}

temper_status temper_explainer_new(const temper_model *model, temper_explainer **explainer, temper_error *error)
{
    struct explainer *made;
    TRY(explainer_new(model_of(model), &made, error));
    *explainer = (temper_explainer *)made;
    return TEMPER_OK;
}

/* NULL is allowed. */
void temper_explainer_free(temper_explainer *explainer)
{
    explainer_free((struct explainer *)explainer);
}

/* A constant text, which depends on the scaling of the model. */
const char *temper_explainer_step(const temper_explainer *explainer)
{
    return explain_step_name(explainer_of(explainer)->model);
}

int temper_explainer_has_means(const temper_explainer *explainer)
{
    return explainer_of(explainer)->reference != NULL;
}

size_t temper_explainer_terms(const temper_explainer *explainer)
{
    return explainer_of(explainer)->terms;
}

/* NULL beyond the last term. */
const char *temper_explainer_term(const temper_explainer *explainer, size_t term)
{
    return term < explainer_of(explainer)->terms ? explainer_of(explainer)->term[term].name : NULL;
}

/* A vector that does not exist is a mistake of the program. */
temper_status temper_explain_model(const temper_explainer *explainer, size_t vector, size_t top, temper_effect *list,
                                   size_t *count, temper_error *error)
{
    size_t vectors = explainer_of(explainer)->model->vectors;
    if (vector >= vectors)
        return error_set(error, TEMPER_USAGE, "the model has %zu weight vector%s; give a number below that", vectors,
                         vectors == 1 ? "" : "s");
    explain_model(explainer_of(explainer), vector, top, list, count);
    return TEMPER_OK;
}

/* 0 threads: as many as the machine runs at once. */
static size_t all_if_zero(size_t threads)
{
    return threads ? threads : thread_count_default();
}

temper_status temper_explain_rows(const temper_explainer *explainer, const temper_data *data, size_t threads,
                                  const temper_explanation *explanation, temper_error *error)
{
    return explain_rows(explainer_of(explainer), &dataset_of(data)->x, all_if_zero(threads), explanation, error);
}

/* The explainer is needed for references and bases alone. */
temper_status temper_contributions(const temper_model *model, const temper_data *data, size_t threads, double *out,
                                   temper_error *error)
{
    struct explainer *explainer;
    TRY(explainer_new(model_of(model), &explainer, error));
    temper_status status = contributions(explainer, &dataset_of(data)->x, all_if_zero(threads), out, error);
    explainer_free(explainer);
    return status;
}
