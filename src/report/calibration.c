/* calibration: how often the model is right where it says how sure it is. */
#include "report/calibration.h"

#include <math.h>

#include "base/memory.h"
#include "report/figure.h"
#include "report/palette.h"

void calibration_add(struct calibration *calibration, double confidence, bool correct, double weight)
{
    double place = floor(confidence * CALIBRATION_BINS);
    size_t bin = (size_t)fmin(fmax(place, 0), CALIBRATION_BINS - 1);
    calibration->weight[bin] += weight;
    calibration->confidence[bin] += weight * confidence;
    calibration->correct[bin] += correct ? weight : 0;
}

static double total_weight(const struct calibration *calibration)
{
    double total = 0;
    for (size_t i = 0; i < CALIBRATION_BINS; i++)
        total += calibration->weight[i];
    return total;
}

/* Bars from the sure to the right; dots are as large as their share of the rows. */
static void draw_bins(struct text *out, const struct frame *frame, const void *context)
{
    const struct calibration *calibration = context;
    const struct colour pale = palette_pale(palette_group(0), 0.5);
    double total = total_weight(calibration);
    for (size_t i = 0; i < CALIBRATION_BINS; i++) {
        double weight = calibration->weight[i];
        if (weight <= 0)
            continue;
        double right = 100 * calibration->correct[i] / weight;
        struct point from = frame_point(frame, 100.0 * (double)i / CALIBRATION_BINS, right);
        struct point to = frame_point(frame, 100.0 * (double)(i + 1) / CALIBRATION_BINS, 0);
        svg_fill(out, (struct box){from.x + 0.5, from.y, to.x - from.x - 1, to.y - from.y}, pale);
        struct point at = frame_point(frame, 100 * calibration->confidence[i] / weight, right);
        svg_dot(out, at, 2.5 + 9 * sqrt(weight / total), palette_group(0));
    }
}

void calibration_draw(struct text *out, const struct calibration *calibration)
{
    const struct domain percent = {0, 104};
    struct panel *panel = mem_zeroed(1, sizeof *panel);
    if (!panel) {
        out->failed = true;
        return;
    }
    panel->title = "Calibration";
    panel->x_title = "probability of the predicted class (%)";
    panel->y_title = "predicted right (%)";
    panel->guide_note = "as sure as right";
    panel_frame(panel, PANEL_WIDTH, PANEL_HEIGHT, (struct domain){0, 102}, percent);
    panel->layer = draw_bins;
    panel->layer_context = calibration;
    panel_add_key(panel, (struct key){"rows, larger where more", palette_group(0), KEY_DOT});
    panel_add_guide(panel, (struct guide){{0, 0}, {100, 100}, palette_ink});
    figure_draw(out, panel->title, panel, 1);
    panel_free(panel);
    mem_free(panel);
}
