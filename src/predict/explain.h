/* explain: the score of a row as a sum of contributions of its features, and the effects of features on scores. */
#ifndef PREDICT_EXPLAIN_H
#define PREDICT_EXPLAIN_H

#include "data/dataset.h"
#include "model/model.h"
#include "temper_explain.h"

/* What a row is explained by: one feature, or all features of a column of categories or of words. */
enum term_kind { TERM_NUMBER, TERM_BOOLEAN, TERM_CATEGORY, TERM_WORDS, TERM_INDICATOR };

struct explain_term {
    enum term_kind kind;
    char *name;
    size_t first, count;       /* features */
    const struct names *texts; /* of a category, borrowed from the model */
};

/* Handed to the caller as a temper_explainer. */
struct explainer {
    const struct model *model; /* borrowed */
    struct explain_term *term;
    size_t terms;
    struct names names; /* of the features, for people */
    double *reference;  /* of each feature, as the weights apply to it; NULL: all are 0 */
    double *base;       /* of each weight vector: the score of a row at the references */
};

temper_status explainer_new(const struct model *model, struct explainer **out, temper_error *error);
/* Accepts NULL, and an explainer that is not complete. */
void explainer_free(struct explainer *explainer);

/* The step of feature `feature` that an effect is for, in the unit of its values; and its name. */
double explain_step(const struct model *model, size_t feature);
const char *explain_step_name(const struct model *model);

/* The public calls of the same names, after their arguments were checked. */
void explain_model(const struct explainer *explainer, size_t vector, size_t top, temper_effect *list, size_t *count);
temper_status explain_rows(const struct explainer *explainer, const struct matrix *x, size_t threads,
                           const temper_explanation *to, temper_error *error);
temper_status contributions(const struct explainer *explainer, const struct matrix *x, size_t threads, double *out,
                            temper_error *error);

#endif
