/* experiment_plan: from the command line to the list of cells to measure, and the key of each result. A cell is found
 * from its index alone (a number in mixed bases), so that nothing is allocated and every run enumerates the same cells
 * in the same order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "experiment/experiment.h"
#include "message.h"
#include "options/library_options.h"

/* ---- Options --------------------------------------------------------------------------------- */

/* The given value, else that of --quick, else that of the experiment. */
static const char *text_choice(const struct arguments *arguments, enum option_id id, bool quick, const char *for_quick,
                               const char *for_full)
{
    if (was_given(arguments, id))
        return text_of(arguments, id);
    return quick && for_quick ? for_quick : for_full;
}

/* The same for counts; 0 in a table means "not set". */
static size_t size_choice(const struct arguments *arguments, enum option_id id, bool quick, size_t for_quick,
                          size_t for_full)
{
    if (was_given(arguments, id))
        return (size_t)number_of(arguments, id);
    return quick && for_quick ? for_quick : for_full;
}

/* An option without effect is a misunderstanding that would go unnoticed. */
static temper_status check_use(const struct arguments *arguments, enum option_id id, bool used)
{
    if (used || !was_given(arguments, id))
        return TEMPER_OK;
    return fail(TEMPER_USAGE, "experiment: --%s has no effect on %s; drop it", option_table[id].name,
                arguments->operand[0]);
}

/* Refuses options that the kind of experiment ignores. --data and --quick are for all of them: with these one command
 * line runs every experiment, figure1 too, which has no data and is quick. */
static temper_status check_uses(const struct arguments *arguments, enum experiment_measure measure)
{
    bool any = measure != MEASURE_NOTHING,
         select = measure == MEASURE_SELECTION;         /* any: there is something to measure */
    bool tunes = measure == MEASURE_ACCURACY || select; /* cross-validation takes place */
    const struct {
        enum option_id id;
        bool used;
    } uses[] = {
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
        {OPT_RANK_L2, any},
        {OPT_RANK_SCALE, any},
        {OPT_ROWS, any},
        {OPT_EXPERIMENT_SCALE, any},
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

/* NULL for an unknown name. */
static const struct paper_data *find_data(const char *name)
{
    for (size_t i = 0; i < DATA_SETS; i++)
        if (strcmp(data_table[i].name, name) == 0)
            return &data_table[i];
    return NULL;
}

/* The names are few enough to list them all. */
static temper_status refuse_data(const char *name)
{
    char names[256] = "";
    for (size_t i = 0; i < DATA_SETS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", data_table[i].name);
    return fail(TEMPER_USAGE, "--sets: '%s' is unknown; give one of %s", name, names);
}

/* The data sets of a comma-separated list. Those whose files are missing are skipped, so that the experiments run with
 * what was downloaded; sets named by --sets stay in the plan, and fail when they are read. */
static temper_status read_sets(const char *list, struct experiment_plan *plan)
{
    char word[WORD_LENGTH];
    for (const char *rest = list; rest;) {
        next_word(&rest, ',', word);
        const struct paper_data *source = find_data(word);
        if (!source)
            return refuse_data(word);
        /* As many sets as exist are in the plan, and one more follows: one must be repeated. */
        if (plan->set_count == DATA_SETS)
            return fail(TEMPER_USAGE, "--sets: a data set is listed twice; drop it");
        if (plan->sets_named || data_is_there(source, plan->folder))
            plan->sets[plan->set_count++] = source;
    }
    /* All were skipped. */
    if (plan->set_count == 0)
        return fail(TEMPER_NO_INPUT,
                    "%s: none of the data sets is there (%s); get them by tools/fetch-data, or "
                    "give their folder by --data",
                    plan->folder, list);
    if (plan->classes && plan->set_count > 1)
        return fail(TEMPER_USAGE,
                    "experiment: --classes is for one data set, and there are "
                    "%zu; name one by --sets",
                    plan->set_count);
    return TEMPER_OK;
}

/* "tempered", to be tuned, or "tempered:0.1:1.12" with fixed temperatures. The defaults passed here matter only where
 * no data set overrides them. */
static temper_status read_method(const char *word, struct compared_method *method)
{
    struct loss_list losses;
    const struct option *option = &option_table[OPT_METHODS];
    temper_status status = read_losses(option, word, 0.1, 1.12, &losses);
    if (status != TEMPER_OK)
        return status;
    const temper_loss_spec *loss = &losses.value[0];
    snprintf(method->label, sizeof method->label, "%s", word);
    method->loss = *loss;
    method->fixed = strchr(word, ':') != NULL; /* parameters were given */
    if (loss->method == TEMPER_HINGE && !method->fixed)
        method->loss.smoothing = HINGE_WIDTH;
    return TEMPER_OK;
}

/* A comma-separated list; the label of a method is the word as given, so two settings of one loss can be compared. */
static temper_status read_methods(const char *list, struct experiment_plan *plan)
{
    char word[WORD_LENGTH];
    for (const char *rest = list; rest;) {
        next_word(&rest, ',', word);
        if (plan->method_count == METHODS_MOST)
            return fail(TEMPER_USAGE, "--methods: the list is too long; give at most %d", METHODS_MOST);
        temper_status status = read_method(word, &plan->methods[plan->method_count]);
        if (status != TEMPER_OK)
            return status;
        plan->method_count++;
    }
    return TEMPER_OK;
}

/* Kinds of noise; "matrix" is absent since it needs a file for each number of classes. */
static temper_status read_noises(const char *list, struct experiment_plan *plan)
{
    static const char *const kinds[] = {"random", "pair", "small-margin", "large-margin", "instance"};
    for (const char *rest = list; rest;) {
        if (plan->noise_count == NOISES_MOST)
            return fail(TEMPER_USAGE, "--noise: the list is too long; give at most %d", NOISES_MOST);
        char *word = plan->noises[plan->noise_count++];
        bool known = false;
        next_word(&rest, ',', word);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            known |= strcmp(kinds[i], word) == 0;
        if (!known)
            return fail(TEMPER_USAGE,
                        "--noise: '%s' is unknown; there are random, pair, small-margin, "
                        "large-margin and instance",
                        word);
    }
    return TEMPER_OK;
}

/* Figures need ascending numbers; a repeated one would repeat a result. */
static temper_status check_rising(const struct number_list *numbers, enum option_id id)
{
    for (size_t i = 1; i < numbers->count; i++)
        if (!(numbers->value[i] > numbers->value[i - 1]))
            return fail(TEMPER_USAGE, "--%s: the numbers are not ascending; sort them, and drop repeated ones",
                        option_table[id].name);
    return TEMPER_OK;
}

/* A list of rates or deviations. */
static temper_status read_rising(const char *text, enum option_id id, struct number_list *numbers)
{
    temper_status status = read_numbers(&option_table[id], text, numbers);
    return status == TEMPER_OK ? check_rising(numbers, id) : status;
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* By the operand of the command. */
static const struct experiment *find_experiment(const char *name)
{
    for (size_t i = 0; i < EXPERIMENTS; i++)
        if (strcmp(experiment_table[i].name, name) == 0)
            return &experiment_table[i];
    return NULL; /* the parser accepts no other words */
}

/* --data, else $TEMPER_DATA, else "data". */
static const char *data_folder(const struct arguments *arguments)
{
    /* Set once for all experiments on a machine. */
    const char *variable = getenv("TEMPER_DATA");
    if (was_given(arguments, OPT_EXPERIMENT_DATA))
        return text_of(arguments, OPT_EXPERIMENT_DATA);
    return variable && *variable ? variable : "data";
}

/* Replaces a named grid by its lists, of which each method uses those of the parameters that it has (plan_grid), and
 * checks their form. The experiment "selection" tunes all methods at once and passes the text unchanged. */
static temper_status read_grid(const char *text, struct experiment_plan *plan)
{
    char word[WORD_LENGTH];
    bool select = plan->experiment->measure == MEASURE_SELECTION;
    plan->grid = text;
    if (!text || select) /* the tuner knows the names */
        return TEMPER_OK;
    if (strcmp(text, "paper") == 0)
        plan->grid = TEMPER_GRID_PAPER;
    else if (strcmp(text, "default") == 0)
        plan->grid = TEMPER_GRID_DEFAULT;
    for (const char *rest = plan->grid; rest;) {
        next_word(&rest, ' ', word);
        if (strncmp(word, "t1=", 3) != 0 && strncmp(word, "t2=", 3) != 0 && strncmp(word, "l2=", 3) != 0)
            return fail(TEMPER_USAGE, "--grid: '%s' is not a list; give %s", word,
                        option_table[OPT_EXPERIMENT_GRID].wanted);
    }
    return TEMPER_OK;
}

/* Splits, folds, rows and grid: each from the option, else --quick, else the paper. */
static temper_status read_sizes(const struct arguments *arguments, struct experiment_plan *plan)
{
    const struct experiment_extent *full = &plan->experiment->full, *quick = &plan->experiment->quick;
    bool quick_run = plan->quick;
    plan->splits = size_choice(arguments, OPT_SPLITS, quick_run, quick->splits, full->splits);
    plan->folds = size_choice(arguments, OPT_EXPERIMENT_FOLDS, quick_run, quick->folds, full->folds);
    plan->rows = size_choice(arguments, OPT_ROWS, quick_run, quick->rows, full->rows);
    return read_grid(text_choice(arguments, OPT_EXPERIMENT_GRID, quick_run, quick->grid, full->grid), plan);
}

/* Data sets, methods, kinds of noise, rates and deviations, by the same rule. "selection" has no methods. */
static temper_status read_lists(const struct arguments *arguments, struct experiment_plan *plan)
{
    const struct experiment_extent *full = &plan->experiment->full, *quick = &plan->experiment->quick;
    bool quick_run = plan->quick, starts = plan->experiment->measure == MEASURE_STARTS;
    const char *methods = text_choice(arguments, OPT_METHODS, quick_run, quick->methods, full->methods);
    temper_status status = read_sets(text_choice(arguments, OPT_SETS, quick_run, quick->sets, full->sets), plan);
    if (status == TEMPER_OK && methods)
        status = read_methods(methods, plan);
    if (status == TEMPER_OK)
        status = read_noises(text_choice(arguments, OPT_NOISE_KINDS, quick_run, quick->noise, full->noise), plan);
    if (status == TEMPER_OK)
        status = read_rising(text_choice(arguments, OPT_RATES, quick_run, quick->rates, full->rates), OPT_RATES,
                             &plan->rates);
    if (status == TEMPER_OK && starts)
        status = read_rising(text_choice(arguments, OPT_DEVIATIONS, quick_run, quick->deviations, full->deviations),
                             OPT_DEVIATIONS, &plan->deviations);
    return status;
}

/* The plan refers to strings of `arguments`, which must outlive it. Uses are checked before lists, so that the first
 * error is the most basic one. */
temper_status plan_make(const struct arguments *arguments, struct experiment_plan *plan)
{
    *plan = (struct experiment_plan){.experiment = find_experiment(arguments->operand[0])};
    /* Options with one value first; lists, which depend on them, later. */
    plan->quick = was_given(arguments, OPT_QUICK);
    plan->folder = data_folder(arguments);
    plan->sets_named = was_given(arguments, OPT_SETS);
    plan->classes = text_of(arguments, OPT_CLASSES);
    plan->scale = text_of(arguments, OPT_EXPERIMENT_SCALE);
    plan->rank_scale = text_of(arguments, OPT_RANK_SCALE);
    plan->rank_l2 = number_of(arguments, OPT_RANK_L2);
    plan->criterion = text_of(arguments, OPT_EXPERIMENT_CRITERION);
    plan->paper_temperatures = strcmp(text_of(arguments, OPT_WHOSE_TEMPERATURES), "paper") == 0;
    plan->seed = (uint64_t)number_of(arguments, OPT_SEED);
    plan->threads = threads_of(arguments);
    temper_status status = check_uses(arguments, plan->experiment->measure);
    if (status != TEMPER_OK || plan->experiment->measure == MEASURE_NOTHING)
        return status;
    /* A figure of functions needs neither sizes nor lists. */
    status = read_sizes(arguments, plan);
    return status == TEMPER_OK ? read_lists(arguments, plan) : status;
}

/* ---- Cells and lines ------------------------------------------------------------------------- */

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The extent of each dimension of the grid of cells, the fastest changing last. Methods change faster than noise and
 * noise faster than splits, so that consecutive cells share the rows in memory. */
struct cell_counts {
    size_t set, split, noise, rate, method, deviation;
};

/* Absent dimensions count 1, so that their only index is 0. */
static struct cell_counts count(const struct experiment_plan *plan)
{
    struct cell_counts counts = {plan->set_count,   plan->splits,       plan->noise_count,
                                 plan->rates.count, plan->method_count, plan->deviations.count};
    counts.method += counts.method == 0; /* selection has none */
    /* only "starts" has deviations */
    counts.deviation += counts.deviation == 0;
    return counts;
}

/* Removes the last digit of a number in mixed bases from *index and returns it. */
static size_t digit(size_t *index, size_t base)
{
    size_t last = *index % base;
    *index /= base;
    return last;
}

/* The index-th cell. At rate 0 all kinds of noise give the same cell, "none": it has one key, and is measured once. */
bool plan_cell(const struct experiment_plan *plan, size_t index, struct experiment_cell *cell)
{
    struct cell_counts counts = count(plan);
    if (index >= plan_cells(plan))
        return false;
    /* From the fastest changing dimension to the slowest. */
    size_t deviation = digit(&index, counts.deviation), method = digit(&index, counts.method);
    size_t rate = digit(&index, counts.rate), noise = digit(&index, counts.noise);
    size_t split = digit(&index, counts.split); /* the remaining index is that of the set */
    *cell = (struct experiment_cell){
        .set = plan->sets[index],
        .split = split,
        .rate = plan->rates.value[rate],
        .method = plan->method_count > 0 ? &plan->methods[method] : NULL,
        .deviation = plan->deviations.count > 0 ? plan->deviations.value[deviation] : 0,
    };
    cell->noise = cell->rate > 0 ? plan->noises[noise] : "none";
    return true;
}

/* With repetitions of the clean cell, one for each kind of noise. */
size_t plan_cells(const struct experiment_plan *plan)
{
    struct cell_counts counts = count(plan);
    if (plan->experiment->measure == MEASURE_NOTHING)
        return 0;
    return counts.set * counts.split * counts.noise * counts.rate * counts.method * counts.deviation;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Lines of the table of one data set: the clean one once, if rate 0 is listed (rates ascend, so it comes first). */
static size_t lines_of_set(const struct experiment_plan *plan)
{
    struct cell_counts counts = count(plan);
    bool clean = plan->rates.count > 0 && plan->rates.value[0] == 0;
    size_t noisy = counts.noise * (counts.rate - clean);
    return (noisy + clean) * counts.deviation;
}

/* Lines of all data sets. */
size_t plan_lines(const struct experiment_plan *plan)
{
    return plan->set_count * lines_of_set(plan);
}

/* The index-th line: the clean one first, then each kind of noise with its rates. Split and method are the first ones;
 * callers set others. */
bool plan_line(const struct experiment_plan *plan, size_t index, struct experiment_cell *cell)
{
    struct cell_counts counts = count(plan);
    /* Each data set has the same number of lines. */
    size_t here = lines_of_set(plan);
    bool clean = plan->rates.count > 0 && plan->rates.value[0] == 0;
    if (index >= plan_lines(plan))
        return false;
    size_t line = index % here, deviation = digit(&line, counts.deviation);
    /* Line 0 is the clean one, if there is one. */
    bool noisy = !clean || line > 0;
    size_t at = line - (clean && noisy), noisy_rates = counts.rate - clean; /* index among the noisy lines */
    *cell = (struct experiment_cell){
        .set = plan->sets[index / here],
        .noise = noisy ? plan->noises[at / noisy_rates] : "none",
        .rate = noisy ? plan->rates.value[at % noisy_rates + clean] : 0,
        .method = plan->method_count > 0 ? &plan->methods[0] : NULL,
        .deviation = plan->deviations.count > 0 ? plan->deviations.value[deviation] : 0,
    };
    return true;
}

/* For tables and titles. */
const char *plan_line_text(const struct experiment_plan *plan, const struct experiment_cell *cell, char text[LINE_TEXT])
{
    if (plan->experiment->measure == MEASURE_STARTS && cell->deviation == 0)
        snprintf(text, LINE_TEXT, "from zero");
    else if (plan->experiment->measure == MEASURE_STARTS)
        snprintf(text, LINE_TEXT, "deviation %g", cell->deviation);
    else if (cell->rate == 0)
        snprintf(text, LINE_TEXT, "clean");
    else
        snprintf(text, LINE_TEXT, "%s, %g %%", cell->noise, 100 * cell->rate);
    return text;
}

/* Seeds of different --seed values do not overlap up to 1000 splits (SPLITS_MOST is 100). */
unsigned long long plan_seed(const struct experiment_plan *plan, size_t split)
{
    return plan->seed * 1000 + split;
}

/* --scale, else that of the data set; NULL: the default of training. */
const char *plan_scale(const struct experiment_plan *plan, const struct paper_data *set)
{
    return plan->scale ? plan->scale : set->scale;
}

/* --classes, else those of the data set. */
const char *plan_classes(const struct experiment_plan *plan, const struct paper_data *set)
{
    return plan->classes ? plan->classes : set->classes;
}

/* Titles of the table name the paper's classes, so they do not fit with --classes. */
const char *plan_title(const struct experiment_plan *plan, const struct paper_data *set, char title[TITLE_TEXT])
{
    if (plan->classes)
        snprintf(title, TITLE_TEXT, "%s, classes %.100s", set->name, plan->classes);
    else
        snprintf(title, TITLE_TEXT, "%s", set->title);
    return title;
}

/* ---- Losses and grids ------------------------------------------------------------------------ */

/* Temperatures of the method itself, else those that the paper reports for the data set. */
temper_loss_spec cell_loss(const struct experiment_cell *cell)
{
    const struct compared_method *method = cell->method;
    temper_loss_spec loss = method->loss;
    loss.t1 = method->fixed ? loss.t1 : cell->set->t1;
    loss.t2 = method->fixed ? loss.t2 : cell->set->t2;
    return temper_loss_resolve(loss);
}

/* The word of the grid that begins with `begin`, or "". */
static const char *grid_word(const char *grid, const char *begin, char word[WORD_LENGTH])
{
    for (const char *rest = grid; rest;) {
        next_word(&rest, ' ', word);
        if (strncmp(word, begin, strlen(begin)) == 0)
            return word;
    }
    return "";
}

/* "t1=0.1", in every locale. */
static const char *number_word(const char *name, double number, char word[WORD_LENGTH])
{
    char digits[NUMBER_LENGTH];
    number_write_f64(number, digits);
    snprintf(word, WORD_LENGTH, "%s%s", name, digits);
    return word;
}

/* Selects from the plan's lists those that the method has: "only" keeps the tuner from adding its standard candidates.
 * Fixed temperatures become lists of one number; other parameters follow the name of the loss. */
const char *plan_grid(const struct experiment_plan *plan, const struct experiment_cell *cell, char grid[GRID_LENGTH])
{
    char t1[WORD_LENGTH], t2[WORD_LENGTH], l2[WORD_LENGTH];
    if (!cell->method) {
        snprintf(grid, GRID_LENGTH, "%s", plan->grid);
        return grid;
    }
    /* Lists that are absent become "", and the tuner uses its own. */
    const char *first = grid_word(plan->grid, "t1=", t1);
    const char *second = grid_word(plan->grid, "t2=", t2);
    /* Only the penalty is tuned then. */
    if (plan->paper_temperatures || cell->method->fixed) {
        temper_loss_spec loss = cell_loss(cell);
        first = number_word("t1=", loss.t1, t1);
        second = number_word("t2=", loss.t2, t2);
    }
    /* Losses with other parameters have no temperatures to choose. */
    bool own = temper_method_parameter(cell->method->loss.method, 0) != NULL;
    char loss[TEMPER_LOSS_TEXT];
    temper_loss_format(cell->method->loss, loss);
    snprintf(grid, GRID_LENGTH, "loss=%s%s%s %s %s only", loss, own ? "" : " ", own ? "" : first, own ? "" : second,
             grid_word(plan->grid, "l2=", l2));
    return grid;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Appends to the key the parameters that only some measurements depend on. Times depend on the number of threads; other
 * results are the same for any number, so it is not in their key. */
static void add_tuning(const struct experiment_plan *plan, const struct experiment_cell *cell, char *key, size_t room)
{
    char grid[GRID_LENGTH], digits[WORD_LENGTH];
    switch (plan->experiment->measure) {
    case MEASURE_ACCURACY:
    case MEASURE_SELECTION:
        snprintf(key, room, "; folds %zu; grid %s; criterion %s", plan->folds, plan_grid(plan, cell, grid),
                 plan->experiment->measure == MEASURE_ACCURACY ? plan->criterion : "all");
        break;
    case MEASURE_TIME:
        snprintf(key, room, "; threads %zu", plan->threads);
        break;
    case MEASURE_STARTS:
        snprintf(key, room, "%s", number_word("; deviation ", cell->deviation, digits));
        break;
    case MEASURE_NOTHING:
        break;
    }
}

enum { RANK_TEXT = 2 * WORD_LENGTH };

/* How margin noise ranks the rows; "" for other noise. The tolerance distinguishes results of versions that ended the
 * regression earlier, and chose other rows, from those of this one. */
static const char *rank_words(const struct experiment_plan *plan, const struct experiment_cell *cell,
                              char words[RANK_TEXT])
{
    char l2[WORD_LENGTH];
    *words = '\0';
    if (strstr(cell->noise, "margin"))
        snprintf(words, RANK_TEXT, " ranked to 1e-8%s%s%s", number_word(", l2 ", plan->rank_l2, l2),
                 plan->rank_scale ? ", scale " : "", plan->rank_scale ? plan->rank_scale : "");
    return words;
}

/* The key has no version of temper: results of an earlier version are used again. Numbers are written in their shortest
 * exact form, so that equal values give equal keys in every locale. */
const char *plan_key(const struct experiment_plan *plan, const struct experiment_cell *cell, char key[KEY_LENGTH])
{
    /* In the order of enum experiment_measure; part of the file format. */
    static const char *const measures[] = {"nothing", "accuracy", "time", "starts", "selection"};
    const char *classes = plan_classes(plan, cell->set), *scale = plan_scale(plan, cell->set);
    char share[WORD_LENGTH], rate[WORD_LENGTH], ranked[RANK_TEXT];
    snprintf(key, KEY_LENGTH,
             "%s; set %s; classes %s; scale %s; rows %zu; %s; seed %llu; split %zu; noise %s%s; "
             "%s; method %s",
             measures[plan->experiment->measure], cell->set->name, classes ? classes : "largest",
             scale ? scale : "as trained", plan->rows, number_word("test ", plan->experiment->test_share, share),
             plan->seed, cell->split, cell->noise, rank_words(plan, cell, ranked),
             number_word("rate ", cell->rate, rate), cell->method ? cell->method->label : "all");
    size_t length = strlen(key);
    add_tuning(plan, cell, key + length, KEY_LENGTH - length);
    return key;
}
