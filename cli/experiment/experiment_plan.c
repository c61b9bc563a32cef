/* experiment_plan: from the command line to a list of cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "message.h"
#include "options/data_options.h"

/* ---- Options --------------------------------------------------------------------------------- */

/* What was given, else what --quick says, else what the experiment says. */
static const char *text_choice(const struct arguments *arguments, enum option_id id, bool quick, const char *for_quick,
                               const char *for_full)
{
    if (was_given(arguments, id))
        return text_of(arguments, id);
    return quick && for_quick ? for_quick : for_full;
}

static size_t size_choice(const struct arguments *arguments, enum option_id id, bool quick, size_t for_quick,
                          size_t for_full)
{
    if (was_given(arguments, id))
        return (size_t)number_of(arguments, id);
    return quick && for_quick ? for_quick : for_full;
}

/* An option that this experiment has no use for is a misunderstanding that would go unseen. */
static temper_status check_use(const struct arguments *arguments, enum option_id id, bool used)
{
    if (used || !was_given(arguments, id))
        return TEMPER_OK;
    return complain(TEMPER_USAGE, "experiment: --%s means nothing to %s; drop it", option_table[id].name,
                    arguments->operand[0]);
}

static temper_status check_uses(const struct arguments *arguments, enum measure measure)
{
    bool any = measure != MEASURE_NOTHING, select = measure == MEASURE_SELECTION;
    bool tunes = measure == MEASURE_ACCURACY || select;
    const struct {
        enum option_id id;
        bool used;
    } uses[] = {
        {OPT_EXPERIMENT_DATA, any},
        {OPT_SETS, any},
        {OPT_CLASSES, any},
        {OPT_METHODS, any && !select},
        {OPT_NOISE_KINDS, any},
        {OPT_RATES, any},
        {OPT_SPLITS, any},
        {OPT_EXPERIMENT_FOLDS, tunes},
        {OPT_EXPERIMENT_GRID, tunes},
        {OPT_EXPERIMENT_CRITERION, measure == MEASURE_ACCURACY},
        {OPT_WHOSE_TEMPERATURES, measure == MEASURE_ACCURACY},
        {OPT_DEVIATIONS, measure == MEASURE_STARTS},
        {OPT_ROWS, any},
        {OPT_EXPERIMENT_SCALE, any},
        {OPT_QUICK, any},
        {OPT_SEED, any},
        {OPT_RECORDS, any},
        {OPT_THREADS, any},
    };
    temper_status status = TEMPER_OK;
    for (size_t i = 0; status == TEMPER_OK && i < sizeof uses / sizeof *uses; i++)
        status = check_use(arguments, uses[i].id, uses[i].used);
    return status;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static const struct source *find_source(const char *name)
{
    for (size_t i = 0; i < SOURCES; i++)
        if (strcmp(source_table[i].name, name) == 0)
            return &source_table[i];
    return NULL;
}

static temper_status refuse_source(const char *name)
{
    char names[256] = "";
    for (size_t i = 0; i < SOURCES; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", source_table[i].name);
    return complain(TEMPER_USAGE, "--sets: '%s' is unknown; there are %s", name, names);
}

/* Those that are not there are left out, with a word, unless they were asked for. */
static temper_status read_sets(const char *list, struct plan *plan)
{
    char word[WORD_LENGTH];
    for (const char *rest = list; rest;) {
        next_word(&rest, ',', word);
        const struct source *source = find_source(word);
        if (!source)
            return refuse_source(word);
        if (plan->set_count == SOURCES)
            return complain(TEMPER_USAGE, "--sets: one set is there twice; drop it");
        if (plan->sets_named || source_is_there(source, plan->folder))
            plan->sets[plan->set_count++] = source;
    }
    if (plan->set_count == 0)
        return complain(TEMPER_NO_INPUT,
                        "%s: none of the data sets is there (%s); get them by tools/fetch-data, or "
                        "say where they are by --data",
                        plan->folder, list);
    if (plan->classes && plan->set_count > 1)
        return complain(TEMPER_USAGE,
                        "experiment: --classes is for one data set, and there are "
                        "%zu; name one by --sets",
                        plan->set_count);
    return TEMPER_OK;
}

/* "tempered", or "tempered:0.1:1.12" with temperatures of its own. */
static temper_status read_method(const char *word, struct method *method)
{
    struct losses losses;
    const struct option *option = &option_table[OPT_METHODS];
    temper_status status = read_losses(option, word, 0.1, 1.12, &losses);
    if (status != TEMPER_OK)
        return status;
    const temper_loss_spec *loss = &losses.value[0];
    snprintf(method->label, sizeof method->label, "%s", word);
    method->method = loss->method;
    method->fixed = strchr(word, ':') != NULL;
    method->t1 = loss->t1;
    method->t2 = loss->t2;
    method->smoothing = method->fixed ? loss->smoothing : HINGE_WIDTH;
    return TEMPER_OK;
}

static temper_status read_methods(const char *list, struct plan *plan)
{
    char word[WORD_LENGTH];
    for (const char *rest = list; rest;) {
        next_word(&rest, ',', word);
        if (plan->method_count == METHODS_MOST)
            return complain(TEMPER_USAGE, "--methods: the list is too long; give at most %d", METHODS_MOST);
        temper_status status = read_method(word, &plan->methods[plan->method_count]);
        if (status != TEMPER_OK)
            return status;
        plan->method_count++;
    }
    return TEMPER_OK;
}

static temper_status read_noises(const char *list, struct plan *plan)
{
    static const char *const kinds[] = {"random", "pair", "small-margin", "large-margin", "instance"};
    for (const char *rest = list; rest;) {
        if (plan->noise_count == NOISES_MOST)
            return complain(TEMPER_USAGE, "--noise: the list is too long; give at most %d", NOISES_MOST);
        char *word = plan->noises[plan->noise_count++];
        bool known = false;
        next_word(&rest, ',', word);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            known |= strcmp(kinds[i], word) == 0;
        if (!known)
            return complain(TEMPER_USAGE,
                            "--noise: '%s' is unknown; there are random, pair, small-margin, "
                            "large-margin and instance",
                            word);
    }
    return TEMPER_OK;
}

/* A figure has its places rising, and a place twice would be a result twice. */
static temper_status check_rising(const struct numbers *numbers, enum option_id id)
{
    for (size_t i = 1; i < numbers->count; i++)
        if (!(numbers->value[i] > numbers->value[i - 1]))
            return complain(TEMPER_USAGE, "--%s: give them rising, none twice", option_table[id].name);
    return TEMPER_OK;
}

static temper_status read_rising(const char *text, enum option_id id, struct numbers *numbers)
{
    temper_status status = read_numbers(&option_table[id], text, numbers);
    return status == TEMPER_OK ? check_rising(numbers, id) : status;
}

/* ---- The plan -------------------------------------------------------------------------------- */

static const struct experiment *find_experiment(const char *name)
{
    for (size_t i = 0; i < EXPERIMENTS; i++)
        if (strcmp(experiment_table[i].name, name) == 0)
            return &experiment_table[i];
    return NULL; /* the parser knows no other words */
}

static const char *data_folder(const struct arguments *arguments)
{
    const char *variable = getenv("TEMPER_DATA");
    if (was_given(arguments, OPT_EXPERIMENT_DATA))
        return text_of(arguments, OPT_EXPERIMENT_DATA);
    return variable && *variable ? variable : "data";
}

/* Names of grids are lists too, from which each method takes what it has. */
static temper_status read_grid(const char *text, struct plan *plan)
{
    char word[WORD_LENGTH];
    bool select = plan->experiment->measure == MEASURE_SELECTION;
    plan->grid = text;
    if (!text || select) /* the tuning knows it */
        return TEMPER_OK;
    if (strcmp(text, "paper") == 0)
        plan->grid = grid_paper;
    else if (strcmp(text, "default") == 0)
        plan->grid = grid_default;
    for (const char *rest = plan->grid; rest;) {
        next_word(&rest, ' ', word);
        if (strncmp(word, "t1=", 3) != 0 && strncmp(word, "t2=", 3) != 0 && strncmp(word, "l2=", 3) != 0)
            return complain(TEMPER_USAGE, "--grid: '%s' is no list; give %s", word,
                            option_table[OPT_EXPERIMENT_GRID].wanted);
    }
    return TEMPER_OK;
}

static temper_status read_sizes(const struct arguments *arguments, struct plan *plan)
{
    const struct extent *full = &plan->experiment->full, *quick = &plan->experiment->quick;
    bool hurry = plan->quick;
    plan->splits = size_choice(arguments, OPT_SPLITS, hurry, quick->splits, full->splits);
    plan->folds = size_choice(arguments, OPT_EXPERIMENT_FOLDS, hurry, quick->folds, full->folds);
    plan->rows = size_choice(arguments, OPT_ROWS, hurry, quick->rows, full->rows);
    return read_grid(text_choice(arguments, OPT_EXPERIMENT_GRID, hurry, quick->grid, full->grid), plan);
}

static temper_status read_lists(const struct arguments *arguments, struct plan *plan)
{
    const struct extent *full = &plan->experiment->full, *quick = &plan->experiment->quick;
    bool hurry = plan->quick, starts = plan->experiment->measure == MEASURE_STARTS;
    const char *methods = text_choice(arguments, OPT_METHODS, hurry, quick->methods, full->methods);
    temper_status status = read_sets(text_choice(arguments, OPT_SETS, hurry, quick->sets, full->sets), plan);
    if (status == TEMPER_OK && methods)
        status = read_methods(methods, plan);
    if (status == TEMPER_OK)
        status = read_noises(text_choice(arguments, OPT_NOISE_KINDS, hurry, quick->noise, full->noise), plan);
    if (status == TEMPER_OK)
        status =
            read_rising(text_choice(arguments, OPT_RATES, hurry, quick->rates, full->rates), OPT_RATES, &plan->rates);
    if (status == TEMPER_OK && starts)
        status = read_rising(text_choice(arguments, OPT_DEVIATIONS, hurry, quick->deviations, full->deviations),
                             OPT_DEVIATIONS, &plan->deviations);
    return status;
}

temper_status plan_make(const struct arguments *arguments, struct plan *plan)
{
    *plan = (struct plan){.experiment = find_experiment(arguments->operand[0])};
    plan->quick = was_given(arguments, OPT_QUICK);
    plan->folder = data_folder(arguments);
    plan->sets_named = was_given(arguments, OPT_SETS);
    plan->classes = text_of(arguments, OPT_CLASSES);
    plan->scale = text_of(arguments, OPT_EXPERIMENT_SCALE);
    plan->criterion = text_of(arguments, OPT_EXPERIMENT_CRITERION);
    plan->paper_temperatures = strcmp(text_of(arguments, OPT_WHOSE_TEMPERATURES), "paper") == 0;
    plan->seed = (unsigned long long)number_of(arguments, OPT_SEED);
    plan->threads = threads_of(arguments);
    temper_status status = check_uses(arguments, plan->experiment->measure);
    if (status != TEMPER_OK || plan->experiment->measure == MEASURE_NOTHING)
        return status;
    status = read_sizes(arguments, plan);
    return status == TEMPER_OK ? read_lists(arguments, plan) : status;
}
