/* api: pictures. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "report/figures.h"
#include "temper.h"

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

/* `what` is the plural of what the panels show. */
static temper_status check_count(const void *first, size_t count, const char *what, temper_error *error)
{
    if (!first || count == 0)
        return error_set(error, TEMPER_USAGE, "no %s to draw; give some, or leave their panel out", what);
    if (count > CHART_CURVES)
        return error_set(error, TEMPER_USAGE, "%zu %s are too many for a panel; give at most %d", count, what,
                         CHART_CURVES);
    return TEMPER_OK;
}

static bool is_legal(double parameter)
{
    return isfinite(parameter) && parameter >= 0;
}

static temper_status check_temperatures(const temper_loss_figure *figure, temper_error *error)
{
    temper_status status = check_count(figure->temperatures, figure->temperature_count, "temperatures", error);
    for (size_t i = 0; status == TEMPER_OK && i < figure->temperature_count; i++)
        if (!is_legal(figure->temperatures[i]))
            status = error_set(error, TEMPER_USAGE, "temperature %zu is %g; give a finite number that is not negative",
                               i + 1, figure->temperatures[i]);
    return status;
}

/* One parameter of the index-th loss. */
static temper_status check_parameter(size_t index, const char *name, double value, temper_error *error)
{
    if (is_legal(value))
        return TEMPER_OK;
    return error_set(error, TEMPER_USAGE, "loss %zu has %s = %g; give a finite number that is not negative", index + 1,
                     name, value);
}

/* What the method ignores may be anything. */
static temper_status check_loss(size_t index, temper_loss_spec loss, temper_error *error)
{
    if ((size_t)loss.method > TEMPER_BREGMAN)
        return error_set(error, TEMPER_USAGE, "loss %zu is of no known method; use a temper_method", index + 1);
    if (loss.method == TEMPER_HINGE)
        return check_parameter(index, "smoothing", loss.smoothing, error);
    loss = temper_loss_resolve(loss);
    temper_status status = check_parameter(index, "t1", loss.t1, error);
    return status == TEMPER_OK ? check_parameter(index, "t2", loss.t2, error) : status;
}

static temper_status check_margins(double from, double to, temper_error *error)
{
    const double largest = 1e300, narrowest = 1e-6;
    if (!(fabs(from) <= largest && fabs(to) <= largest))
        return error_set(error, TEMPER_USAGE, "margins from %g to %g cannot be drawn; give two numbers up to 1e300",
                         from, to);
    if (!(from < to))
        return error_set(error, TEMPER_USAGE, "margins from %g to %g are no range; give the smaller one first", from,
                         to);
    /* The labels of the ticks would all read the same. */
    if (to - from < narrowest * fmax(fabs(from), fabs(to)) || to - from < 1 / largest)
        return error_set(error, TEMPER_USAGE, "margins from %g to %g are too close to each other; widen the range",
                         from, to);
    return TEMPER_OK;
}

static temper_status check_losses(const temper_loss_figure *figure, temper_error *error)
{
    temper_status status = check_count(figure->losses, figure->loss_count, "losses", error);
    for (size_t i = 0; status == TEMPER_OK && i < figure->loss_count; i++)
        status = check_loss(i, figure->losses[i], error);
    return status == TEMPER_OK ? check_margins(figure->margin_from, figure->margin_to, error) : status;
}

/* Only what the wanted panels need is looked at. */
static temper_status check_figure(const temper_loss_figure *figure, temper_error *error)
{
    temper_status status = check_panels(figure->panels, error);
    if (status == TEMPER_OK && strpbrk(figure->panels, "ab"))
        status = check_temperatures(figure, error);
    if (status == TEMPER_OK && strchr(figure->panels, 'c'))
        status = check_losses(figure, error);
    return status;
}

temper_status temper_plot_losses(const temper_loss_figure *figure, char **svg, size_t *length, temper_error *error)
{
    if (!figure || !svg)
        return error_set(error, TEMPER_USAGE, "no figure, or nowhere to put it; give both");
    temper_status status = check_figure(figure, error);
    if (status != TEMPER_OK)
        return status;
    struct text text = {0};
    losses_draw(&text, figure);
    if (text.failed) {
        text_free(&text);
        return error_no_memory(error);
    }
    *svg = text.bytes;
    if (length)
        *length = text.length;
    return TEMPER_OK;
}
