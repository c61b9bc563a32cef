/* run_made: small problems to train on, and by definition what training is to make of them. */
#ifndef TEST_RUN_MADE_H
#define TEST_RUN_MADE_H

#include "archive.h"
#include "model/model.h"
#include "temper.h"

/* Whole numbers from 0 to 8, half of them 0; the classes 0, 1, 2... follow them through a linear
 * rule, but for every seventh row, whose label is drawn. No weights, no names. */
struct dataset *made_data(enum matrix_kind kind, size_t rows, size_t columns, size_t classes);
/* Two columns, in doubles; labels[i] is the name of the class of points i. */
struct dataset *made_points(size_t rows, const double *xy, const char *const *labels);

const temper_data *made_public(const struct dataset *data);
const struct model *made_inside(const temper_model *model);

/* Defaults, on one thread. */
temper_train_options made_options(void);
/* Must work; NULL, and a failed check, if it does not. `report` may be NULL. */
temper_model *made_train(const struct dataset *data, temper_train_options options,
                         temper_train_report *report);
/* The same; `model` may be NULL. */
temper_tune_report made_tune(const struct dataset *data, temper_tune_options options,
                             temper_model **model);
/* Must be refused, with these words in the message, and leave its outputs alone. */
void made_refused(const struct dataset *data, temper_train_options options, temper_status wanted,
                  const char *words);

/* The average precision of a ranking of all rows, of which some are wrong. */
double made_precision(const temper_audit_report *report, const bool *wrong, size_t rows);

/* What temper_model_save writes. */
struct blob made_bytes(const temper_model *model);
bool made_same_bytes(const temper_model *a, const temper_model *b);

/* J of the model's weights times `times`, row by row, and the gradient by the weights of scaled
 * features, [vector][feature], then the intercepts (0 if the model has none). */
double made_objective(const struct model *model, double times, const struct dataset *data,
                      double *gradient);
/* |gradient| of that, relative to |gradient| at 0. */
double made_gradient(const struct model *model, const struct dataset *data);

/* A follower, whose context is this; stops after so many calls, but for those at the start of a
 * phase. */
struct made_stop {
    size_t after, calls;
    temper_progress last;
};
int made_follow(void *context, const temper_progress *progress);

#endif
