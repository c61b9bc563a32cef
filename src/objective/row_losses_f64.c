/* row_losses_f64: rows of doubles. */
#define real        double
#define SOFTMAX     struct softmax_f64
#define TARGETS     struct softmax_targets_f64
#define RUN         softmax_f64
#define RUN_TARGETS softmax_targets_f64
#define ROWS(name)  name##_f64
#include "objective/row_losses.inc.h"
