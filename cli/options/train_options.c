/* training: from the command line to the options of a training. */
#include "options/train_options.h"

#include <math.h>
#include <string.h>

#include "message.h"
#include "options/data_options.h"
#include "options/options.h"

static const double usual_t_logistic = 1.6; /* at 1 it would be plain logistic regression */

/* ---- The loss -------------------------------------------------------------------------------- */

static bool is_auto(const struct arguments *arguments, enum option_id id)
{
    return was_given(arguments, id) && strcmp(text_of(arguments, id), "auto") == 0;
}

bool training_is_automatic(const struct arguments *arguments)
{
    return is_auto(arguments, OPT_T1) || is_auto(arguments, OPT_T2);
}

/* A temperature that the method fixes cannot be another one. */
static temper_status check_fixed(const struct arguments *arguments, enum option_id id, double fixed, const char *method)
{
    const char *name = option_table[id].name;
    if (!was_given(arguments, id) || isnan(fixed) || (!is_auto(arguments, id) && number_of(arguments, id) == fixed))
        return TEMPER_OK;
    return complain(TEMPER_USAGE, "train: loss %s has %s = %g; drop --%s, or pass --loss tempered", method, name, fixed,
                    name);
}

static temper_status check_hinge(const struct arguments *arguments, bool hinge, const char *method)
{
    if (hinge && (was_given(arguments, OPT_T1) || was_given(arguments, OPT_T2)))
        return complain(TEMPER_USAGE,
                        "train: loss hinge has no temperatures; drop --%s, or pass "
                        "--loss tempered",
                        was_given(arguments, OPT_T1) ? "t1" : "t2");
    if (!hinge && was_given(arguments, OPT_SMOOTHING))
        return complain(TEMPER_USAGE,
                        "train: --smoothing means nothing to loss %s; drop it, or pass "
                        "--loss hinge",
                        method);
    return TEMPER_OK;
}

/* Where value or slope are unbounded, a single row would decide everything. */
static temper_status check_trainable(temper_loss_spec loss)
{
    if (loss.method == TEMPER_HINGE || loss.method == TEMPER_BREGMAN || temper_loss_shape(loss.t1, loss.t2).smooth)
        return TEMPER_OK;
    if (loss.t1 >= 1)
        return complain(TEMPER_USAGE,
                        "train: at t1 = %g, t2 = %g the loss of a row can be infinite; give "
                        "--t2 1 or more, or --t1 0 to %g",
                        loss.t1, loss.t2, loss.t2);
    return complain(TEMPER_USAGE,
                    "train: at t1 = %g, t2 = %g the slope of the loss has no bound; give --t2 %g "
                    "or more, or --t1 0 to %g",
                    loss.t1, loss.t2, loss.t1, loss.t2);
}

static temper_status read_loss(const struct arguments *arguments, temper_loss_spec *loss)
{
    static const struct {
        double t1, t2;
    } fixed[] = {
#define FIXED_ROW(name, word, t1, t2, text) {t1, t2},
        TEMPER_METHOD_LIST(FIXED_ROW)
#undef FIXED_ROW
    };
    const char *method = text_of(arguments, OPT_LOSS);
    temper_method_find(method, &loss->method); /* the parser knows all names */
    if (!is_auto(arguments, OPT_T1))
        loss->t1 = number_of(arguments, OPT_T1);
    if (was_given(arguments, OPT_T2) && !is_auto(arguments, OPT_T2))
        loss->t2 = number_of(arguments, OPT_T2);
    else if (loss->method == TEMPER_T_LOGISTIC)
        loss->t2 = usual_t_logistic;
    if (was_given(arguments, OPT_SMOOTHING))
        loss->smoothing = number_of(arguments, OPT_SMOOTHING);
    temper_status status = check_fixed(arguments, OPT_T1, fixed[loss->method].t1, method);
    if (status == TEMPER_OK)
        status = check_fixed(arguments, OPT_T2, fixed[loss->method].t2, method);
    if (status == TEMPER_OK)
        status = check_hinge(arguments, loss->method == TEMPER_HINGE, method);
    if (status != TEMPER_OK || training_is_automatic(arguments))
        return status;
    return check_trainable(temper_loss_resolve(*loss));
}

/* ---- What belongs together ------------------------------------------------------------------- */

/* An option that waits for another one is a misunderstanding that would go unseen. */
static temper_status check_needs(const struct arguments *arguments, enum option_id id, enum option_id needed)
{
    if (!was_given(arguments, id) || was_given(arguments, needed))
        return TEMPER_OK;
    return complain(TEMPER_USAGE, "train: --%s means nothing without --%s; give that too, or drop it",
                    option_table[id].name, option_table[needed].name);
}

/* Folds begin at 0 and see no other rows; so must the final fit. */
static temper_status check_automatic(const struct arguments *arguments)
{
    static const enum option_id senseless[] = {OPT_VALID, OPT_INIT, OPT_WARM_START};
    for (size_t i = 0; i < sizeof senseless / sizeof *senseless; i++)
        if (was_given(arguments, senseless[i]))
            return complain(TEMPER_USAGE,
                            "train: --%s does not go with temperatures that are to be chosen; give "
                            "--t1 and --t2, or drop it",
                            option_table[senseless[i]].name);
    return TEMPER_OK;
}

static temper_status check_pairs(const struct arguments *arguments)
{
    temper_status status = check_needs(arguments, OPT_PATIENCE, OPT_VALID);
    if (status == TEMPER_OK)
        status = check_needs(arguments, OPT_RESUME, OPT_CHECKPOINT);
    if (status == TEMPER_OK)
        status = check_needs(arguments, OPT_CHECKPOINT_SECONDS, OPT_CHECKPOINT);
    if (status == TEMPER_OK && was_given(arguments, OPT_INIT) && was_given(arguments, OPT_WARM_START))
        return complain(TEMPER_USAGE, "train: --init and --warm-start both say where to start; drop "
                                      "one of them");
    if (status == TEMPER_OK && training_is_automatic(arguments))
        status = check_automatic(arguments);
    return status;
}

/* "zero", or "normal:0.001" */
static temper_status check_init(const char *init)
{
    static const char normal[] = "normal:";
    static const struct option deviation = {.name = "init: normal", .type = TYPE_NUMBER, .least = 0, .most = INFINITY};
    double number;
    if (strcmp(init, "zero") == 0)
        return TEMPER_OK;
    if (strncmp(init, normal, strlen(normal)) != 0)
        return complain(TEMPER_USAGE, "--init: '%s' is unknown; give %s", init, option_table[OPT_INIT].wanted);
    temper_status status = read_number(&deviation, init + strlen(normal), &number);
    if (status == TEMPER_OK && number == 0)
        return complain(TEMPER_USAGE, "--init: a deviation of 0 is no noise; give zero, or more");
    return status;
}

/* ---- Chosen temperatures --------------------------------------------------------------------- */

static int add_list(char *grid, size_t size, const char *name, double value)
{
    char number[TEMPER_NUMBER_LENGTH];
    temper_format_number(value, number);
    return snprintf(grid, size, " %s=%s", name, number);
}

/* What is given stays as it is, so nothing is added to the grid unless all is open. */
void training_grid(const struct arguments *arguments, const temper_train_options *options, char grid[GRID_LENGTH])
{
    bool t1 = is_auto(arguments, OPT_T1), t2 = is_auto(arguments, OPT_T2);
    bool open = t1 && t2 && options->loss.method == TEMPER_TEMPERED;
    int at = snprintf(grid, GRID_LENGTH, "%sloss=%s", open ? "" : "only ", temper_method_name(options->loss.method));
    if (!t1)
        at += add_list(grid + at, GRID_LENGTH - (size_t)at, "t1", options->loss.t1);
    if (!t2)
        at += add_list(grid + at, GRID_LENGTH - (size_t)at, "t2", options->loss.t2);
    if (!isnan(options->l2))
        add_list(grid + at, GRID_LENGTH - (size_t)at, "l2", options->l2);
}

/* ---- All of them ----------------------------------------------------------------------------- */

void print_warnings(const char *warnings)
{
    while (*warnings) {
        size_t length = strcspn(warnings, "\n");
        warn("%.*s", (int)length, warnings);
        warnings += length + (warnings[length] == '\n');
    }
}

void solving_options(const struct arguments *arguments, temper_train_options *options)
{
    options->scale = text_of(arguments, OPT_TRAIN_SCALE);
    options->solver = text_of(arguments, OPT_SOLVER);
    options->precision = text_of(arguments, OPT_PRECISION);
    options->no_intercept = was_given(arguments, OPT_NO_INTERCEPT);
    options->tolerance = number_of(arguments, OPT_TOL);
    options->max_iterations = (size_t)number_of(arguments, OPT_MAX_ITER);
    options->seed = (unsigned long long)number_of(arguments, OPT_SEED);
    options->threads = threads_of(arguments);
}

temper_status training_options(const struct arguments *arguments, temper_train_options *options)
{
    const char *l2 = text_of(arguments, OPT_L2);
    *options = temper_train_defaults();
    solving_options(arguments, options);
    options->l2 = strcmp(l2, "auto") == 0 ? NAN : number_of(arguments, OPT_L2);
    options->init = text_of(arguments, OPT_INIT);
    options->patience = (size_t)number_of(arguments, OPT_PATIENCE);
    options->starts = (size_t)number_of(arguments, OPT_STARTS);
    options->checkpoint = text_of(arguments, OPT_CHECKPOINT);
    options->checkpoint_seconds = number_of(arguments, OPT_CHECKPOINT_SECONDS);
    options->resume = was_given(arguments, OPT_RESUME);
    temper_status status = read_loss(arguments, &options->loss);
    if (status == TEMPER_OK)
        status = check_init(options->init);
    return status == TEMPER_OK ? check_pairs(arguments) : status;
}
