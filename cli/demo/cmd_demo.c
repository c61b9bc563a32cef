/* cmd_demo: temper demo. Makes two data sets, flips 10 % of the labels in a copy of each, trains logistic regression
 * and the two-temperature loss on clean and noisy labels, compares them on clean test rows, and counts how many of the
 * flipped labels each model finds. With --data the rows are the user's (demo_table.h). */
#include <stdlib.h>

#include "apply_model.h"
#include "demo/demo.h"
#include "demo/demo_table.h"
#include "message.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "progress.h"
#include "temper_extra.h"

const char *const demo_methods[METHODS] = {"logistic", "two-temperature"};
static const double noise_rate = 0.1; /* "10 % flipped" in table and page */

/* The losses that are compared, at the defaults of 'temper train': tuning for the demo would be unfair. */
temper_loss_spec demo_loss(size_t method)
{
    temper_loss_spec loss = temper_train_defaults().loss;
    if (method == LOGISTIC)
        loss.method = TEMPER_LOGISTIC;
    return temper_loss_resolve(loss);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* A data set around the arrays of the rows, which must outlive it. */
static temper_status to_data(const struct demo_rows *rows, temper_data **data)
{
    temper_error error;
    return checked(temper_data_borrow_f64(rows->x, rows->count, rows->features, rows->label, data, &error), &error);
}

/* Makes training and test rows, and the copy with flipped labels. Test rows have later row numbers than the training
 * rows, so that no row is in both sets. On failure free_set frees what was made. */
static temper_status make_data(struct demo_set *set, row_maker *make, uint64_t seed)
{
    const temper_noise_options noise = {
        .struct_size = sizeof(temper_noise_options), .kind = "random", .rate = noise_rate, .seed = seed};
    temper_error error;
    /* Few rows for the picture; more for 21 features. Test rows are cheap, and make the accuracy precise to 0.5 points.
     * */
    set->train.count = make == make_two_features ? 600 : 2000;
    set->test.count = 4000;
    TRY(make_rows(make, seed, 0, &set->train));
    TRY(make_rows(make, seed, set->train.count, &set->test));
    TRY(to_data(&set->train, &set->clean));
    TRY(to_data(&set->test, &set->clean_test));
    return checked(temper_data_add_noise(set->clean, &noise, &set->noisy, &set->changes, &set->flipped, &error),
                   &error);
}

/* ---- Models ---------------------------------------------------------------------------------- */

temper_status demo_train(const temper_data *data, const temper_data *test, size_t method, size_t threads,
                         struct demo_fit *fit)
{
    temper_error error;
    temper_train_report report;
    temper_train_options options = temper_train_defaults();
    /* Everything but the loss is the same for both methods. */
    options.loss = demo_loss(method);
    options.threads = threads;
    options.calibrate = "none"; /* only labels and scores are used */
    TRY(checked(temper_train(data, &options, &fit->model, &report, &error), &error));
    return model_accuracy(fit->model, test, threads, &fit->accuracy);
}

/* A training row in the order of suspicion. */
struct ranked_row {
    double probability; /* of the given label */
    size_t row;         /* counted from 0 */
};

/* Ascending by probability; ties in the order of the rows, since qsort is not stable and differs between C libraries.
 * */
static int by_probability(const void *left, const void *right)
{
    const struct ranked_row *a = left, *b = right;
    if (a->probability != b->probability)
        return a->probability < b->probability ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* A linear search: called for some hundred rows only. */
static bool was_flipped(const struct demo_set *set, size_t row)
{
    for (size_t i = 0; i < set->flipped; i++)
        if (set->changes[i].row == row + 1)
            return true;
    return false;
}

/* Ranks the rows by the probability of their given label, the least likely first, and counts the flipped ones among the
 * first `flipped` rows. p[rows][2] is working memory. Raw probabilities are those of the loss itself, before
 * calibration; the ranking needs no calibration. */
static temper_status rank(struct demo_set *set, size_t method, size_t threads, double *p, struct ranked_row *ranked)
{
    temper_error error;
    const uint32_t *given = temper_data_labels(set->noisy);
    size_t count = set->train.count;
    TRY(checked(
        temper_predict(set->on_noisy[method].model, set->noisy, TEMPER_PREDICT_RAW_PROBABILITIES, threads, p, &error),
        &error));
    for (size_t i = 0; i < count; i++)
        /* The probability of the label that the row has, not of the predicted one. */
        ranked[i] = (struct ranked_row){p[2 * i + given[i]], i};
    qsort(ranked, count, sizeof *ranked, by_probability);
    for (size_t i = 0; i < set->flipped; i++)
        set->found[method] += was_flipped(set, ranked[i].row);
    return TEMPER_OK;
}

/* Allocates the working memory of `rank`. */
static temper_status find_flipped(struct demo_set *set, size_t method, size_t threads)
{
    double *p = calloc(set->train.count, 2 * sizeof *p);
    struct ranked_row *ranked = calloc(set->train.count, sizeof *ranked);
    temper_status status = p && ranked ? rank(set, method, threads, p, ranked) : fail_no_memory();
    free(p);
    free(ranked);
    return status;
}

/* All computations on one data set: four fits, and two searches for flipped labels. */
static temper_status run_set(struct demo_set *set, row_maker *make, uint64_t seed, size_t threads)
{
    TRY(make_data(set, make, seed));
    for (size_t i = 0; i < METHODS; i++) {
        TRY(demo_train(set->clean, set->clean_test, i, threads, &set->on_clean[i]));
        TRY(demo_train(set->noisy, set->clean_test, i, threads, &set->on_noisy[i]));
        TRY(find_flipped(set, i, threads));
    }
    return TEMPER_OK;
}

/* Valid after a failure too: what was not made is NULL. */
static void free_set(struct demo_set *set)
{
    for (size_t i = 0; i < METHODS; i++) {
        temper_model_free(set->on_clean[i].model);
        temper_model_free(set->on_noisy[i].model);
    }
    temper_free(set->changes);
    temper_data_free(set->noisy); /* borrows from the clean data, which borrows from the rows */
    temper_data_free(set->clean);
    temper_data_free(set->clean_test);
    free_rows(&set->train);
    free_rows(&set->test);
}

/* ---- The table ------------------------------------------------------------------------------- */

void demo_print_head(FILE *out, const char *title, const char *const *methods, size_t count)
{
    fprintf(out, "%-*s", DEMO_NAME_WIDTH, title);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%*s", DEMO_FIGURE_WIDTH, methods[i]);
    fputc('\n', out);
}

/* What was done, before the figures. */
static void print_flips(FILE *out, const struct demo_set sets[2])
{
    fprintf(out, "Flipped: %zu of %zu labels of a set of 21 features, %zu of %zu of a set of 2.\n\n", sets[0].flipped,
            sets[0].train.count, sets[1].flipped, sets[1].train.count);
}

/* One line of the table of accuracies: the data set and its labels, then a percentage for each method. */
static void print_accuracy(FILE *out, const struct demo_fit fits[METHODS], const char *name, const char *labels)
{
    int width = fprintf(out, "  %s, %s", name, labels);
    fprintf(out, "%*s", DEMO_NAME_WIDTH - width, "");
    for (size_t i = 0; i < METHODS; i++)
        fprintf(out, "%*.2f %%", DEMO_FIGURE_WIDTH - 2, 100 * fits[i].accuracy);
    fputc('\n', out);
}

/* Both tables, the path of the page, and commands to continue with. */
static temper_status print_result(const struct demo_set sets[2], const char *path, double seconds)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    print_flips(buffer.stream, sets);
    demo_print_head(buffer.stream, "Accuracy on clean test rows", demo_methods, METHODS);
    for (size_t i = 0; i < 2; i++) {
        print_accuracy(buffer.stream, sets[i].on_clean, sets[i].name, "right labels");
        print_accuracy(buffer.stream, sets[i].on_noisy, sets[i].name, "10 % flipped");
    }
    fputc('\n', buffer.stream);
    /* The second table: detection of the flipped labels. */
    demo_print_head(buffer.stream, "Flipped labels found", demo_methods, METHODS);
    for (size_t i = 0; i < 2; i++) {
        fprintf(buffer.stream, "  %-*s", DEMO_NAME_WIDTH - 2, sets[i].name);
        for (size_t m = 0; m < METHODS; m++)
            fprintf(buffer.stream, "%*zu of %3zu", DEMO_FIGURE_WIDTH - 7, sets[i].found[m], sets[i].flipped);
        fputc('\n', buffer.stream);
    }
    /* The time is printed to show how little training costs. */
    fprintf(buffer.stream, "\nThe pictures are in %s: open it in a browser. (%.1f s)\n", path, seconds);
    fputs("\nWith your own rows:\n"
          "  temper demo --data train.csv\n"
          "  temper train train.csv -m model.temper\n"
          "  temper eval -m model.temper test.csv\n"
          "  temper help\n",
          buffer.stream);
    return output_print(&buffer);
}

/* Refuses options that only a table of the user has use for. */
static temper_status check_without_data(const struct arguments *arguments)
{
    static const enum option_id of_tables[] = {OPT_DEMO_RATE, OPT_DEMO_KIND, OPT_FORMAT, OPT_HEADER,
                                               OPT_LABEL,     OPT_LABELS,    OPT_IGNORE};
    for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables; i++)
        if (was_given(arguments, of_tables[i]))
            return fail(TEMPER_USAGE, "demo: --%s has no effect on the synthetic data; add --data FILE, or drop it",
                        option_table[of_tables[i]].name);
    return TEMPER_OK;
}

/* Computes, writes the page, then prints: a failure to write must not come after a table that looks like success. */
static temper_status run_demo(const struct arguments *arguments, struct demo_set sets[2])
{
    const struct demo_page_options page = {.path = text_of(arguments, OPT_DEMO_OUTPUT),
                                           .playground = text_of(arguments, OPT_PLAYGROUND),
                                           .seed = (uint64_t)number_of(arguments, OPT_SEED),
                                           .threads = threads_of(arguments)};
    double start = seconds_now();
    TRY(check_without_data(arguments));
    /* The same seed for both sets: their streams differ by the maker. */
    TRY(run_set(&sets[0], make_long_servedio, page.seed, page.threads));
    TRY(run_set(&sets[1], make_two_features, page.seed, page.threads));
    TRY(demo_page(sets, &page));
    return print_result(sets, page.path, seconds_now() - start);
}

/* The command. Sets are freed after failures too. */
temper_status cmd_demo(const struct arguments *arguments)
{
    if (was_given(arguments, OPT_DEMO_DATA))
        return demo_table_run(arguments);
    struct demo_set sets[2] = {{.name = "21 features"}, {.name = "2 features"}};
    temper_status status = run_demo(arguments, sets);
    for (size_t i = 0; i < 2; i++)
        free_set(&sets[i]);
    return status;
}
