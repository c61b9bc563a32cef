/* Dawid and Skene's EM: planted matrices come back, the objective never falls, and small cases agree with values by
 * hand. */
#include "audit/annotators/crowd.h"
#include "base/thread.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"

/* A generated crowd. */
struct generated {
    struct votes *votes;
    uint32_t *truth;
};

/* How to generate one: matrix[annotator][true][given], each item gets `each` labels by annotators in turn. */
struct crowd_recipe {
    size_t items, annotators, classes, each;
    const double *matrix;
    uint64_t seed;
};

static uint32_t draw(const double *p, size_t n, double u)
{
    uint32_t i = 0;
    while (i + 1 < n && u >= p[i])
        u -= p[i++];
    return i;
}

static struct generated generate(struct crowd_recipe recipe)
{
    size_t count = recipe.items * recipe.each, classes = recipe.classes;
    uint32_t *item = malloc(count * sizeof *item), *annotator = malloc(count * sizeof *annotator);
    uint32_t *label = malloc(count * sizeof *label);
    struct generated made = {NULL, malloc(recipe.items * sizeof *made.truth)};
    for (size_t i = 0; i < count; i++) {
        size_t row = i / recipe.each;
        item[i] = (uint32_t)row;
        annotator[i] = (uint32_t)((i + row) % recipe.annotators);
        made.truth[row] = (uint32_t)random_below((struct random){recipe.seed, 60}, row, classes);
        const double *p = recipe.matrix + (annotator[i] * classes + made.truth[row]) * classes;
        label[i] = draw(p, classes, random_uniform((struct random){recipe.seed, 61}, i));
    }
    temper_vote_arrays arrays = {count, item, annotator, label, recipe.items, recipe.annotators, classes};
    CHECK(votes_from_arrays(&arrays, &made.votes, NULL) == TEMPER_OK);
    free(item);
    free(annotator);
    free(label);
    return made;
}

static void generated_free(struct generated *made)
{
    votes_free(made->votes);
    free(made->truth);
}

static double share_right(const struct crowd *crowd, const uint32_t *truth)
{
    size_t right = 0;
    for (size_t i = 0; i < crowd->items; i++) {
        size_t best = 0;
        for (size_t c = 1; c < crowd->classes; c++)
            best = crowd->posterior[i * crowd->classes + c] > crowd->posterior[i * crowd->classes + best] ? c : best;
        right += best == truth[i];
    }
    return (double)right / (double)crowd->items;
}

/* Reliable, biased towards the first class, random, and inverted. */
static const double mixed[] = {
    0.9, 0.1, 0.1, 0.9, 0.95, 0.05, 0.4, 0.6, 0.5, 0.5, 0.5, 0.5, 0.15, 0.85, 0.85, 0.15, 0.8, 0.2, 0.2, 0.8,
};

/* Each annotator's own matrix is found, that of the inverted one too, and classes keep their names. */
TEST(planted_matrices_return)
{
    struct generated made = generate((struct crowd_recipe){4000, 5, 2, 5, mixed, 1});
    struct crowd crowd;
    if (!CHECK(crowd_new(made.votes, false, 1, &crowd, NULL) == TEMPER_OK))
        return;
    CHECK(crowd_fit(&crowd, NULL) == TEMPER_OK);
    CHECK(isfinite(crowd.strength));
    for (size_t a = 0; a < 5; a++)
        for (size_t c = 0; c < 2; c++)
            CHECK_NEAR(crowd_confusion(&crowd, a, c, 1), mixed[(a * 2 + c) * 2 + 1], 0.05);
    CHECK(share_right(&crowd, made.truth) > 0.9);
    crowd_free(&crowd);
    generated_free(&made);
}

/* The log posterior never falls, whether annotators have matrices or abilities. */
TEST(objective_is_monotone)
{
    for (int one_coin = 0; one_coin < 2; one_coin++) {
        struct generated made = generate((struct crowd_recipe){300, 5, 2, 3, mixed, 2});
        struct crowd crowd;
        if (!CHECK(crowd_new(made.votes, one_coin, 1, &crowd, NULL) == TEMPER_OK))
            return;
        CHECK(crowd_count(&crowd, NULL) == TEMPER_OK);
        crowd_pool(&crowd);
        crowd.strength = one_coin ? INFINITY : 3;
        double before = -INFINITY;
        for (int i = 0; i < 40; i++) {
            crowd_maximise(&crowd);
            row_prior_fit(&crowd.prior, crowd.posterior);
            CHECK(crowd_expect(&crowd, NULL) == TEMPER_OK && crowd_count(&crowd, NULL) == TEMPER_OK);
            CHECKF(crowd.objective >= before - 1e-9, "iteration %d: %g after %g", i, crowd.objective, before);
            before = crowd.objective;
        }
        crowd_free(&crowd);
        generated_free(&made);
    }
}

/* The same with a model, whose sharpness and biases are steps of the same EM. */
TEST(objective_is_monotone_with_a_model)
{
    enum { N = 1000 };
    static double evidence[N * 2];
    struct generated made = generate((struct crowd_recipe){N, 5, 2, 3, mixed, 3});
    struct crowd crowd;
    double before = -INFINITY;
    for (size_t i = 0; i < N; i++) {
        double a = random_normal((struct random){3, 62}, i) + (made.truth[i] ? 1 : -1);
        evidence[i * 2] = -log1p(exp(3 * a));
        evidence[i * 2 + 1] = -log1p(exp(-3 * a));
    }
    if (!CHECK(crowd_new(made.votes, false, 1, &crowd, NULL) == TEMPER_OK))
        return;
    CHECK(crowd_count(&crowd, NULL) == TEMPER_OK);
    crowd_pool(&crowd);
    row_prior_set_evidence(&crowd.prior, evidence);
    for (int i = 0; i < 40; i++) {
        crowd_maximise(&crowd);
        row_prior_fit(&crowd.prior, crowd.posterior);
        CHECK(crowd_expect(&crowd, NULL) == TEMPER_OK && crowd_count(&crowd, NULL) == TEMPER_OK);
        CHECKF(crowd.objective >= before - 1e-9, "iteration %d: %g after %g", i, crowd.objective, before);
        before = crowd.objective;
    }
    /* log odds 2 a are right here, and the model has 3 a. */
    CHECK(crowd_fit(&crowd, NULL) == TEMPER_OK);
    CHECK_NEAR(crowd.prior.sharpness, 2.0 / 3, 0.15);
    crowd_free(&crowd);
    generated_free(&made);
}

/* Votes of one item by hand: the E-step multiplies shares and columns of the matrices. */
TEST(posterior_by_hand)
{
    static const uint32_t item[] = {0, 0, 1}, annotator[] = {0, 1, 0}, label[] = {0, 1, 1};
    temper_vote_arrays arrays = {3, item, annotator, label, 2, 2, 2};
    struct votes *votes;
    struct crowd crowd;
    if (!CHECK(votes_from_arrays(&arrays, &votes, NULL) == TEMPER_OK))
        return;
    if (!CHECK(crowd_new(votes, false, 1, &crowd, NULL) == TEMPER_OK))
        return;
    CHECK_NEAR(crowd.posterior[0], 0.5, 0);
    CHECK_NEAR(crowd.posterior[3], 1, 0);
    crowd.strength = 1;
    crowd.prior.bias[0] = log(0.25);
    crowd.prior.bias[1] = log(0.75);
    /* [annotator][given][true] */
    static const double matrix[] = {0.8, 0.3, 0.2, 0.7, 0.6, 0.1, 0.4, 0.9};
    for (size_t i = 0; i < 8; i++)
        crowd.log_matrix[i] = log(matrix[i]);
    crowd.penalty = crowd.prior.penalty = 0;
    CHECK(crowd_expect(&crowd, NULL) == TEMPER_OK);
    double a = 0.25 * 0.8 * 0.4, b = 0.75 * 0.3 * 0.9;
    CHECK_CLOSE(crowd.posterior[0], a / (a + b), 1e-14);
    CHECK_CLOSE(crowd.posterior[3], 0.75 * 0.7 / (0.75 * 0.7 + 0.25 * 0.2), 1e-14);
    CHECK_CLOSE(crowd.objective, log(a + b) + log(0.75 * 0.7 + 0.25 * 0.2), 1e-14);
    /* Counts: annotator 1 has given label 1 to item 0 alone. */
    CHECK(crowd_count(&crowd, NULL) == TEMPER_OK);
    CHECK_CLOSE(crowd.count[1 * 4 + 1 * 2 + 0], a / (a + b), 1e-14);
    CHECK_CLOSE(crowd.total[2], a / (a + b), 1e-14);
    CHECK_CLOSE(crowd.correct[3], b / (a + b), 1e-14);
    crowd_free(&crowd);
    votes_free(votes);
}

/* One annotator, one class that is never given, an item without votes, and annotators that all agree. */
TEST(odd_crowds)
{
    static const uint32_t item[] = {0, 1, 2, 4}, one[] = {0, 0, 0, 0}, label[] = {0, 1, 1, 0};
    struct crowd crowd;
    struct votes *votes;
    temper_vote_arrays arrays = {4, item, one, label, 5, 1, 3};
    if (!CHECK(votes_from_arrays(&arrays, &votes, NULL) == TEMPER_OK))
        return;
    CHECK(crowd_new(votes, false, 2, &crowd, NULL) == TEMPER_OK && crowd_fit(&crowd, NULL) == TEMPER_OK);
    for (size_t i = 0; i < 4; i++)
        CHECK(crowd.posterior[item[i] * 3 + label[i]] > 0.5);
    for (size_t i = 0; i < 15; i++)
        CHECK(crowd.posterior[i] >= 0 && crowd.posterior[i] <= 1);
    CHECK(!crowd.has_votes[3] && isfinite(crowd.objective));
    crowd_free(&crowd);
    votes_free(votes);

    static const double perfect[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    struct generated made = generate((struct crowd_recipe){50, 3, 2, 3, perfect, 4});
    CHECK(crowd_new(made.votes, false, 1, &crowd, NULL) == TEMPER_OK && crowd_fit(&crowd, NULL) == TEMPER_OK);
    CHECK(share_right(&crowd, made.truth) == 1);
    CHECK(crowd_confusion(&crowd, 0, 0, 0) > 0.95);
    crowd_free(&crowd);
    generated_free(&made);

    /* A single class. */
    static const uint32_t zero[] = {0, 0, 0, 0};
    temper_vote_arrays single = {4, item, one, zero, 5, 1, 1};
    if (!CHECK(votes_from_arrays(&single, &votes, NULL) == TEMPER_OK))
        return;
    CHECK(crowd_new(votes, false, 1, &crowd, NULL) == TEMPER_OK && crowd_fit(&crowd, NULL) == TEMPER_OK);
    CHECK(crowd.posterior[0] == 1 && isfinite(crowd.objective));
    crowd_free(&crowd);
    votes_free(votes);
}

/* Annotators with three labels each are described by abilities, not by matrices of their own. */
TEST(few_labels_give_abilities)
{
    enum { ANNOTATORS = 200 };
    static double matrix[ANNOTATORS * 16];
    for (size_t i = 0; i < ANNOTATORS * 16; i++)
        matrix[i] = i / 4 % 4 == i % 4 ? 0.7 : 0.1;
    struct generated made = generate((struct crowd_recipe){200, ANNOTATORS, 4, 3, matrix, 5});
    struct crowd crowd;
    CHECK(crowd_new(made.votes, false, 1, &crowd, NULL) == TEMPER_OK && crowd_fit(&crowd, NULL) == TEMPER_OK);
    CHECK(crowd.strength >= 16);
    CHECK(share_right(&crowd, made.truth) > 0.75);
    crowd_free(&crowd);
    generated_free(&made);
}

/* Items of the second class get the label of the first more often than their own. EM alone would find such a class;
 * but a class is what most annotators call so. */
TEST(classes_keep_their_names)
{
    static double matrix[6 * 9];
    for (size_t a = 0; a < 6; a++) {
        static const double of_all[] = {0.85, 0.1, 0.05, 0.56, 0.38, 0.06, 0.1, 0.1, 0.8};
        for (size_t i = 0; i < 9; i++)
            matrix[a * 9 + i] = of_all[i];
    }
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct generated made = generate((struct crowd_recipe){600, 6, 3, 5, matrix, seed});
        struct crowd crowd;
        CHECK(crowd_new(made.votes, false, 1, &crowd, NULL) == TEMPER_OK && crowd_fit(&crowd, NULL) == TEMPER_OK);
        for (size_t c = 0; c < 3; c++)
            for (size_t l = 0; l < 3; l++) {
                double own = 0, other = 0;
                for (size_t a = 0; a < 6; a++) {
                    own += crowd.count[(a * 3 + c) * 3 + c];
                    other += crowd.count[(a * 3 + l) * 3 + c];
                }
                CHECKF(own >= 0.9 * other, "class %zu, label %zu: %g, %g", c, l, own, other);
            }
        crowd_free(&crowd);
        generated_free(&made);
    }
}

/* Any number of threads gives the same bits, and so does any order of the votes. */
TEST(same_bits_on_threads)
{
    struct generated made = generate((struct crowd_recipe){3000, 5, 2, 3, mixed, 6});
    struct crowd first, second;
    CHECK(crowd_new(made.votes, false, 1, &first, NULL) == TEMPER_OK && crowd_fit(&first, NULL) == TEMPER_OK);
    CHECK(crowd_new(made.votes, false, 3, &second, NULL) == TEMPER_OK && crowd_fit(&second, NULL) == TEMPER_OK);
    size_t different = 0;
    for (size_t i = 0; i < 6000; i++)
        different += first.posterior[i] != second.posterior[i];
    CHECK_EQ_SIZE(different, 0);
    CHECK(first.objective == second.objective);
    crowd_free(&first);
    crowd_free(&second);
    generated_free(&made);
}

TEST(no_memory)
{
    struct generated made = generate((struct crowd_recipe){30, 5, 2, 3, mixed, 7});
    for (size_t n = 1;; n++) {
        struct crowd crowd;
        temper_error error;
        fault_arm(n);
        temper_status status = crowd_new(made.votes, false, 1, &crowd, &error);
        if (status == TEMPER_OK) {
            status = crowd_fit(&crowd, &error);
            crowd_free(&crowd);
        }
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    generated_free(&made);
}

/* Of annotators with abilities the penalty is the logarithm of a normal density at each of them. */
TEST(abilities_are_penalised)
{
    struct generated made = generate((struct crowd_recipe){300, 5, 2, 3, mixed, 2});
    struct crowd crowd;
    if (!CHECK(crowd_new(made.votes, true, 1, &crowd, NULL) == TEMPER_OK))
        return;
    CHECK(crowd_count(&crowd, NULL) == TEMPER_OK);
    crowd_pool(&crowd);
    crowd.strength = INFINITY;
    crowd_maximise(&crowd);
    double expected = 0;
    for (size_t a = 0; a < 5; a++)
        expected -= pow(crowd.ability[a] - crowd.mean, 2) / (2 * crowd.variance);
    CHECK(expected < -0.01);
    CHECK_CLOSE(crowd.penalty, expected, 1e-12);
    crowd_free(&crowd);
    generated_free(&made);
}

/* As many as asked for; 0 means all of the machine. */
TEST(a_crowd_has_the_threads_that_are_asked_for)
{
    struct generated made = generate((struct crowd_recipe){50, 5, 2, 3, mixed, 2});
    for (size_t threads = 0; threads < 3; threads++) {
        struct crowd crowd;
        if (!CHECK(crowd_new(made.votes, true, threads, &crowd, NULL) == TEMPER_OK))
            break;
        CHECK_EQ_SIZE(crowd.threads, threads ? threads : thread_count_default());
        crowd_free(&crowd);
    }
    generated_free(&made);
}

/* Abilities or matrices: what the labels of all annotators together say is the same. */
TEST(pooled_labels_are_those_of_all)
{
    struct generated made = generate((struct crowd_recipe){300, 5, 2, 3, mixed, 2});
    struct crowd crowd[2];
    for (int one_coin = 0; one_coin < 2; one_coin++) {
        if (!CHECK(crowd_new(made.votes, one_coin, 1, &crowd[one_coin], NULL) == TEMPER_OK))
            return;
        CHECK(crowd_count(&crowd[one_coin], NULL) == TEMPER_OK);
        crowd_pool(&crowd[one_coin]);
    }
    for (size_t i = 0; i < 4; i++)
        CHECK_CLOSE(crowd[1].pooled[i], crowd[0].pooled[i], 1e-12);
    CHECK(fabs(crowd[0].pooled[0] - crowd[0].pooled[1]) > 0.1);
    crowd_free(&crowd[0]);
    crowd_free(&crowd[1]);
    generated_free(&made);
}

TEST_LIST(LISTED(planted_matrices_return), LISTED(objective_is_monotone), LISTED(objective_is_monotone_with_a_model),
          LISTED(posterior_by_hand), LISTED(odd_crowds), LISTED(few_labels_give_abilities),
          LISTED(classes_keep_their_names), LISTED(same_bits_on_threads), LISTED(no_memory),
          LISTED(abilities_are_penalised), LISTED(a_crowd_has_the_threads_that_are_asked_for),
          LISTED(pooled_labels_are_those_of_all))
