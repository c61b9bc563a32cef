/* noise_em: expectation maximisation on a sample of some thousand rows: uniform noise first, then a full transition
 * table, which is kept if it is much likelier. */
#include "audit/noise_em.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
    SAMPLE_CELLS = 250000, /* rows times classes of the sample */
    ITERATIONS = 400,
    SHARPENINGS = 8, /* Newton steps of the sharpness for each rate */
    SECTIONS = 16,   /* of the golden-section search of the rate */
    PRIOR_ROWS = 10, /* pseudo-rows of uniform noise in each class, which shrink the estimates of rare classes */
};

static const double FIRST_RATE = 0.2, FIRST_SPREAD = 2, CONVERGED = 1e-8, LEAST_RATE = 1e-5;
/* A share s of a class's rows in a cell is reduced to s^2 / (s + this): a model that confuses two classes leaves some
 * thousandths in their cells. */
static const double CONFUSION = 0.01;
/* Nats per row by which a table has to be likelier than uniform noise. Under uniform noise it gains up to 0.02 by
 * blaming the labels for the model's confusions, up to 0.05 between very similar classes; 20 % of pairwise noise gain
 * 0.3. */
static const double PAIRS_GAIN = 0.08;

/* Sums over the rows of one iteration, and the workspace of one row. */
struct em_sums {
    double likelihood, slope;
    double curvature; /* of the function that the M step maximises */
    double observed;  /* of the likelihood itself, which is far smaller where labels contain little information */
    double *joint;    /* [true * classes + given]: expected rows */
    double *prior;    /* [classes], of one row */
};

/* p(given | true class): a cell of the table, or uniform noise. */
static double transition_of(const struct noise_em *model, size_t true_class, uint32_t given)
{
    if (model->transition)
        return model->transition[true_class * model->classes + given];
    return true_class == given ? 1 - model->rate : model->rate / (double)(model->classes - 1);
}

/* log(sum exp a[i]), relative to the largest, so that nothing overflows. */
static double log_sum_exp(const double *a, size_t n)
{
    double top = a[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        top = fmax(top, a[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(a[i] - top);
    return top + log(sum);
}

/* The prior softmax(sharpness * evidence) is not normalised: the normaliser is a constant of the row. */
double noise_em_row(const struct noise_em *model, const double *evidence, uint32_t given, double *out)
{
    for (size_t c = 0; c < model->classes; c++)
        out[c] = model->sharpness * evidence[c] + log(transition_of(model, c, given));
    return log_sum_exp(out, model->classes);
}

/* The largest rate considered. At (C - 1) / C, labels are independent of the true class; beyond, a label would be
 * evidence against its class. */
static double most_rate(size_t classes)
{
    return 0.98 * (double)(classes - 1) / (double)classes;
}

/* ---- One iteration --------------------------------------------------------------------------- */

/* The E step of one row: adds its posterior to the joint counts, and the derivatives of its log likelihood by the
 * sharpness: the slope is the posterior mean of the evidence less its prior mean, the curvatures are variances. */
static void add_row(const struct noise_em *model, const double *evidence, uint32_t given, struct em_sums *sums)
{
    size_t classes = model->classes;
    double mean = 0, square = 0, post = 0, post_square = 0, total = 0, top = evidence[0], normaliser = 0;
    double *prior = sums->prior;
    /* Evidence relative to its largest value, so that the exponentials do not overflow. */
    for (size_t c = 1; c < classes; c++)
        top = fmax(top, evidence[c]);
    for (size_t c = 0; c < classes; c++) {
        prior[c] = exp(model->sharpness * (evidence[c] - top));
        normaliser += prior[c];
    }
    for (size_t c = 0; c < classes; c++) {
        double x = evidence[c] - top;
        prior[c] /= normaliser;
        mean += prior[c] * x;
        square += prior[c] * x * x;
        prior[c] *= transition_of(model, c, given);
        total += prior[c];
        post += prior[c] * x;
        post_square += prior[c] * x * x;
    }
    sums->likelihood += log(total);
    sums->slope += post / total - mean;
    sums->curvature += square - mean * mean;
    sums->observed += square - mean * mean - (post_square / total - post / total * (post / total));
    for (size_t c = 0; c < classes; c++)
        sums->joint[c * classes + given] += prior[c] / total;
}

/* Fills the sums over an evenly spread sample of the rows. */
static void sum_rows(const struct noise_em_rows *rows, const struct noise_em *model, struct em_sums *sums)
{
    /* An iteration costs rows times classes, which this bounds. */
    size_t most = SAMPLE_CELLS / rows->classes + 1000;
    size_t count = rows->rows < most ? rows->rows : most;
    *sums = (struct em_sums){.joint = sums->joint, .prior = sums->prior};
    memset(sums->joint, 0, rows->classes * rows->classes * sizeof *sums->joint);
    for (size_t i = 0; i < count; i++) {
        size_t row = i * rows->rows / count;
        add_row(model, rows->evidence + row * rows->classes, rows->given[row], sums);
    }
    sums->likelihood /= (double)count;
}

/* A Newton step of the sharpness, with at least a share of the EM curvature where the likelihood is not concave, and
 * at most a factor of 2. */
static void update_sharpness(struct noise_em *model, const struct em_sums *sums)
{
    /* The observed information may be near 0 or negative, where a Newton step would be far too long. */
    double curvature = fmax(sums->observed, 0.02 * sums->curvature);
    double step = curvature > 0 ? sums->slope / curvature : 0;
    model->sharpness *= fmin(fmax(1 + step / model->sharpness, 0.5), 2);
}

/* The M step of one line of the table. No cell becomes 0, since EM could never raise it again. */
static void update_line(struct noise_em *model, const double *joint, size_t class)
{
    size_t classes = model->classes;
    double *line = model->transition + class * classes;
    double rows = 0, uniform = model->rate / (double)(classes - 1), off = 0;
    for (size_t g = 0; g < classes; g++)
        rows += joint[g];
    for (size_t g = 0; g < classes; g++) {
        /* The share with pseudo-rows of uniform noise, then shrunk by CONFUSION. */
        double share = (joint[g] + PRIOR_ROWS * uniform) / (rows + PRIOR_ROWS);
        line[g] = fmax(share * share / (share + CONFUSION), 0.05 * uniform);
        off += g == class ? 0 : line[g];
    }
    line[class] = fmax(1 - off, LEAST_RATE);
}

/* The M step: sharpness by a Newton step, the rate as the expected share of wrong labels, and the lines of the
 * table. */
static void update(struct noise_em *model, const struct em_sums *sums)
{
    size_t classes = model->classes;
    double all = 0, right = 0;
    update_sharpness(model, sums);
    for (size_t c = 0; c < classes; c++)
        for (size_t g = 0; g < classes; g++) {
            all += sums->joint[c * classes + g];
            right += c == g ? sums->joint[c * classes + g] : 0;
        }
    model->rate = fmin(fmax(1 - right / all, LEAST_RATE), most_rate(classes));
    for (size_t c = 0; c < classes; c++)
        update_line(model, sums->joint + c * classes, c);
}

/* EM iterations from the table and sharpness of `model`, until the mean log likelihood changes by less than
 * CONVERGED; returns it. */
static double maximise_table(const struct noise_em_rows *rows, struct noise_em *model, struct em_sums *sums)
{
    double before = -INFINITY;
    for (size_t i = 0; i < ITERATIONS; i++) {
        sum_rows(rows, model, sums);
        if (fabs(sums->likelihood - before) <= CONVERGED)
            break;
        before = sums->likelihood;
        update(model, sums);
    }
    return sums->likelihood;
}

/* ---- Uniform noise --------------------------------------------------------------------------- */

/* The profile likelihood of uniform noise at a rate: the sharpness is maximised by Newton steps from that of the
 * last call. The rate is given by its log odds relative to the largest one. */
static double uniform_likelihood(const struct noise_em_rows *rows, struct noise_em *model, double log_odds,
                                 struct em_sums *sums)
{
    double before = -INFINITY;
    model->rate = most_rate(model->classes) / (1 + exp(-log_odds));
    for (size_t i = 0; i < SHARPENINGS; i++) {
        sum_rows(rows, model, sums);
        if (fabs(sums->likelihood - before) <= CONVERGED)
            break;
        before = sums->likelihood;
        update_sharpness(model, sums);
    }
    return sums->likelihood;
}

/* Golden-section search of the profile likelihood over the rate. EM would need many iterations where classes
 * overlap: its steps shrink with the share of missing information. */
static double maximise_uniform(const struct noise_em_rows *rows, struct noise_em *model, struct em_sums *sums)
{
    const double golden = 0.6180339887498949;
    double from = -9, to = 6, left = to - golden * (to - from), right = from + golden * (to - from);
    double at_left = uniform_likelihood(rows, model, left, sums);
    double at_right = uniform_likelihood(rows, model, right, sums);
    for (size_t i = 0; i < SECTIONS; i++) {
        if (at_left > at_right) {
            to = right;
            right = left;
            at_right = at_left;
            left = to - golden * (to - from);
            at_left = uniform_likelihood(rows, model, left, sums);
        } else {
            from = left;
            left = right;
            at_left = at_right;
            right = from + golden * (to - from);
            at_right = uniform_likelihood(rows, model, right, sums);
        }
    }
    return uniform_likelihood(rows, model, at_left > at_right ? left : right, sums);
}

/* ---- Both models ----------------------------------------------------------------------------- */

/* The sharpness at which evidence of any unit has the same spread. */
static double first_sharpness(const struct noise_em_rows *rows)
{
    double sum = 0;
    for (size_t row = 0; row < rows->rows; row++) {
        const double *evidence = rows->evidence + row * rows->classes;
        double mean = 0, square = 0;
        for (size_t c = 0; c < rows->classes; c++) {
            mean += evidence[c] / (double)rows->classes;
            square += evidence[c] * evidence[c] / (double)rows->classes;
        }
        sum += fmax(square - mean * mean, 0);
    }
    /* The root mean square deviation of the evidence within a row. */
    double spread = sqrt(sum / (double)rows->rows);
    return spread > 0 ? FIRST_SPREAD / spread : 1;
}

/* Fits uniform noise, then, unless `table` is NULL, a transition table. The table starts from uniform noise of at
 * least half of FIRST_RATE, since EM leaves cells near 0 slowly. `table` belongs to *model only if it is kept. */
static void fit_both(const struct noise_em_rows *rows, struct em_sums *sums, double *table, struct noise_em *model)
{
    size_t classes = model->classes;
    if (!(model->sharpness > 0)) {
        model->sharpness = first_sharpness(rows);
        model->rate = FIRST_RATE;
    }
    model->uniform = model->likelihood = maximise_uniform(rows, model, sums);
    if (!table)
        return;
    struct noise_em pairs = *model;
    /* Not below half of FIRST_RATE, so that every cell can grow. */
    pairs.rate = fmax(pairs.rate, FIRST_RATE / 2);
    for (size_t c = 0; c < classes; c++)
        for (size_t g = 0; g < classes; g++)
            table[c * classes + g] = transition_of(&pairs, c, (uint32_t)g);
    pairs.transition = table;
    pairs.likelihood = maximise_table(rows, &pairs, sums);
    pairs.in_pairs = pairs.likelihood - model->uniform >= PAIRS_GAIN;
    if (pairs.in_pairs)
        *model = pairs;
}

/* A table that is not much likelier than uniform noise is dropped: its many cells would add variance, and explain
 * confusions of the model as noise. */
temper_status noise_em_fit(const struct noise_em_rows *rows, struct noise_em *out, temper_error *error)
{
    size_t classes = rows->classes, cells;
    bool with_table = classes <= NOISE_CLASSES;
    if (!mul_size(classes, classes, &cells))
        return error_no_memory(error);
    struct noise_em model = {.classes = classes, .sharpness = out->sharpness, .rate = out->rate};
    double *table = with_table ? mem_alloc(cells, sizeof *table) : NULL;
    struct em_sums sums = {.joint = mem_alloc(cells, sizeof *sums.joint),
                           .prior = mem_alloc(classes, sizeof *sums.prior)};
    temper_status status = TEMPER_OK;
    if (sums.joint && sums.prior && (table || !with_table)) {
        fit_both(rows, &sums, table, &model);
        mem_free(out->transition);
        *out = model;
    } else {
        status = error_no_memory(error);
    }
    if (!model.transition)
        mem_free(table);
    mem_free(sums.joint);
    mem_free(sums.prior);
    return status;
}

/* Leaves {0}, from which noise_em_fit can start. */
void noise_em_free(struct noise_em *model)
{
    mem_free(model->transition);
    *model = (struct noise_em){0};
}
