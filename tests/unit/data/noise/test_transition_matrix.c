/* Labels drawn from a matrix of probabilities, and the files that are refused. */
#include <math.h>
#include <string.h>

#include "data/noise/noise.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

enum { SEED = 20190417 };

static temper_status transit(const struct dataset *data, const char *text, struct noise *noise, temper_error *error)
{
    scratch_enter();
    scratch_write("t.csv", text, strlen(text));
    temper_status status = noise_transition(data, "t.csv", SEED, noise, error);
    scratch_leave();
    return status;
}

static void count_transitions(const struct dataset *data, const struct noise *noise, double count[3][3])
{
    memset(count, 0, 9 * sizeof(double));
    for (size_t i = 0; i < data->x.rows; i++)
        count[data->label[i]][data->label[i]]++;
    for (size_t i = 0; i < noise->count; i++) {
        count[noise->change[i].was][noise->change[i].was]--;
        count[noise->change[i].was][noise->change[i].is]++;
    }
}

TEST(labels_follow_the_matrix)
{
    static const double p[3][3] = {{0.7, 0.2, 0.1}, {0, 1, 0}, {0.5, 0.5, 0}};
    static const char *const texts[] = {"0.7,0.2,0.1\n0,1,0\n0.5,0.5,0\n",
                                        " 0.7 , 0.2,0.1\r\n0,1,0\r\n0.5,0.5,0\r\n\r\n",
                                        "c2,\"c0\",c1\n0,0.5,0.5\n0.1,0.7,0.2\n0,0,1\n"};
    struct dataset *data = table_pattern(MATRIX_F32, 6000, 1, 3);
    for (size_t t = 0; t < 3; t++) {
        struct noise noise;
        temper_error error = {0};
        double count[3][3];
        if (!CHECKF(transit(data, texts[t], &noise, &error) == TEMPER_OK, "%s", error.message))
            return;
        count_transitions(data, &noise, count);
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                CHECK_NEAR(count[i][j], 2000 * p[i][j], 5 * sqrt(2000 * p[i][j] * (1 - p[i][j])));
        noise_free(&noise);
    }
    dataset_free(data);
}

/* Names that are numbers: that the first line holds names follows from the number of lines. */
TEST(a_matrix_of_classes_that_are_numbers)
{
    static const char *const labels[] = {"0", "1", "0", "1"};
    const double values[] = {1, 2, 3, 4};
    struct dataset *data = table_make(MATRIX_F32, 4, 1, values, labels);
    struct noise noise;
    CHECK(transit(data, "0,1\n0,1\n0,1\n", &noise, NULL) == TEMPER_OK);
    CHECK(noise.count == 2 && noise.change[0].row == 0 && noise.change[1].row == 2);
    noise_free(&noise);
    CHECK(transit(data, "1,0\n0,1\n0,1\n", &noise, NULL) == TEMPER_OK);
    CHECK(noise.count == 2 && noise.change[0].row == 1 && noise.change[0].is == 0);
    noise_free(&noise);
    CHECK(transit(data, "0,1\n1,0\n", &noise, NULL) == TEMPER_OK);
    CHECK_EQ_SIZE(noise.count, 4);
    noise_free(&noise);
    dataset_free(data);
}

static void check_matrix_refused(const char *text, const char *message)
{
    struct dataset *data = table_pattern(MATRIX_F32, 10, 1, 2);
    struct noise noise = {.count = 77};
    temper_error error = {0};
    CHECK(transit(data, text, &noise, &error) != TEMPER_OK);
    CHECK_EQ_TEXT(error.message, message);
    CHECK_EQ_SIZE(noise.count, 77);
    dataset_free(data);
}

TEST(matrices_that_are_refused)
{
    check_matrix_refused("0.5,0.5\n0.5,0.4\n", "t.csv:2:1: the probabilities sum to 0.9; make them sum to 1");
    check_matrix_refused("1.5,-0.5\n0,1\n",
                         "t.csv:1:1: a probability is below 0 or above 1; write numbers from 0 to 1");
    check_matrix_refused("0.5,0.5\n0.5,x\n", "t.csv:2:5: 'x' is not a probability; write numbers from 0 to 1 with "
                                             "commas between them");
    check_matrix_refused("1,0\n0,nan\n", "t.csv:2:3: 'nan' is not a probability; write numbers "
                                         "from 0 to 1 with commas between them");
    check_matrix_refused("1,0\n0,1,0\n", "t.csv:2:1: 3 probabilities for 2 classes; write one for each class");
    check_matrix_refused("1,0\n", "t.csv:1:1: fewer lines than classes; write one line for each class");
    check_matrix_refused("c0,c1\n1,0\n", "t.csv:2:1: fewer lines than classes; write one line for each class");
    check_matrix_refused("", "t.csv:1:1: fewer lines than classes; write one line for each class");
    check_matrix_refused("1,0\n0,1\n0,1\n0,1\n", "t.csv:4:1: more lines than classes; write one line for each class");
    check_matrix_refused("1,0\n\n0,1\n", "t.csv:2:1: the line is empty; write one line for each class");
    check_matrix_refused("c0,c7\n1,0\n0,1\n", "table.csv: t.csv: there is no class 'c7'; classes are c0, c1");
    check_matrix_refused("c0,c0\n1,0\n0,1\n", "t.csv:1:1: the first line names a class twice; name each once");
    check_matrix_refused("c0\n1,0\n0,1\n",
                         "t.csv:1:1: the first line names too few classes or too many; name each once");
}

/* Rounding of printed numbers is forgiven, and no more. */
TEST(sums_within_a_billionth)
{
    struct dataset *data = table_pattern(MATRIX_F32, 10, 1, 2);
    struct noise noise;
    CHECK(transit(data, "0.5,0.5\n0.5,0.5000000009\n", &noise, NULL) == TEMPER_OK);
    noise_free(&noise);
    CHECK(transit(data, "0.5,0.5\n0.5,0.5000000011\n", &noise, NULL) == TEMPER_BAD_DATA);
    dataset_free(data);
}

TEST_LIST(LISTED(labels_follow_the_matrix), LISTED(a_matrix_of_classes_that_are_numbers),
          LISTED(matrices_that_are_refused), LISTED(sums_within_a_billionth))
