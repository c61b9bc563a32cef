/* The noise of many classes: parameters that were planted come back. */
#include <math.h>

#include "audit/noise_em.h"
#include "base/random.h"
#include "fixtures/test.h"

/* Evidence drawn from its own model: the parameters come back. */
TEST(noise_model_finds_its_parameters)
{
    enum { N = 8000 };
    static double evidence[N * 3];
    static uint32_t given[N];
    static const double transition[3][3] = {{0.9, 0.1, 0}, {0, 0.7, 0.3}, {0, 0, 1}};
    struct noise_em model = {0};
    for (size_t row = 0; row < N; row++) {
        double p[3], sum = 0, u = random_uniform((struct random){1, 50}, row);
        double v = random_uniform((struct random){1, 51}, row);
        uint32_t class = 0;
        for (size_t c = 0; c < 3; c++) {
            evidence[row * 3 + c] = random_normal((struct random){1, 52}, row * 3 + c);
            sum += p[c] = exp(4 * evidence[row * 3 + c]);
        }
        while (class < 2 && u * sum > p[class])
            u -= p[class ++] / sum;
        given[row] = 0;
        while (given[row] < 2 && v > transition[class][given[row]])
            v -= transition[class][given[row]++];
    }
    struct noise_em_rows rows = {evidence, given, N, 3};
    if (!CHECK(noise_em_fit(&rows, &model, NULL) == TEMPER_OK))
        return;
    CHECK_CLOSE(model.sharpness, 4, 0.1);
    CHECK(model.in_pairs && model.likelihood > model.uniform + 0.03);
    for (size_t i = 0; i < 9; i++)
        CHECK_NEAR(model.transition[i], transition[i / 3][i % 3], 0.03);
    noise_em_free(&model);
}

TEST_LIST(LISTED(noise_model_finds_its_parameters))
