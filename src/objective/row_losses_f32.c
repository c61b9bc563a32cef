/* row_losses_f32: rows of floats. */
#define real        float
#define SOFTMAX     struct softmax_f32
#define TARGETS     struct softmax_targets_f32
#define RUN         softmax_f32
#define RUN_TARGETS softmax_targets_f32
#define ROWS(name)  name##_f32
#include "objective/row_losses.inc.h"
