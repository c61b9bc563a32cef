/* model_report: what a model does on labelled rows, as a page or as one picture. */
#ifndef REPORT_MODEL_REPORT_H
#define REPORT_MODEL_REPORT_H

#include <stdbool.h>

#include "report/figures.h"
#include "temper_extra.h"

enum { REPORT_WEIGHTS = 12 };

/* One of the strongest weights. */
struct strong_weight {
    double value;
    size_t vector, feature;
    struct text name;
};

struct model_report {
    temper_loss_spec loss;
    temper_model_summary summary;
    size_t features;
    const char *model, *data;     /* files, as the user named them; NULL: not known */
    size_t dropped;               /* rows of the data, for missing values */
    temper_evaluation evaluation; /* its confusion table is that below */
    struct confusion confusion;
    double *margins; /* of the given label, for each row whose class the model knows */
    unsigned char *wrong;
    size_t rows;
    bool calibrated; /* whether there are probabilities */
    struct calibration_bins calibration;
    struct strong_weight weights[REPORT_WEIGHTS];
    size_t weight_count;
    bool weights_scaled; /* they are for features of the same size */
};

/* Memory that ended is noted in the text. */
void model_report_page(struct text *out, const struct model_report *report);
/* The pictures alone. */
void model_report_svg(struct text *out, const struct model_report *report);

#endif
