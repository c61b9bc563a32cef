/* explain_terms: what the features of a model are called, which of them belong together, and the values that their
 * contributions are relative to. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "predict/explain.h"

/* ---- Names ----------------------------------------------------------------------------------- */

/* A copy of `first`, `second` and `third`, one after the other; NULL without memory. */
static char *joined(const char *first, const char *second, const char *third)
{
    size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
    char *whole = mem_alloc(size, 1);
    if (whole)
        snprintf(whole, size, "%s%s%s", first, second, third);
    return whole;
}

/* The name of a column of a table without a header is its number. */
static const char *column_title(const struct schema_column *column, char number[32])
{
    snprintf(number, 32, "column %zu", column->position + 1);
    return column->name ? column->name : number;
}

/* "colour = red", "age is missing", "joined:month". */
static char *name_in_column(const struct schema_column *column, size_t index)
{
    char number[32];
    const char *title = column_title(column, number);
    if (column->rule.indicator && index + 1 == schema_column_features(column))
        return joined(title, " is missing", "");
    if (column->texts.count)
        return joined(title, " = ", column->texts.name[index]);
    return joined(title, column_rule_suffix(&column->rule, index).text, "");
}

/* The name that the data gave, or the number of the feature. */
static char *name_alone(const struct model *model, size_t feature)
{
    char number[32];
    snprintf(number, sizeof number, "feature %zu", feature + 1);
    return joined(feature < model->feature_names.count ? model->feature_names.name[feature] : number, "", "");
}

/* Names all features, in their order; false without memory. */
static bool name_features(struct explainer *explainer)
{
    const struct model *model = explainer->model;
    struct names *names = &explainer->names;
    names->name = (char **)mem_zeroed(model->features, sizeof *names->name);
    if (!names->name)
        return false;
    for (size_t i = 0; model->schema && i < model->schema->columns; i++)
        for (size_t k = 0; k < schema_column_features(&model->schema->column[i]); k++) {
            names->name[names->count] = name_in_column(&model->schema->column[i], k);
            if (!names->name[names->count++])
                return false;
        }
    while (names->count < model->features) {
        names->name[names->count] = name_alone(model, names->count);
        if (!names->name[names->count++])
            return false;
    }
    return true;
}

/* ---- Terms ----------------------------------------------------------------------------------- */

/* Adds a term of `count` features after those of the last one; false without memory. */
static bool add_term(struct explainer *explainer, enum term_kind kind, size_t count, const char *name)
{
    struct explain_term *term = &explainer->term[explainer->terms];
    size_t first = explainer->terms ? term[-1].first + term[-1].count : 0;
    *term = (struct explain_term){.kind = kind, .first = first, .count = count};
    term->name = joined(name ? name : explainer->names.name[first], "", "");
    explainer->terms++;
    return term->name != NULL;
}

/* The terms of one column: categories and words are one term, all else one for each number; then the indicator. */
static bool add_column(struct explainer *explainer, const struct schema_column *column)
{
    char number[32];
    size_t numbers = schema_column_features(column) - column->rule.indicator;
    bool added = true;
    if (column->texts.count) {
        added = add_term(explainer, TERM_CATEGORY, numbers, column_title(column, number));
        explainer->term[explainer->terms - 1].texts = &column->texts;
    } else if (column->rule.kind == COLUMN_TEXT) {
        added = add_term(explainer, TERM_WORDS, numbers, column_title(column, number));
    } else {
        enum term_kind kind = column->rule.kind == COLUMN_BOOLEAN ? TERM_BOOLEAN : TERM_NUMBER;
        for (size_t i = 0; added && i < numbers; i++)
            added = add_term(explainer, kind, 1, NULL);
    }
    return added && (!column->rule.indicator || add_term(explainer, TERM_INDICATOR, 1, NULL));
}

/* Features that no schema describes are a term each. */
static bool make_terms(struct explainer *explainer)
{
    const struct model *model = explainer->model;
    explainer->term = mem_zeroed(model->features, sizeof *explainer->term);
    bool added = explainer->term != NULL;
    for (size_t i = 0; added && model->schema && i < model->schema->columns; i++)
        added = add_column(explainer, &model->schema->column[i]);
    size_t described = model->schema ? model->schema->features : 0;
    for (size_t i = described; added && i < model->features; i++)
        added = add_term(explainer, TERM_NUMBER, 1, NULL);
    return added;
}

/* ---- References and steps -------------------------------------------------------------------- */

/* Standard scaling subtracts the mean, of log(1 + x) if the logarithm is taken. */
static bool scale_has_means(const struct model *model)
{
    return model->scale.offset && (model->scale.kind == SCALE_STANDARD || model->scale.kind == SCALE_LOG);
}

/* The values that gaps are filled with are means, too. */
static void references_from_schema(const struct schema *schema, double *reference)
{
    for (size_t i = 0; i < schema->columns; i++) {
        size_t count = schema_column_features(&schema->column[i]);
        memcpy(reference, schema->column[i].fill, count * sizeof *reference);
        reference += count;
    }
}

/* Sets explainer->reference; it stays NULL if no mean is known, or all are 0, as those of sparse data. */
static bool find_references(struct explainer *explainer)
{
    const struct model *model = explainer->model;
    bool filled = model->schema && model->schema->missing == SCHEMA_MEAN && model->scale.kind != SCALE_LOG;
    bool known = false;
    if (!scale_has_means(model) && !filled)
        return true;
    double *reference = mem_zeroed(model->features, sizeof *reference);
    if (!reference)
        return false;
    if (scale_has_means(model))
        memcpy(reference, model->scale.offset, model->features * sizeof *reference);
    else
        references_from_schema(model->schema, reference);
    for (size_t j = 0; j < model->features; j++)
        known |= reference[j] != 0;
    if (known)
        explainer->reference = reference;
    else
        mem_free(reference);
    return true;
}

/* The scores of a row at the references. */
static bool sum_bases(struct explainer *explainer)
{
    const struct model *model = explainer->model;
    explainer->base = mem_alloc(model->vectors, sizeof *explainer->base);
    for (size_t v = 0; explainer->base && v < model->vectors; v++) {
        const double *weights = model->weights + v * model->features;
        double base = model->bias[v];
        for (size_t j = 0; explainer->reference && j < model->features; j++)
            base += weights[j] * explainer->reference[j];
        explainer->base[v] = base;
    }
    return explainer->base != NULL;
}

/* A feature is multiplied by its factor to bring it to a common size: the reciprocal is the step that matters. */
double explain_step(const struct model *model, size_t feature)
{
    return model->scale.factor ? 1 / model->scale.factor[feature] : 1;
}

const char *explain_step_name(const struct model *model)
{
    static const char *const names[] = {[SCALE_NONE] = "one unit of the feature",
                                        [SCALE_STANDARD] = "a standard deviation of the feature",
                                        [SCALE_MINMAX] = "the range of the feature",
                                        [SCALE_MAXABS] = "the largest absolute value of the feature",
                                        [SCALE_LOG] = "a standard deviation of log(1 + feature)",
                                        [SCALE_PIXELS] = "255 units of the feature"};
    return names[model->scale.kind];
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Everything that does not depend on rows. *out is untouched on failure. */
temper_status explainer_new(const struct model *model, struct explainer **out, temper_error *error)
{
    struct explainer *explainer = mem_zeroed(1, sizeof *explainer);
    if (!explainer)
        return error_no_memory(error);
    explainer->model = model;
    if (!name_features(explainer) || !make_terms(explainer) || !find_references(explainer) || !sum_bases(explainer)) {
        explainer_free(explainer);
        return error_no_memory(error);
    }
    *out = explainer;
    return TEMPER_OK;
}

void explainer_free(struct explainer *explainer)
{
    if (!explainer)
        return;
    for (size_t i = 0; i < explainer->terms; i++)
        mem_free(explainer->term[i].name);
    mem_free(explainer->term);
    names_free(&explainer->names);
    mem_free(explainer->reference);
    mem_free(explainer->base);
    mem_free(explainer);
}
