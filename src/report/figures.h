/* figures: the descriptions of all figures, as charts. The values have been checked by the caller; a failed allocation
 * is noted in the text. */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "report/chart.h"
#include "temper_extra.h"

/* Limits: more could not be distinguished, or seen. */
enum {
    BARS_GROUPS = 64,
    BARS_SERIES = 6,
    BOUNDARY_LINES = 6,
    HEAT_CELLS = 128,
    LINES_SERIES = 8,
    CONFUSION_CLASSES = 40
};

void bars_draw(struct text *out, const temper_bar_figure *figure);
void boundary_draw(struct text *out, const temper_boundary_figure *figure);
void heat_draw(struct text *out, const temper_heatmap_figure *figure);
void histogram_draw(struct text *out, const temper_margin_figure *figure);
void lines_draw(struct text *out, const temper_line_figure *figure);
/* Weights against the penalty, with the accuracy beneath. */
void lambda_path_draw(struct text *out, const temper_path_figure *figure);

/* ---- Confusion and calibration --------------------------------------------------------------- */

struct confusion {
    const double *sums; /* [row][column]: [given][predicted] */
    const char *const *names;
    size_t classes; /* at most CONFUSION_CLASSES for the picture */
    /* Titles of the picture; NULL: "Given and predicted classes", "given", "predicted". */
    const char *title, *row_title, *column_title;
};

/* A heat map; shades are shares of the row. */
void confusion_draw(struct text *out, const struct confusion *confusion);

enum { CALIBRATION_BINS = 15 };

/* Sums over the rows in each bin of equal width of the largest probability, the bins of the expected calibration error.
 * Start from {0}. */
struct calibration_bins {
    double weight[CALIBRATION_BINS];
    double confidence[CALIBRATION_BINS]; /* weighted */
    double correct[CALIBRATION_BINS];    /* weight of the rows that were predicted correctly */
};

void calibration_add(struct calibration_bins *calibration, double confidence, bool correct, double weight);
void calibration_draw(struct text *out, const struct calibration_bins *calibration);

/* ---- Losses, in loss_figure.c ---------------------------------------------------------------- */

/* Figure 1 of the paper for any temperatures: the panels in a row, in the order of figure->panels. */
void losses_draw(struct text *out, const temper_loss_figure *figure);
/* Describes one panel in an empty chart: 'a' is log_t, 'b' exp_t, 'c' the losses. */
void losses_describe(struct chart *chart, const temper_loss_figure *figure, char panel);
/* The method and the parameters that it does not fix: "tempered, t1 = 0.6, t2 = 1.6". */
void append_loss(struct text *out, temper_loss_spec loss);

#endif
