/* experiment_cells: what a plan measures, and what each of its results depends on. */
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

/* How many there are of each, the fastest changing last. */
struct counts {
    size_t set, split, noise, rate, method, deviation;
};

static struct counts count(const struct plan *plan)
{
    struct counts counts = {plan->set_count,   plan->splits,       plan->noise_count,
                            plan->rates.count, plan->method_count, plan->deviations.count};
    counts.method += counts.method == 0; /* selection has none */
    counts.deviation += counts.deviation == 0;
    return counts;
}

/* Takes the last figure off a mixed number. */
static size_t digit(size_t *index, size_t base)
{
    size_t last = *index % base;
    *index /= base;
    return last;
}

/* Without noise all kinds are the same: the first one stands for them. */
bool plan_cell(const struct plan *plan, size_t index, struct cell *cell)
{
    struct counts counts = count(plan);
    if (index >= plan_cells(plan))
        return false;
    size_t deviation = digit(&index, counts.deviation), method = digit(&index, counts.method);
    size_t rate = digit(&index, counts.rate), noise = digit(&index, counts.noise);
    size_t split = digit(&index, counts.split); /* what is left is the set */
    *cell = (struct cell){
        .set = plan->sets[index],
        .split = split,
        .rate = plan->rates.value[rate],
        .method = plan->method_count > 0 ? &plan->methods[method] : NULL,
        .deviation = plan->deviations.count > 0 ? plan->deviations.value[deviation] : 0,
    };
    cell->noise = cell->rate > 0 ? plan->noises[noise] : "none";
    return true;
}

size_t plan_cells(const struct plan *plan)
{
    struct counts counts = count(plan);
    if (plan->experiment->measure == MEASURE_NOTHING)
        return 0;
    return counts.set * counts.split * counts.noise * counts.rate * counts.method * counts.deviation;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static size_t lines_of_set(const struct plan *plan)
{
    struct counts counts = count(plan);
    bool clean = plan->rates.count > 0 && plan->rates.value[0] == 0;
    size_t noisy = counts.noise * (counts.rate - clean);
    return (noisy + clean) * counts.deviation;
}

size_t plan_lines(const struct plan *plan)
{
    return plan->set_count * lines_of_set(plan);
}

/* Clean rows once, then each kind with its rates. */
bool plan_line(const struct plan *plan, size_t index, struct cell *cell)
{
    struct counts counts = count(plan);
    size_t here = lines_of_set(plan);
    bool clean = plan->rates.count > 0 && plan->rates.value[0] == 0;
    if (index >= plan_lines(plan))
        return false;
    size_t line = index % here, deviation = digit(&line, counts.deviation);
    bool noisy = !clean || line > 0;
    size_t at = line - (clean && noisy), noisy_rates = counts.rate - clean;
    *cell = (struct cell){
        .set = plan->sets[index / here],
        .noise = noisy ? plan->noises[at / noisy_rates] : "none",
        .rate = noisy ? plan->rates.value[at % noisy_rates + clean] : 0,
        .method = plan->method_count > 0 ? &plan->methods[0] : NULL,
        .deviation = plan->deviations.count > 0 ? plan->deviations.value[deviation] : 0,
    };
    return true;
}

const char *plan_line_text(const struct plan *plan, const struct cell *cell, char text[LINE_TEXT])
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

unsigned long long plan_seed(const struct plan *plan, size_t split)
{
    return plan->seed * 1000 + split;
}

const char *plan_scale(const struct plan *plan, const struct source *set)
{
    return plan->scale ? plan->scale : set->scale;
}

const char *plan_classes(const struct plan *plan, const struct source *set)
{
    return plan->classes ? plan->classes : set->classes;
}

const char *plan_title(const struct plan *plan, const struct source *set, char title[TITLE_TEXT])
{
    if (plan->classes)
        snprintf(title, TITLE_TEXT, "%s, classes %.100s", set->name, plan->classes);
    else
        snprintf(title, TITLE_TEXT, "%s", set->title);
    return title;
}

/* ---- Losses and grids ------------------------------------------------------------------------ */

temper_loss_spec cell_loss(const struct cell *cell)
{
    const struct method *method = cell->method;
    temper_loss_spec loss = temper_train_defaults().loss;
    loss.method = method->method;
    loss.t1 = method->fixed ? method->t1 : cell->set->t1;
    loss.t2 = method->fixed ? method->t2 : cell->set->t2;
    loss.smoothing = method->method == TEMPER_HINGE ? method->smoothing : 0;
    return temper_loss_resolve(loss);
}

/* The word of the grid that begins so, or "". */
static const char *grid_word(const char *grid, const char *begin, char word[WORD_LENGTH])
{
    for (const char *rest = grid; rest;) {
        next_word(&rest, ' ', word);
        if (strncmp(word, begin, strlen(begin)) == 0)
            return word;
    }
    return "";
}

/* "t1=0.1", whatever the locale is. */
static const char *number_word(const char *name, double number, char word[WORD_LENGTH])
{
    char digits[TEMPER_NUMBER_LENGTH];
    temper_format_number(number, digits);
    snprintf(word, WORD_LENGTH, "%s%s", name, digits);
    return word;
}

const char *plan_grid(const struct plan *plan, const struct cell *cell, char grid[GRID_LENGTH])
{
    char t1[WORD_LENGTH], t2[WORD_LENGTH], l2[WORD_LENGTH];
    if (!cell->method) {
        snprintf(grid, GRID_LENGTH, "%s", plan->grid);
        return grid;
    }
    const char *first = grid_word(plan->grid, "t1=", t1);
    const char *second = grid_word(plan->grid, "t2=", t2);
    if (plan->paper_temperatures || cell->method->fixed) {
        temper_loss_spec loss = cell_loss(cell);
        first = number_word("t1=", loss.t1, t1);
        second = number_word("t2=", loss.t2, t2);
    }
    if (cell->method->method == TEMPER_HINGE) { /* it has no temperatures */
        first = number_word(":", cell->method->smoothing, t1);
        second = "";
    }
    snprintf(grid, GRID_LENGTH, "loss=%s%s%s %s %s only", temper_method_name(cell->method->method),
             *first == ':' ? "" : " ", first, second, grid_word(plan->grid, "l2=", l2));
    return grid;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* What only some measurements depend on. */
static void add_tuning(const struct plan *plan, const struct cell *cell, char *key, size_t room)
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

const char *plan_key(const struct plan *plan, const struct cell *cell, char key[KEY_LENGTH])
{
    static const char *const measures[] = {"nothing", "accuracy", "time", "starts", "selection"};
    const char *classes = plan_classes(plan, cell->set), *scale = plan_scale(plan, cell->set);
    char share[WORD_LENGTH], rate[WORD_LENGTH];
    snprintf(key, KEY_LENGTH,
             "%s; set %s; classes %s; scale %s; rows %zu; %s; seed %llu; split %zu; noise %s; "
             "%s; method %s",
             measures[plan->experiment->measure], cell->set->name, classes ? classes : "largest",
             scale ? scale : "as trained", plan->rows, number_word("test ", plan->experiment->test_share, share),
             plan->seed, cell->split, cell->noise, number_word("rate ", cell->rate, rate),
             cell->method ? cell->method->label : "all");
    size_t length = strlen(key);
    add_tuning(plan, cell, key + length, KEY_LENGTH - length);
    return key;
}
