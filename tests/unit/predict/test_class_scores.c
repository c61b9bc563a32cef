/* Areas under curves and thresholds, against values of scikit-learn 1.9 (roc_auc_score, average_precision_score,
 * precision_recall_curve) and values worked out by hand. */
#include <math.h>

#include "fixtures/test.h"
#include "predict/class_scores.h"

enum { ROWS = 40, CLASSES = 3 };

static const uint32_t labels[ROWS] = {2, 2, 0, 2, 1, 1, 1, 0, 2, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2,
                                      0, 1, 2, 0, 0, 1, 0, 2, 0, 2, 2, 2, 0, 1, 1, 1, 1, 2, 1, 0};
static const double weights[ROWS] = {4, 2, 3, 1, 3, 1, 3, 2, 3, 2, 1, 2, 0, 0, 2, 2, 3, 0, 2, 2,
                                     2, 3, 2, 2, 2, 2, 1, 2, 3, 1, 4, 3, 4, 1, 2, 1, 0, 0, 1, 3};
/* Scores in tenths, so that many are equal. */
static const int tenths[ROWS * CLASSES] = {1, 1, 8, 0, 1, 9, 4, 2, 4, 0, 7, 3, 4, 5, 1, 2, 7, 1, 1, 6, 3, 6, 2, 2,
                                           4, 3, 3, 5, 0, 4, 6, 2, 2, 4, 4, 1, 3, 5, 2, 1, 7, 2, 4, 3, 4, 5, 5, 0,
                                           5, 4, 0, 8, 1, 1, 5, 3, 1, 0, 2, 8, 6, 2, 2, 3, 6, 1, 0, 5, 5, 8, 1, 1,
                                           5, 4, 0, 2, 4, 4, 8, 0, 1, 2, 1, 7, 5, 3, 2, 7, 0, 3, 0, 0, 9, 2, 1, 6,
                                           5, 4, 1, 4, 4, 2, 3, 5, 2, 6, 3, 1, 1, 8, 1, 0, 6, 4, 4, 5, 2, 6, 1, 3};

static void add_all(struct class_scores *scores, bool weighted)
{
    for (size_t row = 0; row < ROWS; row++) {
        double score[CLASSES];
        for (size_t c = 0; c < CLASSES; c++)
            score[c] = tenths[row * CLASSES + c] / 10.0;
        CHECK(class_scores_add(scores, score, labels[row], weighted ? weights[row] : 1, NULL) == TEMPER_OK);
    }
}

TEST(equal_scores_as_in_scikit_learn)
{
    static const double auc[] = {0.9244791666666666, 0.8817663817663818, 0.9467084639498433};
    static const double average[] = {0.8517134661835749, 0.70263120819801, 0.8734402852049912};
    struct class_scores scores = {.classes = CLASSES, .probabilities = true};
    add_all(&scores, false);
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct class_ranking ranking;
        CHECK(class_scores_rank(&scores, c, &ranking, NULL) == TEMPER_OK);
        CHECK_CLOSE(ranking.auc, auc[c], 1e-14);
        CHECK_CLOSE(ranking.average_precision, average[c], 1e-14);
    }
    class_scores_free(&scores);
}

TEST(weights_as_in_scikit_learn)
{
    static const double auc[] = {0.9432284541723666, 0.9174228675136116, 0.9528301886792453};
    static const double average[] = {0.8912821358989166, 0.701983884128927, 0.9198717948717948};
    static const double best[][4] = {{0.5, 0.8923076923076922, 0.9354838709677419, 0.8529411764705882},
                                     {0.4, 0.7058823529411765, 0.5625, 0.9473684210526315},
                                     {0.5, 0.8837209302325582, 1, 0.7916666666666666}};
    struct class_scores scores = {.classes = CLASSES, .probabilities = true};
    add_all(&scores, true);
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct class_ranking ranking;
        CHECK(class_scores_rank(&scores, c, &ranking, NULL) == TEMPER_OK);
        CHECK_CLOSE(ranking.auc, auc[c], 1e-14);
        CHECK_CLOSE(ranking.average_precision, average[c], 1e-14);
        CHECK_CLOSE(ranking.best_threshold, best[c][0], 0);
        CHECK_CLOSE(ranking.best_f1, best[c][1], 1e-14);
        CHECK_CLOSE(ranking.best_precision, best[c][2], 1e-14);
        CHECK_CLOSE(ranking.best_recall, best[c][3], 1e-14);
    }
    class_scores_free(&scores);
}

/* One class alone: there is nothing to rank it against; the other has no rows. */
TEST(undefined_areas)
{
    struct class_scores scores = {.classes = 2, .probabilities = true};
    struct class_ranking ranking;
    for (size_t row = 0; row < 3; row++)
        CHECK(class_scores_add(&scores, (const double[]){0.3, 0.7}, 1, 1, NULL) == TEMPER_OK);
    CHECK(class_scores_rank(&scores, 1, &ranking, NULL) == TEMPER_OK);
    CHECK(isnan(ranking.auc) && ranking.average_precision == 1 && ranking.best_f1 == 1 && ranking.best_flagged == 1);
    CHECK(class_scores_rank(&scores, 0, &ranking, NULL) == TEMPER_OK);
    CHECK(isnan(ranking.auc) && isnan(ranking.average_precision) && isnan(ranking.best_f1));
    class_scores_free(&scores);
    CHECK(class_scores_rank(&scores, 0, &ranking, NULL) == TEMPER_OK && isnan(ranking.auc)); /* no rows at all */
}

/* Beyond the limit scores are grouped: the row of number i has the score of i / n, and is of class 1 if i * 7919 mod n
 * is below i, so that the areas follow from the exact ones of a subset. */
TEST(many_rows_are_grouped)
{
    struct class_scores exact = {.classes = 2, .probabilities = true}, grouped = exact;
    struct class_ranking few, many;
    const size_t rows = CLASS_SCORES_EXACT / 2 + 1;
    for (size_t i = 0; i < rows; i++) {
        double p = ((double)i + 0.5) / (double)rows;
        uint32_t label = i * 7919 % rows < i;
        const double score[] = {1 - p, p};
        if (i + 1 < rows)
            class_scores_add(&exact, score, label, 1, NULL);
        class_scores_add(&grouped, score, label, 1, NULL);
    }
    CHECK(exact.intervals == 0 && exact.rows == rows - 1);
    CHECK(grouped.intervals > 0 && grouped.score == NULL);
    CHECK(class_scores_rank(&exact, 1, &few, NULL) == TEMPER_OK);
    CHECK(class_scores_rank(&grouped, 1, &many, NULL) == TEMPER_OK);
    CHECK_CLOSE(many.auc, few.auc, 1e-5);
    CHECK_CLOSE(many.average_precision, few.average_precision, 1e-4);
    CHECK_CLOSE(many.best_f1, few.best_f1, 1e-4);
    CHECK_CLOSE(many.best_threshold, few.best_threshold, 1e-2);
    class_scores_free(&exact);
    class_scores_free(&grouped);
}

TEST_LIST(LISTED(equal_scores_as_in_scikit_learn), LISTED(weights_as_in_scikit_learn), LISTED(undefined_areas),
          LISTED(many_rows_are_grouped))
