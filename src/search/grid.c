/* grid: candidates from lists and ranges of temperatures and penalties.
 *
 * The text is a list of words NAME=VALUES; each replaces the list of that name in the default grid. The candidates are
 * the product of losses, temperatures and penalties, without duplicates: a loss that is the same function under another
 * name or with other temperatures is added once. Neighbours in the table differ in the penalty, from the largest to the
 * smallest, which is the order of a path of warm starts. */
#include "search/grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "tempered/loss_family.h"
#include "train/train.h"

enum { MOST_VALUES = 256, MOST_CANDIDATES = 100000 };

/* A list without repetitions, in the order in which it was written. */
struct grid_values {
    double value[MOST_VALUES];
    size_t count;
};

/* The lists that have been parsed so far. A list that occurs twice replaces the earlier one. */
struct grid_lists {
    struct grid_values t1, t2, l2, l1;
    bool given_l2;                      /* by the text itself */
    temper_loss_spec loss[MOST_VALUES]; /* losses that are combined with the temperatures */
    size_t losses;
    bool only;         /* do not add logistic regression and the reference */
    double default_l2; /* lambda_0, the unit of values that end in x */
};

/* The bytes [from, to) of the grid's text, which is never copied. */
struct grid_text {
    const char *from, *to;
};

/* ---- Values ---------------------------------------------------------------------------------- */

/* An error that quotes at most 60 bytes of the word, since the text comes from the user and may have any length. */
static temper_status bad_word(struct grid_text word, const char *why, temper_error *error)
{
    return error_set(error, TEMPER_USAGE, "grid: '%.*s' %s; give lists such as t1=0.1,0.5 t2=1,1.5 l2=1e-5..1e-1:5",
                     (int)(word.to - word.from < 60 ? word.to - word.from : 60), word.from, why);
}

/* Returns the text before the first `mark` and advances *rest beyond it; without a mark, returns all and leaves
 * *rest empty. */
static struct grid_text split_at(struct grid_text *rest, char mark)
{
    const char *end = memchr(rest->from, mark, (size_t)(rest->to - rest->from));
    struct grid_text piece = {rest->from, end ? end : rest->to};
    rest->from = end ? end + 1 : rest->to;
    return piece;
}

/* Parses a finite number >= 0; "3x" is three times lambda_0, for penalties only. */
static bool read_value(struct grid_text text, const struct grid_lists *lists, bool is_l2, double *value)
{
    /* A trailing x marks a multiple of lambda_0. */
    bool times = is_l2 && text.to > text.from && text.to[-1] == 'x';
    if (number_f64(text.from, text.to - times, value) != NUMBER_OK || !(*value >= 0))
        return false;
    if (times)
        *value *= lists->default_l2;
    return !is_l2 || train_check_l2(*value, NULL) == TEMPER_OK;
}

/* Equal values would make candidates that are fitted twice. */
static void add_value(struct grid_values *values, double value)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->value[i] == value)
            return;
    values->value[values->count++] = value;
}

/* FROM..TO:COUNT. Temperatures are spaced evenly, as they may be 0, penalties geometrically. Both ends are the
 * numbers as written, without the rounding of the formula, so that a range and a list with the same value make one
 * candidate. */
static bool add_range(struct grid_text item, const char *dots, const struct grid_lists *lists,
                      struct grid_values *values)
{
    bool is_l2 = values == &lists->l2, geometric = is_l2 || values == &lists->l1;
    /* The count is limited by the free entries of the list, before anything is added. */
    const char *colon = memchr(dots, ':', (size_t)(item.to - dots));
    double from, to;
    unsigned long long count;
    if (!colon || !number_u64(colon + 1, item.to, &count) || count < 2 || count > MOST_VALUES - values->count ||
        !read_value((struct grid_text){item.from, dots}, lists, is_l2, &from) ||
        !read_value((struct grid_text){dots + 2, colon}, lists, is_l2, &to) || (geometric && !(from > 0 && to > 0)))
        return false;
    /* A range may overlap with values before it; add_value leaves those out. */
    for (size_t i = 0; i < (size_t)count; i++) {
        double share = (double)i / (double)(count - 1);
        double inside = geometric ? from * pow(to / from, share) : from + share * (to - from);
        add_value(values, i == 0 ? from : i + 1 == (size_t)count ? to : inside);
    }
    return true;
}

/* Parses VALUE,VALUE,FROM..TO:COUNT after the equals sign. `values` is one of the lists of `lists`; its address
 * distinguishes penalties from temperatures. */
static temper_status read_values(struct grid_text word, struct grid_text rest, const struct grid_lists *lists,
                                 struct grid_values *values, temper_error *error)
{
    values->count = 0;
    if (rest.to[-1] == ',')
        return bad_word(word, "ends in a comma", error);
    do {
        struct grid_text item = split_at(&rest, ',');
        /* Numbers contain single dots, so only two adjacent ones mark a range. */
        const char *dots = item.from;
        while (dots + 1 < item.to && !(dots[0] == '.' && dots[1] == '.'))
            dots++;
        bool range = dots + 1 < item.to, fits = values->count < MOST_VALUES;
        double value;
        if (!fits)
            return bad_word(word, "has too many values (there may be 256)", error);
        if (range && !add_range(item, dots, lists, values))
            return bad_word(word, "has an invalid range; write FROM..TO:COUNT with 2 to 256 values", error);
        if (!range && !read_value(item, lists, values == &lists->l2, &value))
            return bad_word(word, values == &lists->l2 ? "needs numbers from 0 to 1e15" : "needs numbers >= 0", error);
        if (!range)
            add_value(values, value);
    } while (rest.from < rest.to);
    return TEMPER_OK;
}

/* Parses the names after loss=, such as tempered,hinge:0.5,sce:0.1:1:-4; the numbers after a colon are parameters that
 * only this method has. A loss may occur several times, with other parameters. An unknown name and wrong numbers are
 * different mistakes, so the name is parsed once alone and once with its numbers. */
static temper_status read_losses(struct grid_text word, struct grid_text rest, struct grid_lists *lists,
                                 temper_error *error)
{
    lists->losses = 0;
    if (rest.to[-1] == ',')
        return bad_word(word, "ends in a comma", error);
    do {
        struct grid_text item = split_at(&rest, ','), after = item, name = split_at(&after, ':');
        temper_loss_spec loss = {0};
        if (lists->losses == MOST_VALUES)
            return bad_word(word, "has too many losses (there may be 256)", error);
        if (!loss_parse(name.from, (size_t)(name.to - name.from), true, &loss))
            return bad_word(word, "names an unknown loss", error);
        if (!loss_parse(item.from, (size_t)(item.to - item.from), true, &loss))
            return bad_word(word, "gives parameters that the loss does not have, too few, or out of range", error);
        lists->loss[lists->losses++] = loss;
    } while (rest.from < rest.to);
    return TEMPER_OK;
}

/* One word of the grid: NAME=LIST, or `only`. */
static temper_status read_word(struct grid_text word, struct grid_lists *lists, temper_error *error)
{
    struct grid_text rest = word, name = split_at(&rest, '=');
    size_t length = (size_t)(name.to - name.from);
    /* `only` has no list, so that nothing may follow the name. */
    if (length == 4 && memcmp(name.from, "only", 4) == 0 && name.to == word.to) {
        lists->only = true;
        return TEMPER_OK;
    }
    if (rest.from >= rest.to)
        return bad_word(word, "is not a list", error);
    if (length == 4 && memcmp(name.from, "loss", 4) == 0)
        return read_losses(word, rest, lists, error);
    const struct {
        const char *name;
        struct grid_values *values;
    } known[] = {{"t1", &lists->t1}, {"t2", &lists->t2}, {"l2", &lists->l2}, {"l1", &lists->l1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length == 2 && memcmp(name.from, known[i].name, 2) == 0) {
            lists->given_l2 = lists->given_l2 || known[i].values == &lists->l2;
            return read_values(word, rest, lists, known[i].values, error);
        }
    return bad_word(word, "is unknown (known are t1, t2, l2, l1, loss and only)", error);
}

/* Words are separated by any number of blanks. */
static temper_status read_lists(const char *text, struct grid_lists *lists, temper_error *error)
{
    struct grid_text rest = {text, text + strlen(text)};
    temper_status status = TEMPER_OK;
    while (status == TEMPER_OK && rest.from < rest.to) {
        struct grid_text word = split_at(&rest, ' ');
        if (word.from < word.to)
            status = read_word(word, lists, error);
    }
    return status;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* A candidate without results: NAN is "not measured" in the table, in the report and in checkpoints. */
static const temper_tune_candidate unknown = {.accuracy = NAN,
                                              .accuracy_error = NAN,
                                              .log_loss = NAN,
                                              .bounded_loss = NAN,
                                              .trusted = NAN,
                                              .half_accuracy = NAN,
                                              .agreement = NAN,
                                              .balance = NAN,
                                              .band_error = {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
                                              .top_error = NAN,
                                              .top_ratio = NAN,
                                              .undecided = NAN,
                                              .code_length = NAN};

/* Adds a loss with all penalties, unless the grid has the same function already: different temperatures or names may
 * be the same loss. */
static void add_loss(const struct grid_lists *lists, temper_loss_spec loss, struct candidate_grid *grid)
{
    for (size_t i = 0; i < grid->count; i++)
        if (loss_same_function(grid->table[i].loss, loss))
            return;
    for (size_t i = 0; i < lists->l2.count * lists->l1.count; i++) {
        memcpy(&grid->table[grid->count], &unknown, sizeof unknown);
        grid->table[grid->count].loss = loss;
        grid->table[grid->count].l2 = lists->l2.value[i / lists->l1.count];
        grid->table[grid->count++].l1 = lists->l1.value[i % lists->l1.count];
    }
}

/* Adds a loss with all pairs of temperatures; returns the number of pairs that cannot be trained. A list of values may
 * be sensible although some of its pairs are not, so that these are counted and reported together. */
static size_t add_pairs(const struct grid_lists *lists, temper_loss_spec loss, struct candidate_grid *grid)
{
    size_t left_out = 0;
    /* Methods without temperatures resolve all pairs to one loss, which add_loss adds once. */
    for (size_t i = 0; i < lists->t1.count; i++)
        for (size_t j = 0; j < lists->t2.count; j++) {
            loss.t1 = lists->t1.value[i];
            loss.t2 = lists->t2.value[j];
            temper_loss_spec resolved = loss_resolve(loss);
            if (train_check_loss(resolved, NULL) == TEMPER_OK)
                add_loss(lists, resolved, grid);
            else
                left_out++;
        }
    return left_out;
}

/* Insertion sort of at most MOST_VALUES penalties: the largest first, as grid.h promises. */
static void sort_falling(struct grid_values *values)
{
    for (size_t i = 1; i < values->count; i++)
        for (size_t j = i; j > 0 && values->value[j] > values->value[j - 1]; j--) {
            double swap = values->value[j];
            values->value[j] = values->value[j - 1];
            values->value[j - 1] = swap;
        }
}

/* Makes the table. Logistic regression and the reference of the rule CV+C are added unless `only` was given: the
 * report compares with the former, and the rule needs the latter. */
static temper_status fill(const struct grid_lists *lists, struct candidate_grid *grid, temper_error *error)
{
    /* Order: logistic regression, then the reference. */
    static const temper_loss_spec added[] = {{.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1},
                                             {.method = TEMPER_TEMPERED, .t1 = REFERENCE_T1, .t2 = REFERENCE_T2}};
    /* An upper bound of the number of losses; duplicates and pairs that cannot be trained are not subtracted. */
    size_t most = (2 + lists->losses * lists->t1.count * lists->t2.count) * lists->l2.count * lists->l1.count;
    size_t left_out = 0;
    if (most > MOST_CANDIDATES)
        return error_set(error, TEMPER_USAGE, "grid: %s candidates are more than 100,000; give fewer values",
                         count_shown(most).text);
    grid->table = mem_alloc(most, sizeof *grid->table);
    if (!grid->table)
        return error_no_memory(error);
    /* In the order of the enumeration, whatever the order in the text. */
    for (size_t method = 0; method < TEMPER_METHODS; method++)
        for (size_t i = 0; i < lists->losses; i++)
            if (lists->loss[i].method == (temper_method)method)
                left_out += add_pairs(lists, lists->loss[i], grid);
    /* Checked before the two losses are added: a user whose own list is empty should know it. */
    if (grid->count == 0)
        return error_set(error, TEMPER_USAGE,
                         "grid: none of these temperatures can be trained: the loss or its slope "
                         "is unbounded for t2 < 1 <= t1 and for t2 < t1 < 1; raise t2");
    for (size_t i = 0; !lists->only && i < 2; i++)
        add_loss(lists, added[i], grid);
    if (left_out)
        snprintf(grid->note, sizeof grid->note,
                 "%zu pairs of temperatures are left out of the grid, as their loss or its slope is "
                 "unbounded (t2 < 1 <= t1, or t2 < t1 < 1)",
                 left_out);
    return TEMPER_OK;
}

/* The lists of a named grid, all three of them; NULL: it is no name. Few rows cannot rank many candidates: the best of
 * 120 is then the luckiest one, and takes longer to find (docs/notes/2026-11-17-tuning.md). */
static const char *named_grid(const char *text, uint64_t rows)
{
    if (!text || strcmp(text, "default") == 0)
        return rows < TEMPER_GRID_SMALL_ROWS ? TEMPER_GRID_SMALL : TEMPER_GRID_DEFAULT;
    return strcmp(text, "small") == 0   ? TEMPER_GRID_SMALL
           : strcmp(text, "full") == 0  ? TEMPER_GRID_DEFAULT
           : strcmp(text, "paper") == 0 ? TEMPER_GRID_PAPER
                                        : NULL;
}

/* With a list of L1 penalties there is no other one, unless a list of l2 is given too: the default list is for models
 * without the first. */
static temper_status take_l1(struct grid_lists *lists, temper_error *error)
{
    bool absolute = lists->l1.count > 1 || lists->l1.value[0] > 0;
    for (size_t i = 0; absolute && i < lists->losses; i++)
        if (lists->loss[i].method == TEMPER_HINGE)
            return error_set(error, TEMPER_USAGE, "grid: loss hinge is not trained with an L1 penalty; drop it, or l1");
    if (absolute && !lists->given_l2)
        lists->l2 = (struct grid_values){.count = 1};
    return TEMPER_OK;
}

/* The full grid is read first, so that lists which the text does not mention are as there, for data of any size.
 * Penalties are sorted from the largest to the smallest, the order in which a path of fits follows them. */
static temper_status parse_lists(const char *text, uint64_t rows, struct grid_lists *lists, temper_error *error)
{
    const char *named = named_grid(text, rows);
    TRY(read_lists(named ? named : TEMPER_GRID_DEFAULT, lists, error));
    lists->given_l2 = false;
    if (!named)
        TRY(read_lists(text, lists, error));
    if (!named)
        TRY(take_l1(lists, error));
    sort_falling(&lists->l2);
    sort_falling(&lists->l1);
    return TEMPER_OK;
}

temper_status grid_parse(const char *text, double default_l2, uint64_t rows, struct candidate_grid *out,
                         temper_error *error)
{
    struct candidate_grid grid = {0};
    struct grid_lists *lists = mem_zeroed(1, sizeof *lists); /* 24 KiB: too much for a stack */
    if (!lists)
        return error_no_memory(error);
    lists->loss[0].method = TEMPER_TEMPERED;
    lists->losses = 1;
    lists->default_l2 = default_l2;
    lists->l1.count = 1;
    temper_status status = parse_lists(text, rows, lists, error);
    if (status == TEMPER_OK)
        status = fill(lists, &grid, error);
    mem_free(lists);
    if (status != TEMPER_OK) {
        grid_free(&grid);
        return status;
    }
    *out = grid;
    return TEMPER_OK;
}

void grid_free(struct candidate_grid *grid)
{
    mem_free(grid->table);
    *grid = (struct candidate_grid){0};
}
