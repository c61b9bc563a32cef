/* noise_pilot: predictions of each half of the rows by a fit to the other half, and the matrix of label noise that
 * follows from them. */
#ifndef TRAIN_NOISE_PILOT_H
#define TRAIN_NOISE_PILOT_H

#include "data/dataset.h"

struct noise_pilot {
    size_t rows;
    uint32_t *half;      /* of each row: 0 or 1 */
    uint32_t *predicted; /* class of each row, by the fit that has not seen it */
    double *confidence;  /* the lead of that class */
    bool at_chance;      /* the estimate has found that the predictions are no better than chance */
};

/* Draws the halves. */
temper_status noise_pilot_new(const struct dataset *data, uint64_t seed, struct noise_pilot **out, temper_error *error);
void noise_pilot_free(struct noise_pilot *pilot);

/* Takes the predictions of one half from the scores of all rows, score[row * vectors + k]. */
void noise_pilot_predict(struct noise_pilot *pilot, uint32_t half, const double *score, size_t vectors);

/* The rows as they were given. */
struct labelled_rows {
    const uint32_t *label;
    const double *weight;
    size_t classes;
};

/* table[given * classes + true] = P(given label | true class), all above 0; the label of a class is the most probable
 * one. Sets pilot->at_chance, where the rows say nothing about the noise. */
temper_status noise_pilot_estimate(struct noise_pilot *pilot, const struct labelled_rows *rows, double *table,
                                   temper_error *error);

#endif
