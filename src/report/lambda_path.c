/* lambda_path: weights as the penalty becomes weaker, with the accuracy below. */
#include "report/lambda_path.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/figure.h"
#include "report/names.h"
#include "report/palette.h"
#include "report/range.h"

enum {
    NAMED = 10,          /* of the strongest weights; more could not be told apart */
    MOST_OTHERS = 400,   /* thin lines behind them */
    NAME_CHARACTERS = 24 /* that stand beside the frame */
};

static const double wide = 460, high = 300, low = 110; /* the two frames */

static double weight_at(const temper_path_figure *figure, size_t step, size_t index)
{
    return figure->weights[step * figure->count + index];
}

/* ---- The strongest --------------------------------------------------------------------------- */

struct strongest {
    size_t index[NAMED];
    size_t count;
};

static double end_size(const temper_path_figure *figure, size_t index)
{
    return fabs(weight_at(figure, figure->steps - 1, index));
}

/* By their size at the weak end; those that stay 0 are not worth a name. */
static struct strongest find_strongest(const temper_path_figure *figure)
{
    struct strongest found = {.count = 0};
    for (size_t i = 0; i < figure->count; i++) {
        double size = end_size(figure, i);
        size_t place = found.count;
        while (place > 0 && end_size(figure, found.index[place - 1]) < size)
            place--;
        if (place == NAMED || size == 0)
            continue;
        found.count += found.count < NAMED;
        memmove(found.index + place + 1, found.index + place, (found.count - 1 - place) * sizeof *found.index);
        found.index[place] = i;
    }
    return found;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void append_line(struct path *path, const struct frame *frame, const temper_path_figure *figure, size_t index)
{
    for (size_t i = 0; i < figure->steps; i++)
        path_append(path, frame_point(frame, log10(figure->l2[i]), weight_at(figure, i, index)));
}

/* All the others as thin grey lines; some of them, evenly chosen, if they are very many. */
static void draw_others(struct text *out, const struct frame *frame, const void *context)
{
    const struct stroke thin = {.colour = palette_axis, .width = 0.8};
    const temper_path_figure *figure = context;
    struct path path = {0};
    size_t step = (figure->count + MOST_OTHERS - 1) / MOST_OTHERS;
    for (size_t i = 0; i < figure->count; i += step) {
        append_line(&path, frame, figure, i);
        path_append(&path, (struct point){NAN, NAN});
    }
    svg_path(out, path.points, path.count, &thin);
    out->failed |= path.failed;
    path_free(&path);
}

static void append_name(struct text *out, const temper_path_figure *figure, size_t index)
{
    if (figure->names)
        append_short(out, figure->names[index], NAME_CHARACTERS);
    else
        text_format(out, "%zu", index + 1);
}

static void add_named(struct panel *panel, const temper_path_figure *figure, size_t index, size_t rank)
{
    struct curve *curve = panel_add_curve(panel, palette_category(rank));
    double end = weight_at(figure, figure->steps - 1, index);
    struct level *label = panel_add_level(panel, end, curve->stroke.colour);
    curve->stroke.width = 1.8;
    label->bare = true;
    append_name(&curve->label, figure, index);
    append_name(&label->label, figure, index);
    append_line(&curve->path, &panel->frame, figure, index);
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* Strong penalties at the left: weights grow to the right, where their names are. */
static void frame_panel(struct panel *panel, const temper_path_figure *figure, double height, struct domain y)
{
    struct domain x = {log10(figure->l2[figure->steps - 1]), log10(figure->l2[0])};
    if (x.to - x.from < 1e-3) /* neighbouring penalties: some width all the same */
        x = (struct domain){x.from - 5e-4, x.to + 5e-4};
    panel_frame(panel, wide, height, x, y);
    panel->frame.x.pixel_from = wide;
    panel->frame.x.pixel_to = 0;
    panel->frame.x.powers = true;
    panel->corners = "rlRL";
}

static void fill_weights(struct panel *panel, const temper_path_figure *figure)
{
    struct strongest strongest = find_strongest(figure);
    size_t all = figure->steps * figure->count;
    struct domain range = range_of(figure->weights, all, 1);
    range.from = fmin(range.from, 0);
    range.to = fmax(range.to, 0);
    panel->title = figure->title;
    panel->x_title = "penalty \xce\xbb, falling to the right";
    panel->y_title = "weight";
    frame_panel(panel, figure, high, range_padded(range, 0.04));
    panel->layer = draw_others;
    panel->layer_context = figure;
    panel->unlisted = true;
    for (size_t i = 0; i < strongest.count; i++)
        add_named(panel, figure, strongest.index[i], i);
}

static void add_accuracy(struct panel *panel, const temper_path_figure *figure, const double *accuracy,
                         const char *name)
{
    struct curve *curve = panel_add_curve(panel, palette_reference(palette_ink, panel->curve_count));
    text_append(&curve->label, name);
    for (size_t i = 0; i < figure->steps; i++)
        path_append(&curve->path, frame_point(&panel->frame, log10(figure->l2[i]), 100 * accuracy[i]));
}

static void fill_accuracy(struct panel *panel, const temper_path_figure *figure)
{
    struct domain range = range_of(figure->accuracy, figure->steps, 1);
    if (figure->test_accuracy) {
        struct domain test = range_of(figure->test_accuracy, figure->steps, 1);
        range = (struct domain){fmin(range.from, test.from), fmax(range.to, test.to)};
    }
    double around = fmax(0.1 * (range.to - range.from), 0.01); /* a point, if all is flat */
    panel->title = "Accuracy";
    panel->x_title = "penalty \xce\xbb";
    panel->y_title = "%";
    frame_panel(panel, figure, low, (struct domain){100 * (range.from - around), 100 * (range.to + around)});
    panel->unlisted = !figure->test_accuracy;
    add_accuracy(panel, figure, figure->accuracy, "training rows");
    if (figure->test_accuracy)
        add_accuracy(panel, figure, figure->test_accuracy, "test rows");
}

void lambda_path_draw(struct text *out, const temper_path_figure *figure)
{
    struct panel *panels = mem_zeroed(2, sizeof *panels);
    size_t count = figure->accuracy ? 2 : 1;
    if (!panels) {
        out->failed = true;
        return;
    }
    fill_weights(&panels[0], figure);
    if (count > 1)
        fill_accuracy(&panels[1], figure);
    figure_stack(out, figure->title, panels, count);
    for (size_t i = 0; i < count; i++)
        panel_free(&panels[i]);
    mem_free(panels);
}
