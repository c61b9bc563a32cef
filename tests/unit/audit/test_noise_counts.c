/* Counts of labels: pairs of classes that are confused in one direction, in both, and by nobody. */
#include <math.h>

#include "audit/noise/noise_counts.h"
#include "base/memory.h"
#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

enum { ROWS = 2000, CLASSES = 4 };
static double p[ROWS * CLASSES], evidence[ROWS * CLASSES];
static uint32_t given[ROWS];

/* Rows of four classes, of which the probabilities are sure; a label of class c becomes to[c] with the probability
 * share[c], which the probabilities have learnt. Returns the gain of the table. */
static double gain_of(const uint32_t *to, const double *share)
{
    struct noise_counts_rows rows = {p, given, ROWS, CLASSES, 1};
    struct noise_model model = {0};
    double gain = -1;
    for (size_t row = 0; row < ROWS; row++) {
        uint32_t class = (uint32_t)(row % CLASSES);
        double noise = 0.02 * random_uniform((struct random){4, 2}, row);
        for (size_t c = 0; c < CLASSES; c++)
            p[row * CLASSES + c] = noise / CLASSES;
        p[row * CLASSES + class] += (1 - noise) * (1 - share[class]);
        p[row * CLASSES + to[class]] += (1 - noise) * share[class];
        given[row] = random_uniform((struct random){4, 1}, row) < share[class] ? to[class] : class;
    }
    fault_fill_memory(true); /* what is read without having been set makes the gain NaN, and shows no structure */
    CHECK(noise_counts_fit(&rows, evidence, &model, &gain, NULL) == TEMPER_OK);
    fault_fill_memory(false);
    CHECK((model.transition != NULL) == (gain > 0));
    mem_free(model.offset);
    mem_free(model.transition);
    return gain;
}

TEST(labels_that_become_others_in_one_direction)
{
    CHECK(gain_of((uint32_t[]){1, 2, 3, 0}, (double[]){0.3, 0.3, 0.3, 0.3}) > 100);
    CHECK(gain_of((uint32_t[]){1, 0, 2, 3}, (double[]){0.4, 0, 0, 0}) > 50);
}

/* Two classes that the model cannot tell apart: as often taken for each other. */
TEST(classes_that_overlap)
{
    CHECK(gain_of((uint32_t[]){1, 0, 2, 3}, (double[]){0.45, 0.45, 0, 0}) == 0);
    CHECK(gain_of((uint32_t[]){1, 0, 3, 2}, (double[]){0.3, 0.3, 0.3, 0.3}) == 0);
}

TEST(correct_labels)
{
    CHECK(gain_of((uint32_t[]){0, 1, 2, 3}, (double[]){0, 0, 0, 0}) == 0);
}

TEST_LIST(LISTED(labels_that_become_others_in_one_direction), LISTED(classes_that_overlap), LISTED(correct_labels))
