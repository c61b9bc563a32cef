/* audit_memory: how much memory an audit will take, computed before it starts. */
#include <math.h>

#include "audit/audit_state.h"
#include "audit/rff_ridge.h"
#include "data/memory/memory_limit.h"
#include "search/many_fits.h"

static const double NUMBER = sizeof(double);

/* Activations and evidence of all classes, places, neighbours, suspects. */
temper_status audit_budget(const struct audit *audit)
{
    const struct dataset *data = audit->given;
    double columns = (double)data->x.columns, rows = (double)data->x.rows, block;
    double dimensions = columns < AUDIT_DIMENSIONS ? columns : AUDIT_DIMENSIONS;
    double classes = (double)audit->classes;
    if (data->storage.memory_limit == 0)
        return TEMPER_OK;
    double fits = fits_bytes(data, &audit->train, audit->options->folds, audit->threads, &block);
    double places = rows * dimensions * (sizeof(double) + sizeof(float)) + (2 * dimensions + 1) * columns * NUMBER;
    double curves = classes == 2 ? CURVES_BYTES + 3 * rows * NUMBER : 0;
    double lists = rows * (3 * sizeof(temper_audit_suspect) + 48 + NUMBER * classes);
    double kept = rows * (2 * NUMBER * classes + 24 + sizeof(uint32_t) * AUDIT_NEIGHBOURS);
    struct memory_limit_plan plan = {.what = "the audit",
                                     .needed = kept + fmax(fits, fmax(places + curves, lists)),
                                     .threads = audit->threads,
                                     .block = block};
    return memory_limit_plan(data, &plan, audit->error);
}
