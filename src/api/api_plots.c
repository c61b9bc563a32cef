/* api_plots: temper_plot_* and temper_page_to_html.
 *
 * Arguments are checked here and drawn in src/report, which may then assume finite numbers, existing names and counts
 * that fit; so drawing can fail only for want of memory. A message names the first argument that is wrong, counted
 * from 1, and says what would be accepted. On failure *svg and *html are untouched. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"
#include "report/figures.h"
#include "report/html.h"
#include "tempered/loss_family.h"

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Refuses a call without a figure or without a place for the result. */
static temper_status refuse_nothing(temper_error *error)
{
    return error_set(error, TEMPER_USAGE, "no figure, or nowhere to put it; give both");
}

/* All are finite and small enough for the arithmetic of the axes. `what` names a value in messages. */
static temper_status check_numbers(const double *values, size_t count, const char *what, temper_error *error)
{
    if (!values || count == 0)
        return error_set(error, TEMPER_USAGE, "no %ss to draw; give at least one", what);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(values[i]) <= LARGEST_DRAWN)) /* true for NaN too */
            return error_set(error, TEMPER_USAGE,
                             "%s %zu is %g, which cannot be drawn; give finite numbers up to 1e300", what, i + 1,
                             values[i]);
    return TEMPER_OK;
}

/* All names are present. `what` is the singular that a message uses. */
static temper_status check_words(const char *const *words, size_t count, const char *what, temper_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!words || !words[i])
            return error_set(error, TEMPER_USAGE, "%s %zu has no name; give one", what, i + 1);
    return TEMPER_OK;
}

/* Titles that the caller did not give have a standard text. */
static const char *or_else(const char *words, const char *standard)
{
    return words ? words : standard;
}

/* ---- Losses ---------------------------------------------------------------------------------- */

/* The panels are some of a, b and c, each at most once: a letter names a panel in the figure. */
static temper_status check_panels(const char *panels, temper_error *error)
{
    if (!panels || panels[0] == '\0')
        return error_set(error, TEMPER_USAGE, "no panels to draw; name some of a, b and c");
    for (size_t i = 0; panels[i]; i++) {
        if (!strchr("abc", panels[i]))
            return error_set(error, TEMPER_USAGE, "there is no panel '%c'; a is log_t, b is exp_t, c the losses",
                             panels[i]);
        if (strchr(panels + i + 1, panels[i]))
            return error_set(error, TEMPER_USAGE, "panel '%c' is named twice; name it once", panels[i]);
    }
    return TEMPER_OK;
}

/* `what` is the plural of what a panel shows. */
static temper_status check_count(const void *first, size_t count, const char *what, temper_error *error)
{
    if (!first || count == 0)
        return error_set(error, TEMPER_USAGE, "no %s to draw; give some, or leave their panel out", what);
    if (count > CHART_CURVES)
        return error_set(error, TEMPER_USAGE, "%zu %s are too many for a panel; give at most %d", count, what,
                         CHART_CURVES);
    return TEMPER_OK;
}

/* Temperatures and smoothing widths: finite and not negative. */
static bool is_legal(double parameter)
{
    return isfinite(parameter) && parameter >= 0;
}

/* The temperatures of log_t and exp_t, one curve each. */
static temper_status check_temperatures(const temper_loss_figure *figure, temper_error *error)
{
    TRY(check_count(figure->temperatures, figure->temperature_count, "temperatures", error));
    for (size_t i = 0; i < figure->temperature_count; i++)
        if (!is_legal(figure->temperatures[i]))
            return error_set(error, TEMPER_USAGE, "temperature %zu is %g; give a finite number that is not negative",
                             i + 1, figure->temperatures[i]);
    return TEMPER_OK;
}

/* One parameter of the index-th loss. */
static temper_status check_parameter(size_t index, const char *name, double value, temper_error *error)
{
    if (is_legal(value))
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "loss %zu has %s = %g; give a finite number that is not negative", index + 1,
                     name, value);
}

/* Parameters that the method ignores are not checked. */
static temper_status check_loss(size_t index, temper_loss_spec loss, temper_error *error)
{
    const temper_loss_parameter *wrong;
    if ((size_t)loss.method >= TEMPER_METHODS)
        return error_set(error, TEMPER_USAGE, "loss %zu is of no known method; use a temper_method", index + 1);
    if (loss_has_transition(loss))
        return error_set(
            error, TEMPER_USAGE,
            "loss %zu, %s, has no curve of its own: the loss of a row depends on an estimated matrix of label "
            "noise; draw logistic, which it is without one",
            index + 1, method_name(loss.method));
    if (loss_has_rounds(loss))
        return error_set(error, TEMPER_USAGE,
                         "loss %zu, %s, has no curve of its own: its training changes the weights of the rows, and the "
                         "loss of a row is logistic; draw logistic",
                         index + 1, method_name(loss.method));
    if (!loss_parameters_legal(loss, &wrong))
        return error_set(error, TEMPER_USAGE, "loss %zu has %s = %g; give a finite number that is not %s", index + 1,
                         wrong->name, *loss_parameter(&loss, wrong), wrong->least < 0 ? "positive" : "negative");
    loss = loss_resolve(loss); /* fills in what the method fixes */
    if (!loss_has_temperatures(loss))
        return TEMPER_OK;
    TRY(check_parameter(index, "t1", loss.t1, error));
    return check_parameter(index, "t2", loss.t2, error);
}

/* The range of the margin axis: finite, in order, and wide enough for different labels at its ticks. */
static temper_status check_margins(double from, double to, temper_error *error)
{
    const double largest = 1e300, narrowest = 1e-6;
    if (!(fabs(from) <= largest && fabs(to) <= largest))
        return error_set(error, TEMPER_USAGE, "margins from %g to %g cannot be drawn; give two numbers up to 1e300",
                         from, to);
    if (!(from < to))
        return error_set(error, TEMPER_USAGE, "margins from %g to %g are no range; give the smaller one first", from,
                         to);
    /* The labels of the ticks would all be the same. */
    if (to - from < narrowest * fmax(fabs(from), fabs(to)) || to - from < 1 / largest)
        return error_set(error, TEMPER_USAGE, "margins from %g to %g are too close to each other; widen the range",
                         from, to);
    return TEMPER_OK;
}

/* The curves of panel c and the range over which they are drawn. */
static temper_status check_losses(const temper_loss_figure *figure, temper_error *error)
{
    TRY(check_count(figure->losses, figure->loss_count, "losses", error));
    for (size_t i = 0; i < figure->loss_count; i++)
        TRY(check_loss(i, figure->losses[i], error));
    return check_margins(figure->margin_from, figure->margin_to, error);
}

/* Only what the chosen panels need is checked. */
temper_status temper_plot_losses(const temper_loss_figure *figure, temper_text *svg, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    TRY(check_panels(figure->panels, error));
    if (strpbrk(figure->panels, "ab")) /* log_t and exp_t show the temperatures */
        TRY(check_temperatures(figure, error));
    if (strchr(figure->panels, 'c')) /* and this one the losses */
        TRY(check_losses(figure, error));
    struct text text = {0};
    losses_draw(&text, figure);
    return api_publish_text(&text, TEMPER_OK, svg, error);
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

/* At most BOUNDARY_LINES lines, each with a name and finite parameters. A line that is nowhere in view is allowed, and
 * the legend says so. */
static temper_status check_boundaries(const temper_boundary_figure *figure, temper_error *error)
{
    if (figure->boundary_count > BOUNDARY_LINES)
        return error_set(error, TEMPER_USAGE, "%zu boundaries are too many; give at most %d", figure->boundary_count,
                         BOUNDARY_LINES);
    for (size_t i = 0; i < figure->boundary_count; i++) {
        const temper_boundary *line = &figure->boundaries[i];
        const double numbers[] = {line->weights[0], line->weights[1], line->intercept};
        TRY(check_words(&line->name, 1, "a boundary", error));
        TRY(check_numbers(numbers, 3, "parameter", error));
    }
    return TEMPER_OK;
}

/* The given class of each point: 0 or 1, with a name for both. */
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

/* Points of two features with the decision boundaries of linear models. */
temper_status temper_plot_boundary(const temper_boundary_figure *figure, temper_text *svg, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    TRY(check_numbers(figure->points, 2 * figure->count, "coordinate", error));
    TRY(check_labels(figure, error));
    TRY(check_boundaries(figure, error));
    struct text text = {0};
    temper_boundary_figure full = *figure; /* a copy, to set the titles that are missing */
    full.title = or_else(full.title, "Decision boundaries");
    full.x_title = or_else(full.x_title, "feature 1");
    full.y_title = or_else(full.y_title, "feature 2");
    boundary_draw(&text, &full);
    return api_publish_text(&text, TEMPER_OK, svg, error);
}

/* ---- Margins --------------------------------------------------------------------------------- */

/* A histogram of margins, with the loss as a curve over it. The loss must be defined, since it gives the right axis
 * its range. */
temper_status temper_plot_margins(const temper_margin_figure *figure, temper_text *svg, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    TRY(check_numbers(figure->margins, figure->count, "margin", error));
    TRY(check_words(figure->names, figure->marked ? 2 : 1, "group", error));
    /* A method with rounds has no loss as a function of the margin; the curve of its rows is the logistic one. */
    if (!loss_has_rounds(figure->loss) && isnan(temper_margin_loss_of_spec(figure->loss, 0, NULL, NULL)))
        return error_set(error, TEMPER_USAGE, "the loss has no value at the margin 0; give legal temperatures");
    struct text text = {0};
    temper_margin_figure full = *figure; /* a copy, to set a title that is missing */
    full.title = or_else(full.title, "Margins");
    histogram_draw(&text, &full);
    return api_publish_text(&text, TEMPER_OK, svg, error);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* At least two penalties, positive and decreasing: they are the ticks of a logarithmic axis that is drawn from
 * strong to weak. */
static temper_status check_penalties(const temper_path_figure *figure, temper_error *error)
{
    TRY(check_numbers(figure->l2, figure->steps, "penalty", error));
    if (figure->steps < 2)
        return error_set(error, TEMPER_USAGE, "one penalty makes no path; give at least 2");
    for (size_t i = 0; i < figure->steps; i++) {
        if (figure->l2[i] < 1 / LARGEST_DRAWN)
            return error_set(error, TEMPER_USAGE, "penalty %zu is %g, and its axis is logarithmic; give one above 0",
                             i + 1, figure->l2[i]);
        if (i > 0 && figure->l2[i] >= figure->l2[i - 1])
            return error_set(error, TEMPER_USAGE, "penalty %zu is not below the one before; give them falling", i + 1);
    }
    return TEMPER_OK;
}

/* Shares are from 0 to 1; NULL is allowed, for an optional array. */
static temper_status check_shares(const double *shares, size_t count, const char *what, temper_error *error)
{
    for (size_t i = 0; shares && i < count; i++)
        if (!(shares[i] >= 0 && shares[i] <= 1))
            return error_set(error, TEMPER_USAGE, "%s %zu is %g; give a share from 0 to 1", what, i + 1, shares[i]);
    return TEMPER_OK;
}

/* The weights for each penalty, with the accuracy beneath if it is given. */
temper_status temper_plot_path(const temper_path_figure *figure, temper_text *svg, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    TRY(check_penalties(figure, error));
    TRY(check_numbers(figure->weights, figure->steps * figure->count, "weight", error));
    if (figure->names)
        TRY(check_words(figure->names, figure->count, "weight", error));
    TRY(check_shares(figure->accuracy, figure->steps, "accuracy", error));
    TRY(check_shares(figure->test_accuracy, figure->steps, "accuracy", error));
    struct text text = {0};
    temper_path_figure full = *figure; /* a copy, to set a title that is missing */
    full.title = or_else(full.title, "Weights along the penalty");
    lambda_path_draw(&text, &full);
    return api_publish_text(&text, TEMPER_OK, svg, error);
}

/* ---- Bars ------------------------------------------------------------------------------------ */

/* Groups of horizontal bars, one for each series. Limits keep the labels readable and the colours distinct. */
temper_status temper_plot_bars(const temper_bar_figure *figure, temper_text *svg, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    if ((figure->group_count > BARS_GROUPS || figure->series_count > BARS_SERIES))
        return error_set(error, TEMPER_USAGE, "%zu groups of %zu bars are too many; give at most %d of %d",
                         figure->group_count, figure->series_count, BARS_GROUPS, BARS_SERIES);
    TRY(check_numbers(figure->values, figure->group_count * figure->series_count, "value", error));
    if (figure->shares)
        TRY(check_shares(figure->values, figure->group_count * figure->series_count, "value", error));
    TRY(check_words(figure->groups, figure->group_count, "group", error));
    TRY(check_words(figure->series, figure->series_count, "series", error));
    struct text text = {0};
    temper_bar_figure full = *figure; /* a copy, to set a title that is missing */
    full.title = or_else(full.title, "Comparison");
    bars_draw(&text, &full);
    return api_publish_text(&text, TEMPER_OK, svg, error);
}

/* ---- Heat maps ------------------------------------------------------------------------------- */

/* Cells may be empty, but not all of them. */
static temper_status check_cells(const temper_heatmap_figure *figure, temper_error *error)
{
    size_t filled = 0; /* cells with a number */
    for (size_t i = 0; i < figure->row_count * figure->column_count; i++) {
        bool empty = isnan(figure->values[i]); /* drawn as a grey cell */
        if (!empty)
            TRY(check_numbers(&figure->values[i], 1, "value", error));
        if (!empty && figure->shares)
            TRY(check_shares(&figure->values[i], 1, "value", error));
        filled += !empty;
    }
    return filled ? TEMPER_OK : error_set(error, TEMPER_USAGE, "all cells are empty; give some numbers");
}

/* A table of numbers as shaded cells. The limits keep a picture below a few megabytes. */
temper_status temper_plot_heatmap(const temper_heatmap_figure *figure, temper_text *svg, temper_error *error)
{
    if (!figure || !svg || !figure->values)
        return refuse_nothing(error);
    if (figure->row_count == 0 || figure->row_count > HEAT_CELLS || figure->column_count == 0 ||
        figure->column_count > HEAT_CELLS)
        return error_set(error, TEMPER_USAGE, "%zu rows of %zu cells cannot be drawn; give 1 to %d of each",
                         figure->row_count, figure->column_count, HEAT_CELLS);
    TRY(check_words(figure->rows, figure->row_count, "row", error));
    TRY(check_words(figure->columns, figure->column_count, "column", error));
    TRY(check_cells(figure, error));
    struct text text = {0};
    temper_heatmap_figure full = *figure; /* a copy, to set the titles that are missing */
    full.title = or_else(full.title, "Heat map");
    full.x_title = or_else(full.x_title, "");
    full.y_title = or_else(full.y_title, "");
    heat_draw(&text, &full);
    return api_publish_text(&text, TEMPER_OK, svg, error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Values may be missing, but not all of them; error bars are not negative. */
static temper_status check_series(const temper_line_figure *figure, temper_error *error)
{
    size_t known = 0; /* values that are not missing */
    for (size_t i = 0; i < figure->series_count * figure->points; i++) {
        double errors = figure->errors ? figure->errors[i] : 0;
        if (isnan(figure->values[i])) /* a gap in the line */
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

/* Checks the x axis (increasing places, the same for all series), the names, and then the values. */
static temper_status check_lines(const temper_line_figure *figure, temper_error *error)
{
    if (figure->points < 2 || figure->series_count == 0 || figure->series_count > LINES_SERIES || !figure->values)
        return error_set(error, TEMPER_USAGE, "%zu series of %zu points cannot be drawn; give 1 to %d of 2 or more",
                         figure->series_count, figure->points, LINES_SERIES);
    TRY(check_numbers(figure->x, figure->points, "place", error));
    for (size_t i = 1; i < figure->points; i++)
        if (!(figure->x[i] > figure->x[i - 1]))
            return error_set(error, TEMPER_USAGE, "place %zu is not beyond the one before it; give them rising", i + 1);
    TRY(check_words(figure->series, figure->series_count, "series", error));
    return check_series(figure, error);
}

/* Lines through points with error bars, one for each series. */
temper_status temper_plot_lines(const temper_line_figure *figure, temper_text *svg, temper_error *error)
{
    if (!figure || !svg)
        return refuse_nothing(error);
    TRY(check_lines(figure, error));
    struct text text = {0};
    temper_line_figure full = *figure; /* a copy, to set the titles that are missing */
    full.title = or_else(full.title, "Comparison");
    full.x_title = or_else(full.x_title, "x");
    full.y_title = or_else(full.y_title, "y");
    lines_draw(&text, &full);
    return api_publish_text(&text, TEMPER_OK, svg, error);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* A part of a page must have the texts that its kind needs; a table has a head in its first row. */
static temper_status check_block(const temper_page_block *block, temper_error *error)
{
    if ((size_t)block->kind > TEMPER_PAGE_TABLE)
        return error_set(error, TEMPER_USAGE, "a part of the page is of no known kind; use a temper_page_block_kind");
    if (block->kind != TEMPER_PAGE_TABLE)
        return check_words(&block->text, 1, "a part of the page", error);
    if (block->rows == 0 || block->columns == 0)
        return error_set(error, TEMPER_USAGE, "a table of the page is empty; give it a head");
    return check_words(block->cells, block->rows * block->columns, "cell", error);
}

/* Writes one part of a page. */
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

/* Writes all parts. Consecutive pictures share a row, which wraps on narrow screens. */
static void write_blocks(struct text *out, const temper_page_block *blocks, size_t count)
{
    bool inside = false; /* of a row of pictures */
    for (size_t i = 0; i < count; i++) {
        bool picture = blocks[i].kind == TEMPER_PAGE_PICTURE;
        if (picture && !inside)
            html_open(out, "flow");
        if (!picture && inside)
            html_close(out);
        inside = picture;
        write_block(out, &blocks[i]);
    }
    if (inside)
        html_close(out);
}

/* All parts are checked before the first is written, so that a refused page costs nothing. */
temper_status temper_page_to_html(const char *title, const temper_page_block *blocks, size_t count, temper_text *html,
                                  temper_error *error)
{
    if (!title || !html)
        return refuse_nothing(error);
    for (size_t i = 0; i < count; i++)
        TRY(check_block(&blocks[i], error));
    struct text text = {0};
    html_begin(&text, title);
    write_blocks(&text, blocks, count);
    html_end(&text);
    return api_publish_text(&text, TEMPER_OK, html, error);
}
