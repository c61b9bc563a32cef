/* tune_page: draws the accuracies of the candidates as heat maps, and explains the choice.
 *
 * There are two maps: of all candidates, losses by penalties, and of the pairs of temperatures, t1 by t2, where a cell
 * has the best accuracy over the penalties. Rows and columns are the values that occur, in the order of the table,
 * identified by their printed text. The chosen candidate has a border. */
#include "tune_page.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "html_draft.h"
#include "message.h"
#include "output_paths.h"
#include "temper_extra.h"

/* More rows or columns would be illegible; NAME_SIZE is in bytes. */
enum { MOST_NAMES = 128, NAME_SIZE = 40 };

/* The distinct names of the rows or columns of a map, in the order in which they were first used. */
struct axis_names {
    char text[MOST_NAMES][NAME_SIZE];
    const char *list[MOST_NAMES]; /* pointers into text, as the library expects them */
    size_t count;
    bool full; /* a name did not fit; the map cannot be drawn */
};

/* A heat map in construction: about 140 kB, therefore on the heap. */
struct accuracy_map {
    struct axis_names rows, columns;
    double value[MOST_NAMES * MOST_NAMES]; /* rows of MOST_NAMES; NAN: empty */
    size_t marked_row, marked_column;      /* the cell of the chosen candidate */
};

/* ---- Maps ------------------------------------------------------------------------------------ */

/* Returns the index of a name, which is added if it is new. Values are identified by their printed text, so that two
 * penalties that look the same share a column. */
static size_t name_index(struct axis_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->text[i], name) == 0)
            return i;
    /* Any valid index will do, since the map is not drawn; draw reports the error. */
    if (names->count == MOST_NAMES) {
        names->full = true;
        return 0;
    }
    snprintf(names->text[names->count], NAME_SIZE, "%s", name);
    names->list[names->count] = names->text[names->count];
    return names->count++;
}

/* Sets a cell. If several candidates share it, the best accuracy is kept: on the map of temperature pairs each cell has
 * one candidate for each penalty. */
static void put(struct accuracy_map *map, const char *row, const char *column, double value, bool marked)
{
    size_t i = name_index(&map->rows, row), j = name_index(&map->columns, column);
    double *cell = &map->value[i * MOST_NAMES + j];
    *cell = isnan(*cell) ? value : fmax(*cell, value);
    if (marked) {
        map->marked_row = i;
        map->marked_column = j;
    }
}

/* Two-temperature losses by their temperatures alone, the Bregman loss with its name before them, others by name and
 * parameters. */
static void name_loss(temper_loss_spec loss, char name[NAME_SIZE])
{
    char text[TEMPER_LOSS_TEXT];
    temper_loss_format(loss, text);
    if (temper_loss_is_two_temperature(loss))
        snprintf(name, NAME_SIZE, "%.4g, %.4g", loss.t1, loss.t2);
    else if (loss.method == TEMPER_BREGMAN)
        snprintf(name, NAME_SIZE, "bregman %.4g, %.4g", loss.t1, loss.t2);
    else
        snprintf(name, NAME_SIZE, "%.*s", NAME_SIZE - 1, text);
}

/* Places a candidate on the map of all candidates: losses in rows, penalties in columns. */
static void put_candidate(struct accuracy_map *map, const temper_tune_candidate *candidate, bool best)
{
    char row[NAME_SIZE], column[NAME_SIZE];
    name_loss(candidate->loss, row);
    snprintf(column, sizeof column, "%.2g", candidate->l2);
    put(map, row, column, candidate->accuracy, best);
}

/* Places a candidate on the map of temperatures: t1 in rows, t2 in columns. The temperatures of other losses, if they
 * have any, belong to another function, so that their cells would mix with these. */
static void put_pair(struct accuracy_map *map, const temper_tune_candidate *candidate, bool best)
{
    char row[NAME_SIZE], column[NAME_SIZE];
    if (!temper_loss_is_two_temperature(candidate->loss))
        return;
    snprintf(row, sizeof row, "%.4g", candidate->loss.t1);
    snprintf(column, sizeof column, "%.4g", candidate->loss.t2);
    put(map, row, column, candidate->accuracy, best);
}

/* Draws the map. The values are stored with a stride of MOST_NAMES and moved together in place first, as the library
 * expects a dense matrix; ascending rows never overwrite values that are still needed. An empty map gives no picture
 * and no error. */
static temper_status draw(struct accuracy_map *map, temper_heatmap_figure figure, temper_text *svg)
{
    size_t rows = map->rows.count, columns = map->columns.count;
    temper_error error;
    /* Reported here, once, instead of at each candidate that did not fit. */
    if (map->rows.full || map->columns.full)
        return fail(TEMPER_USAGE, "tune: the grid is too large to draw; use at most 128 losses and 128 penalties");
    if (rows == 0)
        return TEMPER_OK;
    for (size_t i = 0; i < rows; i++)
        memmove(map->value + i * columns, map->value + i * MOST_NAMES, columns * sizeof(double));
    figure.rows = map->rows.list;
    figure.row_count = rows;
    figure.columns = map->columns.list;
    figure.column_count = columns;
    figure.values = map->value;
    figure.marked = map->marked_row * columns + map->marked_column;
    /* Values are shares and are printed as percentages. */
    figure.shares = 1;
    return checked(temper_plot_heatmap(&figure, svg, &error), &error);
}

/* Builds a map from all candidates by `put_one` and draws it. *svg stays NULL if no candidate belongs on the map;
 * otherwise the caller frees it by temper_free. */
static temper_status draw_map(const temper_tune_report *report,
                              void (*put_one)(struct accuracy_map *, const temper_tune_candidate *, bool),
                              temper_heatmap_figure figure, temper_text *svg)
{
    struct accuracy_map *map = calloc(1, sizeof *map);
    if (!map)
        return fail_no_memory();
    /* calloc's zeros would be accuracies of 0. */
    for (size_t i = 0; i < sizeof map->value / sizeof *map->value; i++)
        map->value[i] = NAN;
    for (size_t i = 0; i < report->count; i++)
        put_one(map, &report->table[i], i == report->best);
    temper_status status = draw(map, figure, svg);
    free(map);
    return status;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Adds the files, the number of rows and the classes, with which all pages of the library begin. */
static temper_status add_source(struct html_draft *draft, const struct tune_result *result)
{
    const temper_data *data = result->data;
    size_t classes = temper_data_classes(data);
    /* html_source takes an array of names, which the data does not have as such. */
    const char **names = (const char **)calloc(classes, sizeof *names);
    if (!names)
        return fail_no_memory();
    for (size_t i = 0; i < classes; i++)
        names[i] = temper_data_class_name(data, i);
    html_source(&draft->html, &(struct html_source){.model = result->model_path,
                                                    .data = result->data_path,
                                                    .rows = temper_data_total_rows(data),
                                                    .dropped = temper_data_dropped_rows(data),
                                                    .class_names = names,
                                                    .classes = classes});
    free((void *)names);
    return TEMPER_OK;
}

/* Adds the chosen candidate, the reason of the choice and its accuracy with the standard error. */
static void add_choice(struct html_draft *draft, const temper_tune_report *report)
{
    const temper_tune_candidate *best = &report->table[report->best];
    char loss[NAME_SIZE];
    if (temper_loss_is_two_temperature(best->loss))
        snprintf(loss, sizeof loss, "t1 = %.4g, t2 = %.4g", best->loss.t1, best->loss.t2);
    else
        name_loss(best->loss, loss);
    draft_paragraph(draft,
                    "Chosen: %s, l2 = %.4g, decided by %s: %s. Its accuracy on held-out rows, measured against the "
                    "given labels, is %.2f %% (standard error %.2f), from %zu candidates and %zu folds.",
                    loss, best->l2, report->decided_by, report->reason, 100 * best->accuracy,
                    100 * best->accuracy_error, report->count, report->folds);
    draft_paragraph(draft,
                    "Expected accuracy on new rows, labelled like these: %.2f %% (95 %% interval %.2f to %.2f).%s",
                    100 * report->expected_accuracy, 100 * report->expected_low, 100 * report->expected_high,
                    is_corrected(report) ? " It is corrected for having chosen the best of many." : "");
}

/* Adds the command that asks for true labels, where the choice is unsure. */
static void add_next_step(struct html_draft *draft, const struct tune_result *result)
{
    const temper_tune_report *report = &result->report;
    if (!result->ask_command)
        return;
    draft_heading(draft, "Next step");
    draft_paragraph(draft,
                    "The choice is unsure: %s. The true labels of up to %zu rows would decide: run the command, fill "
                    "in the last column of %s, and run it again with --trusted in place of --ask.",
                    report->suggested_reason, report->suggested_ask, result->trusted_path);
    draft_command(draft, "%s", result->ask_command);
}

/* Adds a paragraph for each warning, and a heading if there is any. */
static void add_warnings(struct html_draft *draft, const temper_warnings *warnings)
{
    if (warnings->count)
        draft_heading(draft, "Warnings");
    for (size_t i = 0; i < warnings->count; i++)
        draft_paragraph(draft, "%s", warnings->list[i].text);
}

/* Composes and writes the page; takes ownership of the pictures, which draft_picture frees. */
static temper_status write_page(const struct tune_result *result, temper_text svg[2], const char *path)
{
    struct html_draft draft;
    draft_begin_review(&draft, "Tuning", result->ask_section);
    temper_status status = add_source(&draft, result);
    add_choice(&draft, &result->report);
    add_warnings(&draft, &result->report.warnings);
    add_next_step(&draft, result);
    if (result->ask_section)
        text_append(&draft.html, result->ask_section);
    draft_heading(&draft, "Candidates");
    /* The second map is missing where no candidate has temperatures. */
    for (size_t i = 0; i < 2; i++)
        if (svg[i].bytes)
            draft_picture(&draft, TEMPER_OK, &svg[i], NULL);
    /* What the colours cannot show is said below the maps, since the best colour need not be the best model. */
    draft_paragraph(&draft, "The choice is marked. Candidates that were dropped after the trial on two halves of the "
                            "rows show their accuracy there. Differences that matter may be invisible in these "
                            "numbers: label errors that follow a pattern raise the accuracy of the models that learn "
                            "the pattern.");
    if (status == TEMPER_OK)
        status = draft_save(&draft, path);
    draft_free(&draft);
    return status;
}

/* A path that ends in .svg gets the map of all candidates alone. */
temper_status tune_page_write(const struct tune_result *result, const char *path)
{
    /* The first map has every candidate, the second only the pairs of temperatures. */
    static const temper_heatmap_figure all = {
        .title = "Cross-validated accuracy, %", .x_title = "l2", .y_title = "t1, t2"};
    static const temper_heatmap_figure pairs = {
        .title = "At the best penalty of each", .x_title = "t2", .y_title = "t1"};
    temper_text svg[2] = {{0}, {0}};
    TRY(draw_map(&result->report, put_candidate, all, &svg[0]));
    if (path_ends_in(path, ".svg"))
        return output_write_text(path, &svg[0]);
    temper_status status = draw_map(&result->report, put_pair, pairs, &svg[1]);
    /* write_page has taken the pictures; only after a failure before it the first one is still owned here. */
    if (status == TEMPER_OK)
        return write_page(result, svg, path);
    temper_text_free(&svg[0]);
    return status;
}
