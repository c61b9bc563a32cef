/* For which losses and data a preconditioner of which kind is made. */
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "train/preconditioner/preconditioner.h"

/* Memory is set aside for one matrix of each class where such matrices are made, and nowhere else: losses without the
 * curvature of a row keep the one matrix of W = 0. */
TEST(only_two_temperature_losses_of_many_classes_have_a_matrix_for_each_class)
{
    static const temper_loss_spec logistic = {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
                                  robust = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1},
                                  forward = {.method = TEMPER_FORWARD, .t1 = 1, .t2 = 1},
                                  convex = {
                                      .method = TEMPER_SCE, .t1 = 1, .t2 = 1, .alpha = 4, .beta = 1, .log_zero = -4};
    struct dataset *two = made_data(MATRIX_F64, 300, 3, 2), *three = made_data(MATRIX_F64, 300, 3, 3);
    CHECK(preconditioner_per_class(three, logistic, 4) && !preconditioner_per_class(two, logistic, 4));
    CHECK(preconditioner_per_class(three, robust, 4) && preconditioner_is_renewed(three, robust));
    CHECK(!preconditioner_per_class(three, forward, 4) && !preconditioner_is_renewed(three, forward));
    CHECK(!preconditioner_per_class(three, convex, 4) && !preconditioner_is_renewed(three, convex));
    CHECK(preconditioner_suits(forward, three) && preconditioner_suits(convex, three));
    CHECK(!preconditioner_is_renewed(two, logistic));
    dataset_free(two);
    dataset_free(three);
}

TEST_LIST(LISTED(only_two_temperature_losses_of_many_classes_have_a_matrix_for_each_class))
