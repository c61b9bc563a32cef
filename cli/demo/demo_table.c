/* demo_table: temper demo --data FILE. Holds out rows of a table, flips part of the other labels, and reports what
 * three methods and an audit make of it.
 *
 * The true labels of the user's rows are not known: accuracies are measured against the labels as given, on rows whose
 * labels were not flipped, and a listed row that was not flipped may have had a wrong label before. */
#include "demo/demo_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apply_model.h"
#include "message.h"
#include "number_format.h"
#include "options/library_options.h"
#include "output_paths.h"
#include "progress.h"

const char *const demo_table_methods[TABLE_METHODS] = {"logistic", "two-temperature", "tuned"};

/* Rows enough for a split and a few flips, and as many as take seconds: MOST_CELLS is rows times features. */
enum { FEWEST_ROWS = 30, MOST_ROWS = 20000, FEWEST_SAMPLED = 2000, MOST_CELLS = 1000000 };
static const double held_out = 0.3; /* "three tenths" in the help */

/* ---- Rows ---------------------------------------------------------------------------------------- */

/* Rows of the table that are used: all of them, or a random part of a large one. */
static double used_share(const temper_data *data)
{
    size_t features = temper_data_features(data), rows = temper_data_rows(data), most = MOST_ROWS;
    if (features > MOST_CELLS / MOST_ROWS)
        most = MOST_CELLS / features > FEWEST_SAMPLED ? MOST_CELLS / features : FEWEST_SAMPLED;
    return rows > most ? (double)most / (double)rows : 1;
}

static temper_status check_table(const struct demo_table *table)
{
    size_t classes = temper_data_classes(table->data);
    if (classes < 2)
        return fail(TEMPER_BAD_DATA, "%s: there %s; labels of two classes or more can be flipped", table->path,
                    classes == 0 ? "are no labels" : "is one class only");
    if (table->rows < FEWEST_ROWS)
        return fail(TEMPER_BAD_DATA, "%s: %zu rows are too few to hold some out and flip others; %d are needed",
                    table->path, table->rows, FEWEST_ROWS);
    return TEMPER_OK;
}

/* Fills two lists of row numbers: training and held-out rows. Each row is assigned by a random number of its own. */
static void divide(const struct demo_table *table, uint64_t seed, size_t *train, size_t *test, size_t count[2])
{
    double used = used_share(table->data);
    count[0] = count[1] = 0;
    for (size_t i = 0; i < table->rows; i++) {
        double draw = demo_uniform(seed, i);
        if (draw < used * (1 - held_out))
            train[count[0]++] = i;
        else if (draw < used)
            test[count[1]++] = i;
    }
}

/* Makes `train` and `test`; table->row keeps which rows the former has. */
static temper_status split(struct demo_table *table, uint64_t seed)
{
    size_t *train = calloc(table->rows, sizeof *train), *test = calloc(table->rows, sizeof *test), count[2];
    temper_error error;
    temper_status status = TEMPER_NO_MEMORY;
    if (train && test) {
        divide(table, seed, train, test, count);
        status = temper_data_select_rows(table->data, train, count[0], &table->train, &error);
        if (status == TEMPER_OK)
            status = temper_data_select_rows(table->data, test, count[1], &table->test, &error);
        status = checked(status, &error);
    } else {
        fail_no_memory();
    }
    free(test);
    table->row = train;
    return status;
}

static temper_status flip(struct demo_table *table, uint64_t seed, size_t threads)
{
    temper_noise_options noise = temper_noise_defaults();
    temper_error error;
    noise.kind = table->kind;
    noise.rate = table->rate;
    noise.seed = seed;
    noise.threads = threads;
    TRY(checked(temper_data_add_noise(table->train, &noise, &table->noisy, &table->changes, &table->flipped, &error),
                &error));
    if (table->flipped == 0)
        return fail(TEMPER_USAGE, "demo: --rate %.4g flips none of %zu labels; give a larger one", table->rate,
                    temper_data_rows(table->train));
    table->was_flipped = calloc(temper_data_rows(table->train), 1);
    if (!table->was_flipped)
        return fail_no_memory();
    for (size_t i = 0; i < table->flipped; i++)
        table->was_flipped[table->changes[i].row - 1] = 1;
    return TEMPER_OK;
}

/* ---- Models -------------------------------------------------------------------------------------- */

/* Chooses temperatures and penalty on `data`, by the small grid, and trains with them. */
static temper_status tune(struct demo_table *table, const temper_data *data, size_t threads, struct demo_fit *fit)
{
    temper_tune_options options = temper_tune_defaults();
    struct progress_line progress;
    temper_error error;
    options.grid = "small";
    options.folds = 5;
    options.train.threads = threads;
    options.train.calibrate = "none";                       /* only labels are used */
    temper_tune_report *report = calloc(1, sizeof *report); /* 19 KiB: too much for a small stack */
    if (!report)
        return fail_no_memory();
    progress_begin(&progress, table->quiet, false);
    options.on_progress = progress_follow_tuning;
    options.progress_context = &progress;
    temper_status status = temper_tune(data, &options, &fit->model, report, &error);
    progress_end(&progress);
    status = checked(status, &error);
    if (status == TEMPER_OK)
        table->tuned = report->table[report->best].loss;
    temper_tune_report_free(report);
    free(report);
    TRY(status);
    return model_accuracy(fit->model, table->test, threads, &fit->accuracy);
}

/* All methods on one set of labels, tested on the held-out rows. */
static temper_status fit_all(struct demo_table *table, const temper_data *data, size_t threads,
                             struct demo_fit fits[TABLE_METHODS])
{
    for (size_t i = 0; i < METHODS; i++)
        TRY(demo_train(data, table->test, i, threads, &fits[i]));
    return tune(table, data, threads, &fits[TUNED]);
}

static temper_status audit(const temper_data *data, size_t threads, temper_audit_report *report)
{
    temper_audit_options options = temper_audit_defaults();
    temper_error error;
    options.train.threads = threads;
    return checked(temper_audit(data, &options, NULL, report, &error), &error);
}

/* Audits the training rows before and after the flips, and counts which of the flipped labels are found. */
static temper_status find_flipped(struct demo_table *table, size_t threads)
{
    temper_audit_report before;
    TRY(audit(table->train, threads, &before));
    table->listed_before = before.supported;
    temper_audit_report_free(&before);
    TRY(audit(table->noisy, threads, &table->audit));
    for (size_t i = 0; i < table->audit.rows; i++) {
        unsigned char flipped = table->was_flipped[table->audit.suspects[i].row];
        table->listed_flipped += i < table->audit.supported && flipped;
        table->first_flipped += i < table->flipped && flipped;
    }
    return TEMPER_OK;
}

/* ---- Suspects that were not flipped --------------------------------------------------------------- */

size_t demo_other_suspects(const struct demo_table *table)
{
    return table->audit.supported - table->listed_flipped;
}

void demo_each_other_suspect(const struct demo_table *table, size_t most, demo_suspect_fn *show, void *context)
{
    for (size_t i = 0, shown = 0; i < table->audit.supported && shown < most; i++) {
        const temper_audit_suspect *suspect = &table->audit.suspects[i];
        if (table->was_flipped[suspect->row])
            continue;
        show(context, table, suspect);
        shown++;
    }
}

/* Lines are those of the file also for selected rows. */
void demo_place(const struct demo_table *table, const temper_audit_suspect *suspect, char place[DEMO_PLACE_LENGTH])
{
    if (suspect->line)
        snprintf(place, DEMO_PLACE_LENGTH, "%s:%zu", table->path, suspect->line);
    else
        snprintf(place, DEMO_PLACE_LENGTH, "row %zu", table->row[suspect->row] + 1);
}

/* ---- The table of results ------------------------------------------------------------------------- */

enum { SUSPECTS_SHOWN = 5, CLASS_WIDTH = 20 };

/* Rows, and what was flipped. */
static void print_rows(FILE *out, const struct demo_table *table)
{
    size_t train = temper_data_rows(table->train), test = temper_data_rows(table->test);
    char share[FORMAT_LENGTH];
    print_title(out, "rows");
    fprintf(out, "%s of %s", count_shown(train + test).text, table->path);
    if (train + test < table->rows)
        fprintf(out, ", drawn from %s", count_shown(table->rows).text);
    fprintf(out, ": %s to train on, %s held out\n", count_shown(train).text, count_shown(test).text);
    print_title(out, "flipped");
    fprintf(out, "%s of the %s training labels (%s, %s)\n\n", count_shown(table->flipped).text, count_shown(train).text,
            format_percent((double)table->flipped / (double)train, share), table->kind);
}

static void print_accuracy(FILE *out, const char *name, const struct demo_fit fits[TABLE_METHODS])
{
    fprintf(out, "  %-*s", DEMO_NAME_WIDTH - 2, name);
    for (size_t i = 0; i < TABLE_METHODS; i++)
        fprintf(out, "%*.2f %%", DEMO_FIGURE_WIDTH - 2, 100 * fits[i].accuracy);
    fputc('\n', out);
}

/* One success and one failure are added (Laplace), so that it is not 0 where all rows are predicted. */
double demo_standard_error(const struct demo_table *table)
{
    double rows = (double)temper_data_rows(table->test);
    double share = (table->on_given[LOGISTIC].accuracy * rows + 1) / (rows + 2);
    return 100 * sqrt(share * (1 - share) / rows);
}

static void print_accuracies(FILE *out, const struct demo_table *table)
{
    demo_print_head(out, "Accuracy on held-out rows", demo_table_methods, TABLE_METHODS);
    print_accuracy(out, "trained on labels as given", table->on_given);
    print_accuracy(out, "trained on flipped labels", table->on_noisy);
    fprintf(out, "  %-*s", DEMO_NAME_WIDTH - 2, "lost, in points");
    for (size_t i = 0; i < TABLE_METHODS; i++)
        fprintf(out, "%s%*.2f", i ? "  " : "", DEMO_FIGURE_WIDTH - 2,
                100 * (table->on_given[i].accuracy - table->on_noisy[i].accuracy));
    fprintf(out,
            "\n  One standard error of an accuracy is %.2f points. Held-out labels are as in the file:\n"
            "  where these are wrong, a model that predicts the truth is counted as wrong.\n\n",
            demo_standard_error(table));
}

static void print_suspect(void *out, const struct demo_table *table, const temper_audit_suspect *suspect)
{
    char place[DEMO_PLACE_LENGTH], given[NAME_SHOWN], suggested[NAME_SHOWN];
    demo_place(table, suspect, place);
    format_name(temper_data_class_name(table->noisy, suspect->given), CLASS_WIDTH, given);
    format_name(temper_data_class_name(table->noisy, suspect->suggested), CLASS_WIDTH, suggested);
    fprintf(out, "    %s  given %s, suggested %s\n", place, given, suggested);
}

static void print_audit(FILE *out, const struct demo_table *table)
{
    const temper_audit_report *report = &table->audit;
    size_t others = demo_other_suspects(table);
    fprintf(out, "Audit of the training rows\n  as given    %s listed\n",
            table->listed_before ? count_shown(table->listed_before).text : "none");
    if (report->undecided)
        fputs("  flipped     none listed: the labels do not show whether any of them are wrong\n", out);
    else
        fprintf(out, "  flipped     %s listed, of which %s were flipped\n", count_shown(report->supported).text,
                count_shown(table->listed_flipped).text);
    fprintf(out, "  first %-5zu %s were flipped; a random order would have %.0f\n", table->flipped,
            count_shown(table->first_flipped).text,
            (double)table->flipped * (double)table->flipped / (double)report->rows);
    if (others == 0)
        return;
    fprintf(out,
            "  not flipped and listed all the same: %s. Right labels of unusual rows, or labels\n"
            "  that were wrong before%s:\n",
            count_shown(others).text, others > SUSPECTS_SHOWN ? "; the first of them" : "");
    demo_each_other_suspect(table, SUSPECTS_SHOWN, print_suspect, out);
}

static temper_status print_result(const struct demo_table *table, const char *path, double seconds)
{
    struct output_buffer buffer;
    TRY(output_open(&buffer));
    print_rows(buffer.stream, table);
    print_accuracies(buffer.stream, table);
    print_audit(buffer.stream, table);
    fprintf(buffer.stream, "\nThe pictures are in %s: open it in a browser. (%.1f s)\n", path, seconds);
    fprintf(buffer.stream, "\nThe file as it is, without flips:\n  temper audit %s\n  temper train %s\n", table->path,
            table->path);
    return output_print(&buffer);
}

/* ---- The steps ------------------------------------------------------------------------------------ */

static temper_status run_steps(const struct arguments *arguments, struct demo_table *table)
{
    const char *path = text_of(arguments, OPT_DEMO_OUTPUT);
    uint64_t seed = (uint64_t)number_of(arguments, OPT_SEED);
    size_t threads = threads_of(arguments);
    double start = seconds_now();
    TRY(check_path(arguments, table->path));
    TRY(check_target(path));
    TRY(read_data(arguments, table->path, &table->data, NULL));
    print_notes(arguments, table->data);
    table->rows = temper_data_rows(table->data);
    TRY(check_table(table));
    TRY(split(table, seed));
    TRY(flip(table, seed, threads));
    TRY(fit_all(table, table->train, threads, table->on_given));
    TRY(fit_all(table, table->noisy, threads, table->on_noisy));
    TRY(find_flipped(table, threads));
    TRY(demo_table_page(table, text_of(arguments, OPT_PLAYGROUND), path));
    return print_result(table, path, seconds_now() - start);
}

static void free_table(struct demo_table *table)
{
    for (size_t i = 0; i < TABLE_METHODS; i++) {
        temper_model_free(table->on_given[i].model);
        temper_model_free(table->on_noisy[i].model);
    }
    temper_audit_report_free(&table->audit);
    free(table->was_flipped);
    free(table->row);
    temper_free(table->changes);
    temper_data_free(table->noisy); /* borrows from the training rows */
    temper_data_free(table->train);
    temper_data_free(table->test);
    temper_data_free(table->data);
}

temper_status demo_table_run(const struct arguments *arguments)
{
    struct demo_table *table = calloc(1, sizeof *table); /* it holds a report, of 9 KiB */
    if (!table)
        return fail_no_memory();
    table->path = text_of(arguments, OPT_DEMO_DATA);
    table->rate = number_of(arguments, OPT_DEMO_RATE);
    table->kind = text_of(arguments, OPT_DEMO_KIND);
    table->quiet = was_given(arguments, OPT_QUIET);
    interrupt_prepare();
    temper_status status = run_steps(arguments, table);
    free_table(table);
    free(table);
    return status;
}
