/* experiment_list: tables of the experiments and of the data sets, and the numbers that the paper reports for them. */
#include <math.h>
#include <string.h>

#include "experiment/experiment.h"

/* ---- Data sets ------------------------------------------------------------------------------- */

/* Both official parts are read, and split at random afterwards, as the paper does. */
#define FASHION "train-images-idx3-ubyte t10k-images-idx3-ubyte"
/* The six batches of CIFAR-10 in a folder f, which is empty or the one inside of the official archive. */
#define CIFAR_IN(f)                                                                                                    \
    f "data_batch_1.bin " f "data_batch_2.bin " f "data_batch_3.bin " f "data_batch_4.bin " f "data_batch_5.bin " f    \
      "test_batch.bin"

/* The paper does not name its pairs. Covertype must be 2 and 3 (287 K = 0.9 x 319,055). The blue
 * channel of frogs and ships is what comes near its CIFAR-10; T-shirts and sandals are one of about
 * ten pairs that reach its Fashion-MNIST. Of the fonts only the number of rows is known. */
const struct paper_data data_table[DATA_SETS] = {
    /* The four sets of the paper, with its temperatures. */
    {.name = "fashion-mnist",
     .title = "Fashion-MNIST, T-shirt and sandal",
     .folder = "fashion-mnist",
     .files = {FASHION},
     .classes = "0,5",
     .scale = "pixels",
     .t1 = 0.1,
     .t2 = 1.12},
    {.name = "cifar10",
     .title = "CIFAR-10, frog and ship, blue channel",
     .folder = "cifar10",
     .files = {CIFAR_IN(""), CIFAR_IN("cifar-10-batches-bin/"), "frog-ship.bin"},
     .classes = "6,8",
     .scale = "pixels",
     .t1 = 0.1,
     .t2 = 1.12,
     .read = {.format = "cifar", .channel = "blue"}},
    {.name = "fonts",
     .title = "Fonts, the two largest",
     .folder = "fonts",
     .files = {"*.csv"},
     .scale = "standard",
     .t1 = 0.9,
     .t2 = 1.3,
     .read = {.format = "csv", .header = "yes", .label = "font", .ignore = "fontVariant"},
     .one_class = true},
    {.name = "covtype",
     .title = "Covertype, 2 and 3",
     .folder = "covtype",
     .files = {"covtype.data"},
     .classes = "2,3",
     .scale = "standard",
     .t1 = 0.1,
     .t2 = 1.12,
     .read = {.format = "csv", .header = "no"}},
    /* Further sets of temper's own experiments; their temperatures are those that the paper uses for images. */
    {.name = "fashion-mnist-0v6",
     .title = "Fashion-MNIST, T-shirt and shirt",
     .folder = "fashion-mnist",
     .files = {FASHION},
     .classes = "0,6",
     .scale = "pixels",
     .t1 = 0.1,
     .t2 = 1.12},
    {.name = "fashion-mnist-10",
     .title = "Fashion-MNIST, all ten classes",
     .folder = "fashion-mnist",
     .files = {FASHION},
     .classes = "",
     .scale = "pixels",
     .t1 = 0.1,
     .t2 = 1.12},
    {.name = "a9a",
     .title = "Adult (a9a)",
     .folder = "a9a",
     .files = {"a9a a9a.t"},
     .classes = "",
     .t1 = 0.1,
     .t2 = 1.12,
     .read = {.format = "libsvm"}},
    {.name = "amazon-kitchen",
     .title = "Amazon kitchen reviews",
     .folder = "amazon-kitchen",
     .files = {"train.libsvm test.libsvm"},
     .classes = "",
     .t1 = 0.1,
     .t2 = 1.12,
     .read = {.format = "libsvm"}},
};

/* ---- Experiments ----------------------------------------------------------------------------- */

/* What the experiments of the paper have in common. */
#define PAPER_SETS    "fashion-mnist,cifar10,fonts,covtype"
#define PAPER_METHODS "hinge,logistic,t-logistic,tempered"
#define QUICK_GRID    "t1=0.1,0.5,0.9 t2=1.12,1.5 l2=1e-5..1e-1:3"

/* `quick` overrides `full` field by field; what it leaves out stays as in the paper. */
const struct experiment experiment_table[EXPERIMENTS] = {
    /* Experiments of the paper, ... */
    {.name = "figure1",
     .title = "Figure 1: the functions and the losses",
     .about = "log_t, exp_t, and losses as functions of the margin, at the temperatures of the "
              "paper's figure.",
     .measure = MEASURE_NOTHING},
    {.name = "table1",
     .title = "Table 1: accuracy with 10 % of the labels wrong",
     .about = "A tenth of the rows, at random, is for testing. In the others a tenth of the labels "
              "is flipped: at random, where a logistic regression is least sure, or where it is "
              "surest. Each method chooses its parameters by cross-validation on these noisy rows, "
              "is trained on all of them, and tested on the clean ones.",
     .measure = MEASURE_ACCURACY,
     .test_share = 0.1,
     .full = {.sets = PAPER_SETS,
              .methods = PAPER_METHODS,
              .noise = "random,small-margin,large-margin",
              .rates = "0.1",
              .grid = TEMPER_GRID_PAPER,
              .splits = 10,
              .folds = 10},
     .quick = {.splits = 3, .folds = 3, .rows = 4000, .grid = QUICK_GRID}},
    {.name = "figure2",
     .title = "Figure 2: accuracy against instance noise",
     .about = "A tenth of the rows, at random, is for testing. Of the others a growing share keeps "
              "its label and gets the features of a row of other classes. Each method chooses its "
              "parameters by cross-validation on these rows, is trained on all of them, and tested "
              "on the clean ones.",
     .measure = MEASURE_ACCURACY,
     .test_share = 0.1,
     .full = {.sets = PAPER_SETS,
              .methods = PAPER_METHODS,
              .noise = "instance",
              .rates = "0,0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4",
              .grid = TEMPER_GRID_PAPER,
              .splits = 10,
              .folds = 10},
     .quick = {.rates = "0,0.1,0.2,0.33,0.4", .splits = 3, .folds = 3, .rows = 4000, .grid = QUICK_GRID}},
    {.name = "table2",
     .title = "Table 2: run time of the optimisation",
     .about = "One fit on nine tenths of the rows, as they are, at the paper's temperatures and "
              "the default penalty, down to a gradient of 1e-4 of that at zero weights.",
     .measure = MEASURE_TIME,
     .test_share = 0.1,
     .full = {.sets = PAPER_SETS, .methods = PAPER_METHODS, .noise = "random", .rates = "0", .splits = 10},
     .quick = {.splits = 3}},
    /* ... and of temper: claims of the text that have no table, and the selection rule. */
    {.name = "starts",
     .title = "Starts: where do bad minima begin?",
     .about = "One fit at the paper's temperatures and the default penalty with a tenth of the "
              "labels flipped at random, from random weights of several deviations; 0 is a start "
              "from zero.",
     .measure = MEASURE_STARTS,
     .test_share = 0.1,
     .full = {.sets = PAPER_SETS ",fashion-mnist-10",
              .methods = "t-logistic,tempered",
              .noise = "random",
              .rates = "0.1",
              .deviations = "0,0.001,0.01,0.1,1,10",
              .splits = 10},
     .quick = {.splits = 3, .rows = 4000}},
    {.name = "selection",
     .title = "Selection: what a choice with noisy labels costs",
     .about = "Half of the rows trains and half tests. Every candidate of the grid is trained on "
              "the noisy rows and tested on clean ones; the regret of a rule is what its choice "
              "loses against the best of them, in points.",
     .measure = MEASURE_SELECTION,
     .test_share = 0.5,
     .full = {.sets = "fashion-mnist,fashion-mnist-0v6,cifar10,covtype,a9a",
              .noise = "random,small-margin,large-margin,instance",
              .rates = "0,0.1,0.2,0.4",
              .grid = "default",
              .splits = 3,
              .folds = 2,
              .rows = 12000},
     .quick = {.rates = "0,0.1,0.3", .splits = 1, .rows = 3000}},
};

/* ---- What the paper reports ------------------------------------------------------------------ */

enum { PAPER_COLUMNS = 4 };
/* The methods of the paper's tables, in the order of their columns. */
static const char *const columns[PAPER_COLUMNS] = {"hinge", "logistic", "t-logistic", "tempered"};

/* One line of a table of the paper, for all methods. */
struct paper_table_row {
    const char *set, *noise; /* noise: NULL where the table has none */
    struct paper_value value[PAPER_COLUMNS];
};

/* Table 1 of the paper: accuracy in percent, mean and deviation over 10 splits. */
static const struct paper_table_row table1[] = {
    {"fashion-mnist", "random", {{96.42, 0.59}, {96.42, 0.59}, {94.09, 0.48}, {99.80, 0.12}}},
    {"fashion-mnist", "small-margin", {{98.50, 0.26}, {98.50, 0.26}, {97.35, 0.42}, {99.13, 0.37}}},
    {"fashion-mnist", "large-margin", {{96.42, 0.59}, {96.42, 0.59}, {94.09, 0.48}, {99.80, 0.12}}},
    {"cifar10", "random", {{84.27, 1.12}, {84.39, 1.17}, {82.11, 1.01}, {87.75, 1.40}}},
    {"cifar10", "small-margin", {{84.94, 0.97}, {84.94, 0.99}, {84.22, 0.79}, {86.28, 1.18}}},
    {"cifar10", "large-margin", {{77.79, 1.20}, {77.77, 1.20}, {72.58, 1.44}, {88.56, 1.20}}},
    {"fonts", "random", {{83.78, 0.28}, {83.78, 0.28}, {84.14, 0.27}, {84.14, 0.27}}},
    {"fonts", "small-margin", {{83.60, 0.34}, {83.60, 0.34}, {83.38, 0.36}, {83.60, 0.34}}},
    {"fonts", "large-margin", {{72.39, 0.32}, {72.39, 0.32}, {72.61, 0.30}, {72.61, 0.30}}},
    {"covtype", "random", {{97.52, 0.88}, {97.52, 0.88}, {99.26, 0.05}, {99.26, 0.05}}},
    {"covtype", "small-margin", {{96.79, 0.11}, {96.79, 0.11}, {97.25, 0.05}, {97.25, 0.05}}},
    {"covtype", "large-margin", {{83.59, 0.24}, {83.59, 0.24}, {84.79, 0.20}, {94.03, 0.13}}},
};

/* Table 2 of the paper: training time in seconds on 24 cores, mean and deviation. */
static const struct paper_table_row table2[] = {
    {"fashion-mnist", NULL, {{4.40, 0.28}, {4.57, 0.12}, {7.02, 0.29}, {7.35, 1.21}}},
    {"cifar10", NULL, {{31.90, 0.22}, {31.86, 0.29}, {35.08, 0.81}, {28.34, 10.56}}},
    {"fonts", NULL, {{49.47, 4.92}, {49.75, 4.99}, {82.85, 4.98}, {58.78, 6.14}}},
    {"covtype", NULL, {{6.45, 0.17}, {6.42, 0.18}, {66.66, 1.20}, {24.53, 1.24}}},
};

/* NAN for methods that the paper does not have, and for those with fixed temperatures (their label differs). */
static struct paper_value in_row(const struct paper_table_row *row, const char *method)
{
    for (size_t i = 0; i < PAPER_COLUMNS; i++)
        if (strcmp(columns[i], method) == 0)
            return row->value[i];
    return (struct paper_value){NAN, NAN};
}

/* The entry of Table 1, or NAN. */
static struct paper_value paper_accuracy(const char *set, const char *noise, const char *method)
{
    for (size_t i = 0; i < sizeof table1 / sizeof *table1; i++)
        if (strcmp(table1[i].set, set) == 0 && strcmp(table1[i].noise, noise) == 0)
            return in_row(&table1[i], method);
    return (struct paper_value){NAN, NAN};
}

/* The entry of Table 2, or NAN. */
struct paper_value paper_seconds(const char *set, const char *method)
{
    for (size_t i = 0; i < sizeof table2 / sizeof *table2; i++)
        if (strcmp(table2[i].set, set) == 0)
            return in_row(&table2[i], method);
    return (struct paper_value){NAN, NAN};
}

/* What the paper reports for this line and method, in the unit of its table. With --classes the data are others than
 * the paper's; Table 1 is for a noise rate of 10 % only: NAN otherwise. */
struct paper_value reported_value(const struct experiment_plan *plan, const struct experiment_cell *line, size_t method)
{
    const char *name = plan->methods[method].label;
    if (!plan->classes && plan->experiment->measure == MEASURE_TIME)
        return paper_seconds(line->set->name, name);
    if (!plan->classes && plan->experiment->measure == MEASURE_ACCURACY && line->rate == 0.1)
        return paper_accuracy(line->set->name, line->noise, name);
    return (struct paper_value){NAN, NAN};
}

/* Whether a line of the paper's numbers is worth printing below ours. */
bool paper_has_line(const struct experiment_plan *plan, const struct experiment_cell *line)
{
    for (size_t m = 0; m < plan->method_count; m++)
        if (!isnan(reported_value(plan, line, m).mean))
            return true;
    return false;
}
