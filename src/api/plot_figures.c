/* api: pictures of data and models, and pages. Checks the numbers, so that drawing cannot fail but
 * for memory. */
#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/html.h"
#include "temper.h"

/* ---- What all have in common ----------------------------------------------------------------- */

static temper_status refuse_nothing(temper_error *error)
{
    return error_set(error, TEMPER_USAGE, "no figure, or nowhere to put it; give both");
}

/* `what` is what a value is called. */
static temper_status check_numbers(const double *values, size_t count, const char *what, temper_error *error)
{
    if (!values || count == 0)
        return error_set(error, TEMPER_USAGE, "no %ss to draw; give at least one", what);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i]) <= LARGEST_DRAWN))
            return error_set(error, TEMPER_USAGE,
                             "%s %zu is %g, which cannot be drawn; give finite numbers up to 1e300", what, i + 1,
                             values[i]);
    return TEMPER_OK;
}

static temper_status check_words(const char *const *words, size_t count, const char *what, temper_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!words || !words[i])
            return error_set(error, TEMPER_USAGE, "%s %zu has no name; give one", what, i + 1);
    return TEMPER_OK;
}

/* Hands the text over, unless its memory ended. */
static temper_status publish(struct text *text, char **out, size_t *length, temper_error *error)
{
    if (text->failed) {
        text_free(text);
        return error_no_memory(error);
    }
    *out = text->bytes;
    if (length)
        *length = text->length;
    return TEMPER_OK;
}

static const char *or_else(const char *words, const char *standard)
{
    return words ? words : standard;
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

static temper_status check_boundaries(const temper_boundary_figure *figure, temper_error *error)
{
    if (figure->boundary_count > BOUNDARY_LINES)
        return error_set(error, TEMPER_USAGE, "%zu boundaries are too many; give at most %d", figure->boundary_count,
                         BOUNDARY_LINES);
    for (size_t i = 0; i < figure->boundary_count; i++) {
        const temper_boundary *line = &figure->boundaries[i];
        const double numbers[] = {line->weights[0], line->weights[1], line->intercept};
        temper_status status = check_words(&line->name, 1, "a boundary", error);
        if (status == TEMPER_OK)
            status = check_numbers(numbers, 3, "parameter", error);
        if (status != TEMPER_OK)
            return status;
    }
    return TEMPER_OK;
}

static temper_status check_labels(const temper_boundary_figure *figure, temper_error *error)
{
    if (!figure->labels)
        return error_set(error, TEMPER_USAGE, "the points have no labels; give 0 or 1 for each");
    for (size_t i = 0; i < figure->count; i++)
        if (figure->labels[i] > 1)
            return error_set(error, TEMPER_USAGE, "label %zu is %lu; there are classes 0 and 1", i + 1,
                             (unsigned long)figure->labels[i]);
    return check_words(figure->class_names, 2, "class", error);
}

temper_status temper_plot_boundary(const temper_boundary_figure *figure, char **svg, size_t *length,
                                   temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    temper_status status = check_numbers(figure->points, 2 * figure->count, "coordinate", error);
    if (status == TEMPER_OK)
        status = check_labels(figure, error);
    if (status == TEMPER_OK)
        status = check_boundaries(figure, error);
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    temper_boundary_figure full = *figure;
    full.title = or_else(full.title, "Decision boundaries");
    full.x_title = or_else(full.x_title, "feature 1");
    full.y_title = or_else(full.y_title, "feature 2");
    boundary_draw(&text, &full);
    return publish(&text, svg, length, error);
}

/* ---- Margins --------------------------------------------------------------------------------- */

temper_status temper_plot_margins(const temper_margin_figure *figure, char **svg, size_t *length, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    temper_status status = check_numbers(figure->margins, figure->count, "margin", error);
    if (status == TEMPER_OK)
        status = check_words(figure->names, figure->marked ? 2 : 1, "group", error);
    if (status == TEMPER_OK && isnan(temper_margin_loss_of_spec(figure->loss, 0, NULL, NULL)))
        status = error_set(error, TEMPER_USAGE, "the loss has no value at the margin 0; give legal temperatures");
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    temper_margin_figure full = *figure;
    full.title = or_else(full.title, "Margins");
    histogram_draw(&text, &full);
    return publish(&text, svg, length, error);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static temper_status check_penalties(const temper_path_figure *figure, temper_error *error)
{
    temper_status status = check_numbers(figure->l2, figure->steps, "penalty", error);
    if (status == TEMPER_OK && figure->steps < 2)
        return error_set(error, TEMPER_USAGE, "one penalty makes no path; give at least 2");
    for (size_t i = 0; status == TEMPER_OK && i < figure->steps; i++) {
        if (figure->l2[i] < 1 / LARGEST_DRAWN)
            return error_set(error, TEMPER_USAGE, "penalty %zu is %g, and its axis is logarithmic; give one above 0",
                             i + 1, figure->l2[i]);
        if (i > 0 && figure->l2[i] >= figure->l2[i - 1])
            return error_set(error, TEMPER_USAGE, "penalty %zu is not below the one before; give them falling", i + 1);
    }
    return status;
}

static temper_status check_shares(const double *shares, size_t count, const char *what, temper_error *error)
{
    for (size_t i = 0; shares && i < count; i++)
        if (!(shares[i] >= 0 && shares[i] <= 1))
            return error_set(error, TEMPER_USAGE, "%s %zu is %g; give a share from 0 to 1", what, i + 1, shares[i]);
    return TEMPER_OK;
}

temper_status temper_plot_path(const temper_path_figure *figure, char **svg, size_t *length, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    temper_status status = check_penalties(figure, error);
    if (status == TEMPER_OK)
        status = check_numbers(figure->weights, figure->steps * figure->count, "weight", error);
    if (status == TEMPER_OK && figure->names)
        status = check_words(figure->names, figure->count, "weight", error);
    if (status == TEMPER_OK)
        status = check_shares(figure->accuracy, figure->steps, "accuracy", error);
    if (status == TEMPER_OK)
        status = check_shares(figure->test_accuracy, figure->steps, "accuracy", error);
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    temper_path_figure full = *figure;
    full.title = or_else(full.title, "Weights along the penalty");
    lambda_path_draw(&text, &full);
    return publish(&text, svg, length, error);
}

/* ---- Bars ------------------------------------------------------------------------------------ */

temper_status temper_plot_bars(const temper_bar_figure *figure, char **svg, size_t *length, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    temper_status status = TEMPER_OK;
    if ((figure->group_count > BARS_GROUPS || figure->series_count > BARS_SERIES))
        status = error_set(error, TEMPER_USAGE, "%zu groups of %zu bars are too many; give at most %d of %d",
                           figure->group_count, figure->series_count, BARS_GROUPS, BARS_SERIES);
    if (status == TEMPER_OK)
        status = check_numbers(figure->values, figure->group_count * figure->series_count, "value", error);
    if (status == TEMPER_OK && figure->shares)
        status = check_shares(figure->values, figure->group_count * figure->series_count, "value", error);
    if (status == TEMPER_OK)
        status = check_words(figure->groups, figure->group_count, "group", error);
    if (status == TEMPER_OK)
        status = check_words(figure->series, figure->series_count, "series", error);
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    temper_bar_figure full = *figure;
    full.title = or_else(full.title, "Comparison");
    bars_draw(&text, &full);
    return publish(&text, svg, length, error);
}

/* ---- Heat maps ------------------------------------------------------------------------------- */

/* Empty cells are allowed, but not all of them. */
static temper_status check_cells(const temper_heatmap_figure *figure, temper_error *error)
{
    size_t filled = 0;
    for (size_t i = 0; i < figure->row_count * figure->column_count; i++) {
        bool empty = isnan(figure->values[i]);
        temper_status status = empty ? TEMPER_OK : check_numbers(&figure->values[i], 1, "value", error);
        if (status == TEMPER_OK && !empty && figure->shares)
            status = check_shares(&figure->values[i], 1, "value", error);
        if (status != TEMPER_OK)
            return status;
        filled += !empty;
    }
    return filled ? TEMPER_OK : error_set(error, TEMPER_USAGE, "all cells are empty; give some numbers");
}

temper_status temper_plot_heatmap(const temper_heatmap_figure *figure, char **svg, size_t *length, temper_error *error)
{
    if (!figure || !svg || !figure->values)
        return refuse_nothing(error);
    if (figure->row_count == 0 || figure->row_count > HEAT_CELLS || figure->column_count == 0 ||
        figure->column_count > HEAT_CELLS)
        return error_set(error, TEMPER_USAGE, "%zu rows of %zu cells cannot be drawn; give 1 to %d of each",
                         figure->row_count, figure->column_count, HEAT_CELLS);
    temper_status status = check_words(figure->rows, figure->row_count, "row", error);
    if (status == TEMPER_OK)
        status = check_words(figure->columns, figure->column_count, "column", error);
    if (status == TEMPER_OK)
        status = check_cells(figure, error);
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    temper_heatmap_figure full = *figure;
    full.title = or_else(full.title, "Heat map");
    full.x_title = or_else(full.x_title, "");
    full.y_title = or_else(full.y_title, "");
    heat_draw(&text, &full);
    return publish(&text, svg, length, error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Some values may be missing, but not all of them; a bar has no negative height. */
static temper_status check_series(const temper_line_figure *figure, temper_error *error)
{
    size_t known = 0;
    for (size_t i = 0; i < figure->series_count * figure->points; i++) {
        double errors = figure->errors ? figure->errors[i] : 0;
        if (isnan(figure->values[i]))
            continue;
        if (!(fabs(figure->values[i]) <= LARGEST_DRAWN) || !(errors >= 0) || !(errors <= LARGEST_DRAWN))
            return error_set(error, TEMPER_USAGE,
                             "value %zu is %g with an error of %g, which cannot be drawn; give "
                             "finite numbers up to 1e300, and errors that are not negative",
                             i + 1, figure->values[i], errors);
        known++;
    }
    if (known == 0)
        return error_set(error, TEMPER_USAGE, "no value is known; give at least one");
    return TEMPER_OK;
}

static temper_status check_lines(const temper_line_figure *figure, temper_error *error)
{
    if (figure->points < 2 || figure->series_count == 0 || figure->series_count > LINES_SERIES || !figure->values)
        return error_set(error, TEMPER_USAGE, "%zu series of %zu points cannot be drawn; give 1 to %d of 2 or more",
                         figure->series_count, figure->points, LINES_SERIES);
    temper_status status = check_numbers(figure->x, figure->points, "place", error);
    for (size_t i = 1; status == TEMPER_OK && i < figure->points; i++)
        if (!(figure->x[i] > figure->x[i - 1]))
            return error_set(error, TEMPER_USAGE, "place %zu is not beyond the one before it; give them rising", i + 1);
    if (status == TEMPER_OK)
        status = check_words(figure->series, figure->series_count, "series", error);
    return status == TEMPER_OK ? check_series(figure, error) : status;
}

temper_status temper_plot_lines(const temper_line_figure *figure, char **svg, size_t *length, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    temper_status status = check_lines(figure, error);
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    temper_line_figure full = *figure;
    full.title = or_else(full.title, "Comparison");
    full.x_title = or_else(full.x_title, "x");
    full.y_title = or_else(full.y_title, "y");
    lines_draw(&text, &full);
    return publish(&text, svg, length, error);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static temper_status check_block(const temper_page_block *block, temper_error *error)
{
    if ((size_t)block->kind > TEMPER_PAGE_TABLE)
        return error_set(error, TEMPER_USAGE,
                         "a part of the page is of no known kind; use a "
                         "temper_page_block_kind");
    if (block->kind != TEMPER_PAGE_TABLE)
        return check_words(&block->text, 1, "a part of the page", error);
    if (block->rows == 0 || block->columns == 0)
        return error_set(error, TEMPER_USAGE, "a table of the page is empty; give it a head");
    return check_words(block->cells, block->rows * block->columns, "cell", error);
}

static void write_block(struct text *out, const temper_page_block *block)
{
    switch (block->kind) {
    case TEMPER_PAGE_HEADING:
        html_heading(out, block->text);
        break;
    case TEMPER_PAGE_PARAGRAPH:
        html_paragraph(out, block->text);
        break;
    case TEMPER_PAGE_COMMAND:
        html_command(out, block->text);
        break;
    case TEMPER_PAGE_PICTURE:
        html_picture(out, block->text);
        break;
    case TEMPER_PAGE_TABLE:
        html_table(out, block->text, block->cells, block->rows, block->columns);
        break;
    }
}

/* Pictures that follow each other share a row. */
static void write_blocks(struct text *out, const temper_page_block *blocks, size_t count)
{
    bool inside = false;
    for (size_t i = 0; i < count; i++) {
        bool picture = blocks[i].kind == TEMPER_PAGE_PICTURE;
        if (picture && !inside)
            html_row_begin(out);
        if (!picture && inside)
            html_row_end(out);
        inside = picture;
        write_block(out, &blocks[i]);
    }
    if (inside)
        html_row_end(out);
}

temper_status temper_page_to_html(const char *title, const temper_page_block *blocks, size_t count, char **html,
                                  size_t *length, temper_error *error)
{
    temper_status status = TEMPER_OK;
    if (!title || !html)
        return refuse_nothing(error);
    for (size_t i = 0; status == TEMPER_OK && i < count; i++)
        status = check_block(&blocks[i], error);
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    html_begin(&text, title);
    write_blocks(&text, blocks, count);
    html_end(&text);
    return publish(&text, html, length, error);
}
