/* crowd: the true classes of items that several annotators have labelled, by the EM of Dawid and Skene (1979).
 *
 * An item of true class c gets label l from annotator a with probability T_a[c][l], independently of the other
 * annotators. T_a has a Dirichlet prior of `strength` observations for each true class, whose mean is
 *     pooled[c][l] * exp(ability_a * [l = c]) / normaliser:
 * the matrix of all annotators together, with a diagonal that is tilted by the ability of this one. So an annotator
 * with few labels is described by its ability alone (a one-coin model, with the pattern of mistakes of all
 * annotators), and one with many labels by a matrix of its own. Abilities have a normal prior. The mean and the
 * variance of that prior, the pooled matrix and the strength are estimated from the votes (empirical Bayes); an
 * infinite strength is the one-coin model. Given these, EM does not lower the log posterior.
 *
 * EM starts from the shares of the votes (majority vote). So that classes keep their names, items of a class must get
 * its label more often than any other one, over all annotators: the pooled matrix is made so, and where the expected
 * labels are not, the strength of that class is raised until they are. */
#ifndef AUDIT_CROWD_H
#define AUDIT_CROWD_H

#include "audit/annotators/row_prior.h"
#include "data/votes/votes.h"

struct crowd {
    const struct votes *votes;
    size_t items, annotators, classes, threads;
    bool *has_votes; /* of each item */
    bool one_coin;   /* abilities only, on request or because matrices would be too large */
    struct row_prior prior;
    double *posterior; /* [item * classes + true] */

    /* The annotators. Matrices are [given * classes + true], so that a vote adds `classes` adjacent numbers. */
    double *pooled, *log_pooled;
    double *pooled_count;               /* expected labels of all annotators together */
    double *ability, *ability_variance; /* of each annotator */
    double mean, variance;              /* of the abilities */
    double strength;
    double *class_strength;  /* the strength of each true class, as a multiple of that */
    double *correct, *total; /* expected labels of each annotator and true class: right ones, and all */
    double *log_norm;        /* log of the normaliser of each annotator and true class */
    double *count;           /* expected labels, one matrix for each annotator; NULL with one_coin */
    double *log_matrix;      /* log T_a; used if the strength is finite */

    double penalty;   /* log prior of the annotators' parameters */
    double objective; /* log posterior after the last E-step */
    size_t iterations;
    double *part; /* sums of blocks of items */
};

/* Most numbers of all matrices together; beyond it, a one-coin model. */
enum { CROWD_MOST_CELLS = 1 << 25 };

/* At the majority vote. `one_coin`: abilities alone. */
temper_status crowd_new(const struct votes *votes, bool one_coin, size_t threads, struct crowd *out,
                        temper_error *error);
void crowd_free(struct crowd *crowd);
/* Estimates everything, from the present posterior on. */
temper_status crowd_fit(struct crowd *crowd, temper_error *error);

/* ---- The steps, for crowd_fit and tests -------------------------------------------------------- */

/* Posterior of every item, and the objective. */
temper_status crowd_expect(struct crowd *crowd, temper_error *error);
/* Expected labels by annotator, true class and label. */
temper_status crowd_count(struct crowd *crowd, temper_error *error);
/* Pooled matrix, abilities, and the parameters of their priors, from the counts. */
void crowd_pool(struct crowd *crowd);
/* Raises the strength of classes whose items get another label more often than theirs; false if there is none. */
bool crowd_keep_names(struct crowd *crowd);
/* The parameters of each annotator, given the priors: the M-step. */
void crowd_maximise(struct crowd *crowd);
/* T_a[c][l], a posterior mean, from the counts. */
double crowd_confusion(const struct crowd *crowd, size_t annotator, size_t true_class, size_t given);
/* The mean of its prior. */
double crowd_prior_mean(const struct crowd *crowd, size_t annotator, size_t true_class, size_t given);

#endif
