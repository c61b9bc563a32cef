/* phases: the way from the initial weights to the answers. */
#include <math.h>
#include <stdio.h>

#include "tempered/loss_family.h"
#include "train/train_state.h"

/* A hinge has a kink, which no Newton step sees. It is rounded over a width that shrinks phase by
 * phase, each beginning where the last one ended: the rounded loss is below the hinge by half the
 * width at most, so the last width bounds the error of the objective. */
static const double HINGE_FIRST = 0.5, HINGE_SHRINK = 0.2, HINGE_LEAST = 1e-6;
/* The other starts come down from stronger penalties, or up from a logistic regression. */
static const double PATH_FIRST = 100, PATH_STEP = 0.1;
enum { PATH_STEPS = 2 };

static struct phase *add(struct training_run *t, const char *name)
{
    struct phase *phase = &t->phase[t->phases++];
    *phase = (struct phase){.loss = t->loss, .l2 = t->l2};
    snprintf(phase->name, sizeof phase->name, "%s", name);
    return phase;
}

static void add_short(struct training_run *t, const char *name, bool goes_on, size_t most)
{
    struct phase *phase = add(t, name);
    phase->goes_on = goes_on;
    phase->most = most;
}

/* Matrices of classes are made anew after more and more iterations, as long as the limit of the
 * user leaves something to do in them: near the end they change no more. */
static void add_again(struct training_run *t, const char *name)
{
    size_t n = t->size / objective_vectors(t->objective), done = FIRST_PRECONDITIONER;
    for (size_t most = SECOND_PRECONDITIONER; most <= LAST_PRECONDITIONER; most *= 2) {
        done += most;
        if (!preconditioner_by_class(t->data, t->loss, n) || t->options->max_iterations <= done)
            return;
        add_short(t, name, true, most);
        t->phase[t->phases - 1].bends = true;
    }
}

/* A phase that answers. Many classes in a metric: a few iterations in that of W = 0, then on in
 * that of where they have come to, which halves what is left; for two classes it would not pay.
 * Convex losses whose pilot has been there need not go that way again. */
static void add_whitened(struct training_run *t, const char *name, bool goes_on)
{
    bool twice = t->whiten && (!t->lent || t->lent->first.factor) && t->data->classes.count > 2 &&
                 loss_is_two_temperature(t->loss);
    if (twice) {
        add_short(t, name, goes_on, FIRST_PRECONDITIONER);
        add_again(t, name);
    }
    struct phase *phase = add(t, name);
    phase->goes_on = goes_on || twice;
    phase->bends = twice;
    phase->answers = true;
}

static void add_hinge(struct training_run *t)
{
    double last = fmax(HINGE_LEAST, fmin(t->options->tolerance, HINGE_FIRST)), width = HINGE_FIRST;
    for (bool goes_on = false; t->phases + 1 < MOST_PHASES; goes_on = true) {
        struct phase *phase = add(t, "hinge");
        width = fmax(width, last);
        phase->loss.smoothing = width;
        phase->goes_on = goes_on;
        phase->answers = width <= last;
        if (phase->answers)
            break;
        width *= HINGE_SHRINK;
    }
    t->phase[t->phases - 1].answers = true;
}

static void add_logistic_start(struct training_run *t)
{
    struct phase *phase = add(t, "start 2: logistic");
    phase->loss = (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1};
    add_whitened(t, "start 2", true);
}

static void add_path_start(struct training_run *t)
{
    double l2 = (t->l2 > 0 ? t->l2 : 1e-6) * PATH_FIRST;
    for (int i = 0; i < PATH_STEPS; i++) {
        struct phase *phase = add(t, "start 3: strong l2");
        phase->l2 = l2;
        phase->goes_on = i > 0;
        l2 *= PATH_STEP;
    }
    add_whitened(t, "start 3", true);
}

void schedule_fill(struct training_run *t)
{
    bool convex_hinge = t->loss.method == TEMPER_HINGE;
    if (convex_hinge && t->loss.smoothing == 0) {
        add_hinge(t); /* one optimum: other starts would find the same */
        return;
    }
    add_whitened(t, t->options->starts > 1 ? "start 1" : "train", false);
    if (t->options->starts > 1)
        add_logistic_start(t);
    if (t->options->starts > 2)
        add_path_start(t);
}
