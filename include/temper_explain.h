/* temper_explain: which features a model weighs most, and which of them decided the class of a row. The rules of
 * temper.h hold here too.
 *
 * The score of a class is linear in the features, so that it is a sum: of a base, the score of a row whose features all
 * have their reference value, and of one contribution for each feature, its weight times the distance of its value from
 * the reference. References are the means of the training rows where the model has them, and 0 otherwise. */
#ifndef TEMPER_EXPLAIN_H
#define TEMPER_EXPLAIN_H

#include "temper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Explanation ------------------------------------------------------------------------------------------------- */

/* The names and reference values of the features of a model, which it borrows: the model must outlive it. */
typedef struct temper_explainer temper_explainer;

TEMPER_API temper_status temper_explainer_new(const temper_model *model, temper_explainer **explainer,
                                              temper_error *error);
TEMPER_API void temper_explainer_free(temper_explainer *explainer);

/* The step of a feature that its effect is for: "a standard deviation", "the range of the feature", "one unit". */
TEMPER_API const char *temper_explainer_step(const temper_explainer *explainer);
/* 1: references are the means of the training rows; 0: they are 0. */
TEMPER_API int temper_explainer_has_means(const temper_explainer *explainer);
/* What a row is explained by: features, where all those of one column of categories, or of the words of one column of
 * text, are a single term. */
TEMPER_API size_t temper_explainer_terms(const temper_explainer *explainer);
TEMPER_API const char *temper_explainer_term(const temper_explainer *explainer, size_t term);

/* What a feature does to the score of a class, all others being equal. */
typedef struct temper_effect {
    size_t feature;   /* from 0 */
    const char *name; /* "age", "colour = red", "age is missing", "feature 3"; valid as long as the explainer */
    double weight;    /* of one unit of the feature, as in the data */
    double step;      /* the step in that unit: its standard deviation, or the like */
    double effect;    /* weight * step */
} temper_effect;

/* The `top` features of a weight vector with the largest effects, in descending order of their absolute values; those
 * of weight 0 are left out. Fills list[top], and sets *count to how many there are. A vector is that of a class or, for
 * two classes, the only one, whose positive effects are in favour of class 1. */
TEMPER_API temper_status temper_explain_model(const temper_explainer *explainer, size_t vector, size_t top,
                                              temper_effect *list, size_t *count, temper_error *error);

/* What a term does to the decision on a row. */
typedef struct temper_contribution {
    size_t term;
    const char *name; /* of the term: "age", "colour", "age is missing" */
    const char *text; /* its value, of a category or a truth value: "red", "yes"; NULL: it is the number `value` */
    double value;     /* as in the data; NAN for words of a text */
    double contribution;
} temper_contribution;

typedef struct temper_row_explanation {
    size_t predicted, runner_up; /* the classes of the largest and of the second largest score */
    double margin;               /* by which the score of `predicted` is the larger one */
    double base;                 /* the same of a row with all features at their references */
    double rest;                 /* sum of the contributions that are not listed: base + listed + rest = margin */
    size_t count;                /* how many are listed */
} temper_row_explanation;

/* Arrays of the caller, which temper_explain_rows fills. */
typedef struct temper_explanation {
    size_t top;                   /* how many contributions to list for a row */
    temper_row_explanation *rows; /* [rows] */
    temper_contribution *list;    /* [rows * top] */
} temper_explanation;

/* Explains every row by its terms: those of row r with the largest contributions to its margin are listed from
 * list[r * top], in descending order of their absolute values; those of 0 are left out. */
TEMPER_API temper_status temper_explain_rows(const temper_explainer *explainer, const temper_data *data, size_t threads,
                                             const temper_explanation *explanation, temper_error *error);

/* The contribution of every feature to every score: out[(row * vectors + vector) * (features + 1) + feature]; the last
 * number of each list is the base. Their sum is the score, as TEMPER_PREDICT_DECISIONS has it. */
TEMPER_API temper_status temper_contributions(const temper_model *model, const temper_data *data, size_t threads,
                                              double *out, temper_error *error);

#ifdef __cplusplus
}
#endif

#endif
