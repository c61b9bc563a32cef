/* crowd_priors: the parameters of the annotators, and of the priors that they share. */
#include <math.h>
#include <string.h>

#include "audit/annotators/crowd.h"
#include "base/statistics.h"

static const double LEAST_VARIANCE = 0.01, MOST_ABILITY = 12; /* in log odds */
static const double OWN_SHARE = 0.55;
static const double RAISE = 8, MOST_RAISED = 1e6; /* multiples of a strength */
enum {
    ABILITY_STEPS = 25,
    MOST_POWER = 12 /* strengths are powers of 2 up to this one, which stands for infinity */
};

/* ---- The pooled matrix ----------------------------------------------------------------------- */

/* Adds all labels by label and true class. */
static void sum_counts(const struct crowd *crowd, double *sum)
{
    const struct votes *votes = crowd->votes;
    size_t classes = crowd->classes, square = classes * classes;
    memset(sum, 0, square * sizeof *sum);
    for (size_t a = 0; crowd->count && a < crowd->annotators; a++)
        for (size_t i = 0; i < square; i++)
            sum[i] += crowd->count[a * square + i];
    if (crowd->count)
        return;
    for (size_t item = 0; item < crowd->items; item++)
        for (size_t i = votes->item_start[item]; i < votes->item_start[item + 1]; i++)
            for (size_t c = 0; c < classes; c++)
                sum[votes->of_item[i].label * classes + c] += crowd->posterior[item * classes + c];
}

/* The share of right labels among all. */
static double share_right(const struct crowd *crowd)
{
    double right = 1, all = 2;
    for (size_t i = 0; i < crowd->annotators * crowd->classes; i++) {
        right += crowd->correct[i];
        all += crowd->total[i];
    }
    return right / all;
}

/* log probability of counts with a Dirichlet prior of so many observations and this mean, of which one cell is given:
 * the logarithm of (n + s m) ... over the Gamma functions. An infinite strength has the multinomial. */
static double cell_evidence(double count, double strength, double mean)
{
    if (count <= 0)
        return 0;
    return isfinite(strength) ? log_gamma(count + strength * mean) - log_gamma(strength * mean) : count * log(mean);
}

/* The same for the sum of the cells. */
static double total_evidence(double total, double strength)
{
    return isfinite(strength) && total > 0 ? log_gamma(strength) - log_gamma(total + strength) : 0;
}

/* 2^power, or infinity. */
static double strength_of(int power)
{
    return power >= MOST_POWER ? INFINITY : ldexp(1, power);
}

/* The strength of the prior for a true class. */
static double strength_of_class(const struct crowd *crowd, double strength, size_t true_class)
{
    return strength * crowd->class_strength[true_class];
}

/* Evidence of the pooled counts, if mistakes are spread evenly but for a prior of this strength. */
static double pooled_evidence(const struct crowd *crowd, double right, double wrong, double strength)
{
    size_t classes = crowd->classes;
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        double total = 0;
        for (size_t l = 0; l < classes; l++) {
            double count = crowd->pooled_count[l * classes + c];
            total += count;
            sum += cell_evidence(count, strength, l == c ? right : wrong);
        }
        sum += total_evidence(total, strength);
    }
    return sum;
}

/* Whether another label than that of the class is the most frequent one in a column of a matrix. */
static bool is_misnamed(const double *matrix, size_t classes, size_t true_class)
{
    double own = matrix[true_class * classes + true_class];
    for (size_t l = 0; l < classes; l++)
        if (matrix[l * classes + true_class] > own)
            return true;
    return false;
}

/* Makes the label of the class the most frequent one: of two shares of which the other one is larger, it gets a little
 * more than half, since expected labels vary about their shares. */
static void keep_name(double *matrix, size_t classes, size_t true_class)
{
    double *own = &matrix[true_class * classes + true_class];
    for (size_t l = 0; l < classes; l++) {
        double *other = &matrix[l * classes + true_class];
        double sum = *other + *own;
        if (*other > *own) {
            *own = OWN_SHARE * sum;
            *other = (1 - OWN_SHARE) * sum;
        }
    }
}

bool crowd_keep_names(struct crowd *crowd)
{
    bool raised = false;
    sum_counts(crowd, crowd->pooled_count);
    for (size_t c = 0; c < crowd->classes; c++)
        if (is_misnamed(crowd->pooled_count, crowd->classes, c) && crowd->class_strength[c] < MOST_RAISED) {
            crowd->class_strength[c] *= RAISE;
            raised = true;
        }
    return raised;
}

/* The matrix of all annotators together. It is drawn towards one accuracy for all classes with mistakes that are spread
 * evenly, as strongly as the counts suggest. */
static void pool_matrix(struct crowd *crowd)
{
    size_t classes = crowd->classes;
    double right = classes > 1 ? share_right(crowd) : 1, wrong = classes > 1 ? (1 - right) / (double)(classes - 1) : 0;
    double best = -INFINITY, strength = INFINITY;
    sum_counts(crowd, crowd->pooled_count);
    for (int power = MOST_POWER; power >= 1; power--) {
        double evidence = pooled_evidence(crowd, right, wrong, strength_of(power));
        if (evidence > best) {
            best = evidence;
            strength = strength_of(power);
        }
    }
    for (size_t c = 0; c < classes; c++) {
        double total = 0;
        for (size_t l = 0; l < classes; l++)
            total += crowd->pooled_count[l * classes + c];
        for (size_t l = 0; l < classes; l++) {
            double count = crowd->pooled_count[l * classes + c], mean = l == c ? right : wrong;
            crowd->pooled[l * classes + c] = isfinite(strength) ? (count + strength * mean) / (total + strength) : mean;
        }
        keep_name(crowd->pooled, classes, c);
        for (size_t l = 0; l < classes; l++)
            crowd->log_pooled[l * classes + c] = log(crowd->pooled[l * classes + c]);
    }
}

/* ---- Abilities ------------------------------------------------------------------------------- */

/* log(1 + p (e^b - 1)), the normaliser of a column whose diagonal p is tilted by b. */
static double tilt_norm(double p, double ability)
{
    return log1p(p * expm1(ability));
}

/* Slope and curvature of the log posterior of an ability. */
static double ability_slope(const struct crowd *crowd, size_t annotator, double ability, double *curvature)
{
    size_t classes = crowd->classes;
    double slope = -(ability - crowd->mean) / crowd->variance;
    *curvature = -1 / crowd->variance;
    for (size_t c = 0; c < classes; c++) {
        double p = crowd->pooled[c * classes + c];
        double right = exp(log(p) + ability - tilt_norm(p, ability));
        double total = crowd->total[annotator * classes + c];
        slope += crowd->correct[annotator * classes + c] - total * right;
        *curvature -= total * right * (1 - right);
    }
    return slope;
}

/* The ability with the largest posterior: the problem is concave, and steps are limited. */
static void fit_ability(struct crowd *crowd, size_t annotator)
{
    double ability = crowd->ability[annotator], curvature;
    for (int i = 0; i < ABILITY_STEPS; i++) {
        double step = -ability_slope(crowd, annotator, ability, &curvature) / curvature;
        step = fmin(fmax(step, -1), 1);
        ability = fmin(fmax(ability + step, -MOST_ABILITY), MOST_ABILITY);
        if (fabs(step) < 1e-10)
            break;
    }
    ability_slope(crowd, annotator, ability, &curvature);
    crowd->ability[annotator] = ability;
    crowd->ability_variance[annotator] = -1 / curvature;
}

/* Normalisers of the tilted columns of an annotator. */
static void fill_norms(struct crowd *crowd, size_t annotator)
{
    size_t classes = crowd->classes;
    for (size_t c = 0; c < classes; c++)
        crowd->log_norm[annotator * classes + c] = tilt_norm(crowd->pooled[c * classes + c], crowd->ability[annotator]);
}

/* All abilities, then their mean and variance: one step of EM, in which a normal distribution of variance 1 counts as
 * one annotator more. */
static void fit_abilities(struct crowd *crowd)
{
    double sum = 0, square = 1, n = (double)crowd->annotators;
    for (size_t a = 0; a < crowd->annotators; a++) {
        fit_ability(crowd, a);
        fill_norms(crowd, a);
        sum += crowd->ability[a];
    }
    crowd->mean = sum / n;
    for (size_t a = 0; a < crowd->annotators; a++) {
        double away = crowd->ability[a] - crowd->mean;
        square += away * away + crowd->ability_variance[a];
    }
    crowd->variance = fmax(square / (n + 1), LEAST_VARIANCE);
}

double crowd_prior_mean(const struct crowd *crowd, size_t annotator, size_t true_class, size_t given)
{
    size_t classes = crowd->classes;
    double tilt = given == true_class ? crowd->ability[annotator] : 0;
    return exp(crowd->log_pooled[given * classes + true_class] + tilt -
               crowd->log_norm[annotator * classes + true_class]);
}

/* ---- Strength -------------------------------------------------------------------------------- */

/* log probability of the labels of all annotators, the matrices being integrated out: Dirichlet-multinomial. */
static double matrix_evidence(const struct crowd *crowd, double strength)
{
    size_t classes = crowd->classes;
    double sum = 0;
    for (size_t a = 0; a < crowd->annotators; a++)
        for (size_t c = 0; c < classes; c++) {
            double total = crowd->total[a * classes + c];
            double of_class = strength_of_class(crowd, strength, c);
            sum += total_evidence(total, of_class);
            for (size_t l = 0; l < classes && total > 0; l++) {
                double count = crowd->count[(a * classes + l) * classes + c];
                if (count > 0)
                    sum += cell_evidence(count, of_class, crowd_prior_mean(crowd, a, c, l));
            }
        }
    return sum;
}

/* The strength under which the labels are the most probable, among powers of 2 and infinity: all at first, then those
 * next to the present one. */
static void fit_strength(struct crowd *crowd)
{
    double best = -INFINITY;
    int from = MOST_POWER, to = 1;
    if (!crowd->count)
        return;
    if (crowd->iterations > 0) {
        int now = isfinite(crowd->strength) ? (int)lround(log2(crowd->strength)) : MOST_POWER;
        from = now < MOST_POWER ? now + 1 : MOST_POWER;
        to = now > 1 ? now - 1 : 1;
    }
    for (int power = from; power >= to; power--) {
        double evidence = matrix_evidence(crowd, strength_of(power));
        if (evidence > best) {
            best = evidence;
            crowd->strength = strength_of(power);
        }
    }
}

void crowd_pool(struct crowd *crowd)
{
    pool_matrix(crowd);
    fit_abilities(crowd);
    fit_strength(crowd);
}

/* ---- The M-step ------------------------------------------------------------------------------ */

/* The matrix of an annotator at the largest posterior, and its log prior. */
static double maximise_matrix(struct crowd *crowd, size_t annotator)
{
    size_t classes = crowd->classes;
    const double *count = crowd->count + annotator * classes * classes;
    double *out = crowd->log_matrix + annotator * classes * classes, penalty = 0;
    for (size_t c = 0; c < classes; c++) {
        double strength = strength_of_class(crowd, crowd->strength, c);
        double total = crowd->total[annotator * classes + c] + strength;
        for (size_t l = 0; l < classes; l++) {
            double mass = strength * crowd_prior_mean(crowd, annotator, c, l);
            out[l * classes + c] = log((count[l * classes + c] + mass) / total);
            penalty += mass * out[l * classes + c];
        }
    }
    return penalty;
}

void crowd_maximise(struct crowd *crowd)
{
    crowd->penalty = 0;
    for (size_t a = 0; a < crowd->annotators; a++) {
        if (isfinite(crowd->strength)) {
            crowd->penalty += maximise_matrix(crowd, a);
            continue;
        }
        fit_ability(crowd, a);
        fill_norms(crowd, a);
        double away = crowd->ability[a] - crowd->mean;
        crowd->penalty -= away * away / (2 * crowd->variance);
    }
}

double crowd_confusion(const struct crowd *crowd, size_t annotator, size_t true_class, size_t given)
{
    size_t classes = crowd->classes;
    double mean = crowd_prior_mean(crowd, annotator, true_class, given);
    if (!isfinite(crowd->strength))
        return mean;
    double count = crowd->count[(annotator * classes + given) * classes + true_class];
    double strength = strength_of_class(crowd, crowd->strength, true_class);
    return (count + strength * mean) / (crowd->total[annotator * classes + true_class] + strength);
}
