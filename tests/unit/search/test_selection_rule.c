/* Every branch of the rule CV+C, on figures made by hand. */
#include <math.h>
#include <string.h>

#include "fixtures/test.h"
#include "search/selection_rule.h"

enum { COUNT = 5 };

/* What nobody could object to; `t1`, `t2` and `l2` as given. */
static temper_tune_candidate plain(double t1, double t2, double l2, double accuracy)
{
    return (temper_tune_candidate){.loss = {.method = TEMPER_TEMPERED, .t1 = t1, .t2 = t2},
                                   .l2 = l2,
                                   .stage = 2,
                                   .accuracy = accuracy,
                                   .accuracy_error = 0.003,
                                   .log_loss = 1 - accuracy,
                                   .bounded_loss = 1 - accuracy,
                                   .trusted = NAN,
                                   .half_accuracy = accuracy,
                                   .agreement = 0.95,
                                   .balance = 0.98,
                                   .band_error = {0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01},
                                   .top_error = 0.01,
                                   .top_ratio = 0.1,
                                   .undecided = 0.02,
                                   .code_length = 0.3};
}

/* Logistic regression is the most accurate, with two penalties; then the reference, with two. */
static struct selection_input made_question(temper_tune_candidate table[COUNT])
{
    table[0] = plain(1, 1, 1, 0.91);
    table[1] = plain(1, 1, 0.1, 0.92);
    table[2] = plain(0.1, 1.12, 1, 0.89);
    table[3] = plain(0.1, 1.12, 0.1, 0.90);
    table[4] = plain(0.5, 1.4, 0.1, 0.88);
    return (struct selection_input){
        .table = table, .count = COUNT, .criterion = BY_CV_C, .classes = 2, .rows = 10000, .default_l2 = 0.5};
}

static struct selection chosen(const struct selection_input *question)
{
    struct selection answer;
    select_candidate(question, &answer);
    CHECK(answer.reason[0] != '\0');
    return answer;
}

static void check_choice(const struct selection_input *question, size_t best, enum decision decision)
{
    struct selection answer = chosen(question);
    CHECK_EQ_SIZE(answer.best, best);
    CHECK_EQ_TEXT(decision_name(answer.decided_by), decision_name(decision));
}

TEST(accuracy_decides_where_nothing_speaks_against_it)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = made_question(table);
    struct selection answer = chosen(&question);
    CHECK_EQ_SIZE(answer.best, 1);
    CHECK_EQ_SIZE(answer.by_accuracy, 1);
    CHECK_EQ_SIZE(answer.reference, 3);
    CHECK(answer.decided_by == DECIDED_ACCURACY && !answer.systematic && !answer.collapsed);
    CHECK(isnan(answer.random_share));
    table[0].accuracy = 0.92; /* equal: the larger penalty */
    check_choice(&question, 0, DECIDED_ACCURACY);
    table[4].accuracy = 0.99; /* of halves: not comparable */
    table[4].stage = 1;
    check_choice(&question, 0, DECIDED_ACCURACY);
}

/* ---- Step 1 ---------------------------------------------------------------------------------- */

static struct selection_input flipped_band(temper_tune_candidate table[COUNT])
{
    struct selection_input question = made_question(table);
    table[4].code_length = 0.2;
    table[4].band_error[6] = 0.6;
    return question;
}

TEST(a_shorter_code_decides_if_a_band_is_flipped)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = flipped_band(table);
    check_choice(&question, 4, DECIDED_CODE_LENGTH);
    table[4].stage = 1; /* halves are enough for this */
    check_choice(&question, 4, DECIDED_CODE_LENGTH);
}

TEST(a_shorter_code_alone_does_not)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = flipped_band(table);
    table[4].band_error[6] = 0.5;
    check_choice(&question, 1, DECIDED_ACCURACY);
    question = flipped_band(table);
    table[4].code_length = 0.271;
    check_choice(&question, 1, DECIDED_ACCURACY);
    question = flipped_band(table);
    table[4].balance = 0.5;
    check_choice(&question, 1, DECIDED_ACCURACY);
    question = flipped_band(table);
    table[4].agreement = 0.939;
    check_choice(&question, 1, DECIDED_ACCURACY);
    question = flipped_band(table);
    question.rows = 99; /* less than 10 nats */
    check_choice(&question, 1, DECIDED_ACCURACY);
    question = flipped_band(table);
    question.criterion = BY_ACCURACY;
    check_choice(&question, 1, DECIDED_ACCURACY);
}

TEST(many_classes_look_at_sure_bands_only)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = flipped_band(table);
    question.classes = 3;
    check_choice(&question, 4, DECIDED_CODE_LENGTH);
    table[4].band_error[6] = 0.1;
    table[4].band_error[3] = 0.6;
    check_choice(&question, 1, DECIDED_ACCURACY);
    table[4].band_error[4] = 0.6;
    check_choice(&question, 4, DECIDED_CODE_LENGTH);
}

/* ---- Step 2 ---------------------------------------------------------------------------------- */

static struct selection_input torn(temper_tune_candidate table[COUNT])
{
    struct selection_input question = made_question(table);
    table[1].undecided = 0.05;
    table[4].undecided = 0.01;
    return question;
}

TEST(undecided_rows_decide)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = torn(table);
    check_choice(&question, 4, DECIDED_UNDECIDED);
    table[1].undecided = 0.029;
    check_choice(&question, 1, DECIDED_ACCURACY);
    question = torn(table);
    for (size_t i = 0; i < COUNT; i++)
        table[i].undecided = fmax(table[i].undecided, 0.021);
    check_choice(&question, 1, DECIDED_ACCURACY);
    question = torn(table);
    table[4].half_accuracy = 0.81;
    check_choice(&question, 0, DECIDED_UNDECIDED); /* the next one is good enough */
    question = torn(table);
    question.rows = 200;
    check_choice(&question, 1, DECIDED_ACCURACY);
}

/* ---- Step 3 ---------------------------------------------------------------------------------- */

static struct selection_input contradicted(temper_tune_candidate table[COUNT])
{
    struct selection_input question = made_question(table);
    table[3].top_error = 0.2; /* twice the error of all */
    table[3].top_ratio = 2;
    return question;
}

TEST(the_reference_decides_where_labels_contradict_it_most)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = contradicted(table);
    struct selection answer = chosen(&question);
    CHECK(answer.systematic && answer.decided_by == DECIDED_REFERENCE);
    CHECK_EQ_SIZE(answer.best, 2); /* at the penalty next to the usual one */
    question.default_l2 = 0.01;
    CHECK_EQ_SIZE(chosen(&question).best, 3);
}

TEST(the_reference_only_warns_where_the_most_accurate_sees_it_too)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = contradicted(table);
    table[1].top_ratio = 1.1;
    struct selection answer = chosen(&question);
    CHECK(answer.systematic && answer.decided_by == DECIDED_ACCURACY);
    question.structured = true;
    CHECK(chosen(&question).decided_by == DECIDED_REFERENCE);
}

TEST(few_rows_prove_nothing)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = contradicted(table);
    question.rows = 200; /* z = 0.1 / sqrt(0.09 / 40) = 2.1 */
    CHECK(!chosen(&question).systematic);
    question = contradicted(table);
    table[3].top_ratio = 1.24;
    CHECK(!chosen(&question).systematic);
}

TEST(without_the_reference_nothing_is_said_of_the_labels)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = contradicted(table);
    table[2].loss.t1 = table[3].loss.t1 = 0.2;
    struct selection answer = chosen(&question);
    CHECK(answer.reference == NO_CANDIDATE && !answer.systematic && isnan(answer.random_share));
    CHECK(answer.decided_by == DECIDED_ACCURACY);
}

/* ---- The rest -------------------------------------------------------------------------------- */

TEST(random_labels_and_collapse_are_told)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = made_question(table);
    table[3].top_ratio = 0.9;
    table[3].top_error = 0.09;
    table[1].balance = 0.4;
    struct selection answer = chosen(&question);
    CHECK_CLOSE(answer.random_share, 0.09, 0);
    CHECK(answer.collapsed);
    question.rows = 500; /* 9 wrong rows of the 100 surest */
    CHECK(isnan(chosen(&question).random_share));
    question.rows = 10000;
    question.classes = 3;
    CHECK(isnan(chosen(&question).random_share));
}

TEST(other_criteria_take_their_figure)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = made_question(table);
    table[4].log_loss = 0.01;
    table[3].bounded_loss = 0.01;
    table[0].log_loss = NAN;
    question.criterion = BY_LOG_LOSS;
    check_choice(&question, 4, DECIDED_LOG_LOSS);
    question.criterion = BY_BOUNDED_LOSS;
    check_choice(&question, 3, DECIDED_BOUNDED_LOSS);
    for (size_t i = 0; i < COUNT; i++)
        table[i].log_loss = NAN; /* hinges have none */
    question.criterion = BY_LOG_LOSS;
    check_choice(&question, 1, DECIDED_ACCURACY);
}

TEST(trusted_rows_have_the_last_word)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = made_question(table);
    question.trusted = 100;
    for (size_t i = 0; i < COUNT; i++)
        table[i].trusted = 0.9;
    check_choice(&question, 1, DECIDED_TRUSTED); /* nothing against the rule */
    table[1].trusted = 0.88;                     /* within a standard error: 0.03 */
    check_choice(&question, 1, DECIDED_TRUSTED);
    table[1].trusted = 0.8;
    check_choice(&question, 0, DECIDED_TRUSTED); /* the most accurate of the others */
    table[4].trusted = 0.99;
    check_choice(&question, 4, DECIDED_TRUSTED);
}

TEST(hopeless_is_far_below_the_best)
{
    CHECK(!cannot_win(0, 0.01));
    CHECK(!cannot_win(0.0295, 0.01)); /* a point and twice the standard error */
    CHECK(cannot_win(0.0305, 0.01));
    CHECK(!cannot_win(-0.01, 0));
}

TEST(criteria_have_names)
{
    enum criterion criterion;
    CHECK(criterion_find(NULL, &criterion) && criterion == BY_CV_C);
    CHECK(criterion_find("cv+c", &criterion) && criterion == BY_CV_C);
    CHECK(criterion_find("accuracy", &criterion) && criterion == BY_ACCURACY);
    CHECK(criterion_find("log-loss", &criterion) && criterion == BY_LOG_LOSS);
    CHECK(criterion_find("bounded-loss", &criterion) && criterion == BY_BOUNDED_LOSS);
    CHECK(!criterion_find("loss", &criterion));
}

/* With L1 penalties the reference is that of the middle one on a logarithmic scale, whatever their L2 penalties are. */
TEST(the_middle_of_the_l1_penalties)
{
    temper_tune_candidate table[COUNT];
    struct selection_input question = made_question(table);
    static const double l1[COUNT] = {1e-4, 1e-3, 1e-1, 1e-3, 1e-2};
    for (size_t i = 0; i < COUNT; i++) {
        table[i] = i == 0 ? plain(1, 1, 1e-3, 0.92) : plain(0.1, 1.12, i == 1 ? 0.5 : 1e-3, 0.89);
        table[i].l1 = l1[i];
        table[i].top_ratio = i == 0 ? 0.1 : 3;
        table[i].top_error = i == 0 ? 0.01 : 0.4;
    }
    struct selection answer = chosen(&question);
    CHECK_EQ_TEXT(decision_name(answer.decided_by), decision_name(DECIDED_REFERENCE));
    /* Logarithms of 1e-3, 1e-1, 1e-3 and 1e-2 have the mean -2.25: 1e-2 is nearest. */
    CHECK_EQ_SIZE(answer.best, 4);
}

TEST_LIST(LISTED(accuracy_decides_where_nothing_speaks_against_it), LISTED(a_shorter_code_decides_if_a_band_is_flipped),
          LISTED(a_shorter_code_alone_does_not), LISTED(many_classes_look_at_sure_bands_only),
          LISTED(undecided_rows_decide), LISTED(the_reference_decides_where_labels_contradict_it_most),
          LISTED(the_reference_only_warns_where_the_most_accurate_sees_it_too), LISTED(few_rows_prove_nothing),
          LISTED(without_the_reference_nothing_is_said_of_the_labels), LISTED(random_labels_and_collapse_are_told),
          LISTED(other_criteria_take_their_figure), LISTED(trusted_rows_have_the_last_word),
          LISTED(hopeless_is_far_below_the_best), LISTED(criteria_have_names), LISTED(the_middle_of_the_l1_penalties))
