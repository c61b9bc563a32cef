/* library_options: fills the option structs of the library from the command line, and checks options that depend on
 * each other.
 *
 * Options have the same names in the command and in the library, so that most of this file is assignment. What is not
 * given stays NULL, NAN or 0, which the library replaces by its default. */
#include "options/library_options.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "message.h"
#include "output_paths.h"
#include "process_group.h"
#include "progress.h"
#include "temper_extra.h"

/* ---- Reading data ---------------------------------------------------------------------------- */

/* 0: all cores. */
size_t threads_of(const struct arguments *arguments)
{
    return size_of(arguments, OPT_THREADS);
}

/* --memory in bytes; 0 for no limit. The parser has checked the text. */
static size_t memory_of(const struct arguments *arguments)
{
    double bytes = 0;
    if (was_given(arguments, OPT_MEMORY))
        read_size(&option_table[OPT_MEMORY], text_of(arguments, OPT_MEMORY), &bytes);
    return (size_t)bytes;
}

/* The character that a word stands for, since most of them mean something to a shell; NULL if it is not given. */
static const char *mark_of(const struct arguments *arguments, enum option_id id)
{
    static const struct {
        const char *word, *mark;
    } marks[] = {{"comma", ","}, {"semicolon", ";"}, {"tab", "\t"}, {"bar", "|"}, {"space", " "}, {"point", "."}};
    const char *word = text_of(arguments, id);
    for (size_t i = 0; word && i < sizeof marks / sizeof *marks; i++)
        if (strcmp(word, marks[i].word) == 0)
            return marks[i].mark;
    return NULL;
}

/* Options of the reader. The library has the same names for everything, and NULL for what is not given.
 * process_group_comm is NULL unless the program runs under MPI. */
temper_read_options data_options(const struct arguments *arguments)
{
    return (temper_read_options){
        .struct_size = sizeof(temper_read_options),
        .format = text_of(arguments, OPT_FORMAT),
        .header = text_of(arguments, OPT_HEADER),
        .label = text_of(arguments, OPT_LABEL),
        .labels = text_of(arguments, OPT_LABELS),
        .ignore = text_of(arguments, OPT_IGNORE),
        .categorical = text_of(arguments, OPT_CATEGORICAL),
        .missing = text_of(arguments, OPT_MISSING),
        .classes = text_of(arguments, OPT_CLASSES),
        .weights = text_of(arguments, OPT_WEIGHTS),
        .class_weight = text_of(arguments, OPT_CLASS_WEIGHT),
        .channel = text_of(arguments, OPT_CHANNEL),
        .zero_based = was_given(arguments, OPT_ZERO_BASED),
        .f64 = strcmp(text_of(arguments, OPT_TYPE), "f64") == 0,
        .threads = threads_of(arguments),
        .comm = process_group_comm(),
        .memory = memory_of(arguments),
        .labels_alone = was_given(arguments, OPT_AUDIT_PROBA) || was_given(arguments, OPT_APPLY),
        .automatic = !was_given(arguments, OPT_STRICT),
        .separator = mark_of(arguments, OPT_SEP),
        .decimal = mark_of(arguments, OPT_DECIMAL),
        .na = text_of(arguments, OPT_NA),
        .encoding = text_of(arguments, OPT_ENCODING),
        .date = text_of(arguments, OPT_DATE),
        .text = text_of(arguments, OPT_TEXT),
        .skip = size_of(arguments, OPT_SKIP),
        .keep = text_of(arguments, OPT_KEEP),
    };
}

/* An empty path comes from an unset shell variable; the system's message would not say which argument it was. */
temper_status check_path(const struct arguments *arguments, const char *path)
{
    if (*path)
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "%s: the name of a file is empty; give one, or - for the standard input",
                arguments->command->name);
}

/* Reads the file with the options of the command line; *seconds (may be NULL) is the time for it. */
temper_status read_data(const struct arguments *arguments, const char *path, temper_data **data, double *seconds)
{
    temper_error error;
    temper_read_options options = data_options(arguments);
    double start = seconds_now();
    TRY(check_path(arguments, path));
    TRY(checked(temper_data_read(path, &options, data, &error), &error));
    if (seconds)
        *seconds = seconds_now() - start;
    return TEMPER_OK;
}

/* Reads further rows with the columns of `like`: the same text must become the same feature, so options that interpret
 * columns do not apply. Every process reads these rows completely. */
temper_status read_data_like(const struct arguments *arguments, const temper_data *like, const char *path,
                             temper_data **data)
{
    temper_error error;
    temper_read_options options = data_options(arguments);
    TRY(check_path(arguments, path));
    options.comm = NULL;
    options.labels = options.label = options.ignore = options.categorical = options.text = NULL;
    if (options.weights && is_file(options.weights)) /* otherwise it is the name of a column */
        options.weights = NULL;
    return checked(temper_data_read_like(like, path, &options, data, &error), &error);
}

/* Prints the sentences of the library, one a line: warnings always, notes unless --quiet. */
void print_sentences(const struct arguments *arguments, const char *sentences)
{
    static const char warning[] = "warning: ";
    /* The prefix is replaced by the form that the command gives its warnings. */
    const size_t skipped = strlen(warning);
    for (const char *line = sentences; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, warning, skipped) == 0)
            warn("%.*s", (int)(length - skipped), line + skipped);
        else if (!was_given(arguments, OPT_QUIET))
            note("%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* What the reader inferred about the data. */
void print_notes(const struct arguments *arguments, const temper_data *data)
{
    print_sentences(arguments, temper_data_notes(data));
}

void print_warnings(const temper_warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        warn("%s", warnings->list[i].text);
}

/* ---- The loss -------------------------------------------------------------------------------- */

static const double default_t_logistic_t2 = 1.6; /* at 1 it would be logistic regression */

/* Whether the option was given as "auto". */
static bool is_auto(const struct arguments *arguments, enum option_id id)
{
    return was_given(arguments, id) && strcmp(text_of(arguments, id), "auto") == 0;
}

bool has_auto_temperatures(const struct arguments *arguments)
{
    return is_auto(arguments, OPT_T1) || is_auto(arguments, OPT_T2);
}

/* A temperature that the loss fixes (NAN: it does not) cannot be given another value. */
static temper_status check_fixed(const struct arguments *arguments, enum option_id id, double fixed)
{
    const char *name = option_table[id].name;
    if (!was_given(arguments, id) || isnan(fixed) || (!is_auto(arguments, id) && number_of(arguments, id) == fixed))
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "train: loss %s has %s = %g; drop --%s, or pass --loss tempered",
                text_of(arguments, OPT_LOSS), name, fixed, name);
}

/* Parameters after the name of the loss and options for the same parameters contradict each other. */
static temper_status check_given_once(const struct arguments *arguments)
{
    static const enum option_id options[] = {OPT_T1, OPT_T2, OPT_SMOOTHING};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (was_given(arguments, options[i]))
            return fail(TEMPER_USAGE, "train: --loss %s has its parameters after the name; drop them, or --%s",
                        text_of(arguments, OPT_LOSS), option_table[options[i]].name);
    return TEMPER_OK;
}

/* Options that only hinge has, or only the other losses. */
static temper_status check_hinge(const struct arguments *arguments, bool hinge)
{
    if (hinge && (was_given(arguments, OPT_T1) || was_given(arguments, OPT_T2)))
        return fail(TEMPER_USAGE, "train: loss hinge has no temperatures; drop --%s, or pass --loss tempered",
                    was_given(arguments, OPT_T1) ? "t1" : "t2");
    if (!hinge && was_given(arguments, OPT_SMOOTHING))
        return fail(TEMPER_USAGE, "train: --smoothing has no effect on loss %s; drop it, or pass --loss hinge",
                    text_of(arguments, OPT_LOSS));
    return TEMPER_OK;
}

/* Where the loss or its derivative is unbounded, a single row would determine the model. */
static temper_status check_trainable(temper_loss_spec loss)
{
    if (!temper_loss_is_two_temperature(loss) || temper_loss_shape(loss.t1, loss.t2).smooth)
        return TEMPER_OK;
    if (loss.t1 >= 1)
        return fail(TEMPER_USAGE,
                    "train: at t1 = %g, t2 = %g the loss of a row can be infinite; give --t2 1 or more, or --t1 0 to "
                    "%g",
                    loss.t1, loss.t2, loss.t2);
    return fail(TEMPER_USAGE,
                "train: at t1 = %g, t2 = %g the derivative of the loss is unbounded; give --t2 %g or more, or --t1 0 "
                "to %g",
                loss.t1, loss.t2, loss.t1, loss.t2);
}

/* Loss and temperatures; what is "auto" keeps the default until it is tuned. */
static temper_status read_loss(const struct arguments *arguments, temper_loss_spec *loss)
{
    bool given;
    /* Order matters: the method decides which temperatures are fixed. */
    TRY(read_loss_text(&option_table[OPT_LOSS], text_of(arguments, OPT_LOSS), loss, &given));
    if (given) {
        TRY(check_given_once(arguments));
        return check_trainable(temper_loss_resolve(*loss));
    }
    if (!is_auto(arguments, OPT_T1))
        loss->t1 = number_of(arguments, OPT_T1);
    if (was_given(arguments, OPT_T2) && !is_auto(arguments, OPT_T2))
        loss->t2 = number_of(arguments, OPT_T2);
    else if (loss->method == TEMPER_T_LOGISTIC)
        loss->t2 = default_t_logistic_t2;
    if (was_given(arguments, OPT_SMOOTHING))
        loss->smoothing = number_of(arguments, OPT_SMOOTHING);
    /* A temperature that the method fixes must not be given with another value. */
    temper_loss_spec fixed = fixed_temperatures(loss->method);
    TRY(check_fixed(arguments, OPT_T1, fixed.t1));
    TRY(check_fixed(arguments, OPT_T2, fixed.t2));
    TRY(check_hinge(arguments, loss->method == TEMPER_HINGE));
    return has_auto_temperatures(arguments) ? TEMPER_OK : check_trainable(temper_loss_resolve(*loss));
}

/* ---- Options that depend on others ---------------------------------------------------------------- */

/* Refuses an option that has no effect without another one: it is a misunderstanding that would go unnoticed. */
static temper_status check_needs(const struct arguments *arguments, enum option_id id, enum option_id needed)
{
    if (!was_given(arguments, id) || was_given(arguments, needed))
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "train: --%s has no effect without --%s; give that too, or drop it",
                option_table[id].name, option_table[needed].name);
}

/* Options that automatic temperatures exclude: the fits of the folds start at 0 and see no other rows, so the final fit
 * must do the same to be comparable. */
static temper_status check_auto(const struct arguments *arguments)
{
    static const enum option_id refused[] = {OPT_VALID, OPT_INIT, OPT_WARM_START};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (was_given(arguments, refused[i]))
            return fail(TEMPER_USAGE,
                        "train: --%s cannot be combined with automatic temperatures; give --t1 and --t2, or drop it",
                        option_table[refused[i]].name);
    if (!is_listed(option_table[OPT_HOLDOUT].words, ' ', text_of(arguments, OPT_HOLDOUT)))
        return fail(TEMPER_USAGE, "train: automatic temperatures are measured by cross-validation, not by a share of "
                                  "the rows; pass --holdout cv, or give --t1 and --t2");
    return TEMPER_OK;
}

/* Options that need or exclude each other. */
static temper_status check_combinations(const struct arguments *arguments)
{
    TRY(check_needs(arguments, OPT_PATIENCE, OPT_VALID));
    TRY(check_needs(arguments, OPT_RESUME, OPT_CHECKPOINT));
    TRY(check_needs(arguments, OPT_CHECKPOINT_SECONDS, OPT_CHECKPOINT));
    if (was_given(arguments, OPT_INIT) && was_given(arguments, OPT_WARM_START))
        return fail(TEMPER_USAGE, "train: --init and --warm-start both set the initial weights; drop one of them");
    return has_auto_temperatures(arguments) ? check_auto(arguments) : TEMPER_OK;
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
        return fail(TEMPER_USAGE, "--init: '%s' is unknown; give %s", init, option_table[OPT_INIT].wanted);
    TRY(read_number(&deviation, init + strlen(normal), &number));
    /* A deviation of 0 would be accepted as "normal" and silently mean "zero". */
    if (number == 0)
        return fail(TEMPER_USAGE, "--init: a standard deviation of 0 gives no random weights; give zero, or a larger "
                                  "deviation");
    return TEMPER_OK;
}

/* ---- Automatic temperatures ----------------------------------------------------------------------- */

/* Appends " t1=0.3"; returns its length. */
static int append_list(char *grid, size_t size, const char *name, double value)
{
    char number[NUMBER_LENGTH];
    number_write_f64(value, number);
    return snprintf(grid, size, " %s=%s", name, number);
}

/* The grid for automatic temperatures: one value for each parameter that is given, the default list for the others.
 * "only" keeps the tuner from adding its standard candidates, unless both temperatures are free. */
void auto_grid(const struct arguments *arguments, const temper_train_options *options, char grid[TRAIN_GRID_LENGTH])
{
    const size_t size = TRAIN_GRID_LENGTH;
    bool t1 = is_auto(arguments, OPT_T1), t2 = is_auto(arguments, OPT_T2);
    /* Both temperatures free: the tuner's standard candidates belong to the same family. */
    bool free = t1 && t2 && options->loss.method == TEMPER_TEMPERED;
    /* TRAIN_GRID_LENGTH holds the longest grid: four numbers and a name. */
    char loss[TEMPER_LOSS_TEXT];
    temper_loss_format(options->loss, loss);
    int at = snprintf(grid, size, "%sloss=%s", free ? "" : "only ", loss);
    if (!t1)
        at += append_list(grid + at, size - (size_t)at, "t1", options->loss.t1);
    if (!t2)
        at += append_list(grid + at, size - (size_t)at, "t2", options->loss.t2);
    if (!isnan(options->l2))
        at += append_list(grid + at, size - (size_t)at, "l2", options->l2);
    if (options->l1 > 0)
        append_list(grid + at, size - (size_t)at, "l1", options->l1);
}

/* ---- All options of a fit ---------------------------------------------------------------------- */

/* Options that every command that fits models has. */
void solver_options(const struct arguments *arguments, temper_train_options *options)
{
    options->scale = text_of(arguments, OPT_TRAIN_SCALE);
    options->solver = text_of(arguments, OPT_SOLVER);
    options->precision = text_of(arguments, OPT_PRECISION);
    options->no_intercept = was_given(arguments, OPT_NO_INTERCEPT);
    options->tolerance = number_of(arguments, OPT_TOL);
    options->max_iterations = size_of(arguments, OPT_MAX_ITER);
    options->seed = (uint64_t)number_of(arguments, OPT_SEED);
    options->threads = threads_of(arguments);
}

/* All options of `temper train`. Single values were checked by the parser; here those that depend on each other. */
temper_status train_options(const struct arguments *arguments, temper_train_options *options)
{
    *options = temper_train_defaults();
    solver_options(arguments, options);
    /* NAN: the library computes the default penalty from the data. */
    options->l2 = strcmp(text_of(arguments, OPT_L2), "auto") == 0 ? NAN : number_of(arguments, OPT_L2);
    options->l1 = number_of(arguments, OPT_L1);
    options->init = text_of(arguments, OPT_INIT);
    options->patience = size_of(arguments, OPT_PATIENCE);
    options->starts = size_of(arguments, OPT_STARTS);
    options->calibrate = text_of(arguments, OPT_CALIBRATE);
    options->estimate_noise = was_given(arguments, OPT_ESTIMATE_NOISE);
    options->clean = text_of(arguments, OPT_CLEAN);
    options->holdout = text_of(arguments, OPT_HOLDOUT);
    options->checkpoint = text_of(arguments, OPT_CHECKPOINT);
    options->checkpoint_seconds = number_of(arguments, OPT_CHECKPOINT_SECONDS);
    options->resume = was_given(arguments, OPT_RESUME);
    TRY(read_loss(arguments, &options->loss));
    TRY(check_init(options->init));
    return check_combinations(arguments);
}
