/* The shortlist has the choice of each criterion, once. */
#include "fixtures/test.h"
#include "search/tune_state.h"

enum { CANDIDATES = 9 };

/* One candidate for each criterion, in the order of shortlist_fill; the last one is chosen by none. */
static void make_table(temper_tune_candidate *candidate, struct crossval_table *table, struct selection *selection)
{
    static const double t1[CANDIDATES] = {1, 1, 1, 1, 1, 1.5, 0.7, 0.1, 1};
    for (size_t i = 0; i < CANDIDATES; i++)
        candidate[i] = (temper_tune_candidate){
            .stage = 1, .loss.t1 = t1[i], .half_accuracy = 0.8, .balance = 0.9, .code_length = 1, .undecided = 0.5};
    candidate[3].code_length = 0.5;
    candidate[4].undecided = 0.1;
    candidate[5].half_accuracy = 0.9;
    *table = (struct crossval_table){.candidate = candidate, .count = CANDIDATES};
    *selection = (struct selection){.best = 0, .by_accuracy = 1, .reference = 2};
}

static void check_list(const struct shortlist *list, size_t count, const size_t *expected)
{
    CHECK_EQ_SIZE(list->count, count);
    for (size_t i = 0; i < count && i < list->count; i++)
        CHECK_EQ_SIZE(list->candidate[i], expected[i]);
}

TEST(each_criterion_has_its_candidate)
{
    temper_tune_candidate candidate[CANDIDATES];
    struct crossval_table table;
    struct selection selection;
    struct shortlist list;
    make_table(candidate, &table, &selection);
    shortlist_fill(&table, &selection, &list);
    check_list(&list, SHORTLIST, (size_t[]){0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(a_candidate_is_listed_once)
{
    temper_tune_candidate candidate[CANDIDATES];
    struct crossval_table table;
    struct selection selection = {.best = 5, .by_accuracy = 5, .reference = 5};
    struct shortlist list;
    make_table(candidate, &table, &(struct selection){0});
    candidate[3].code_length = candidate[4].undecided = 1;
    candidate[5].code_length = candidate[5].undecided = 0;
    shortlist_fill(&table, &selection, &list);
    check_list(&list, 3, (size_t[]){5, 6, 7});
}

/* Not fitted, or hardly any prediction of some class: no choice of the measures. Without a reference there is none. */
TEST(what_is_left_out)
{
    temper_tune_candidate candidate[CANDIDATES];
    struct crossval_table table;
    struct selection selection;
    struct shortlist list;
    make_table(candidate, &table, &selection);
    selection.reference = NO_CANDIDATE;
    candidate[3].balance = 0.5;
    candidate[3].code_length = 0;
    candidate[8].code_length = 0.5;
    candidate[4].stage = 0;
    candidate[4].undecided = 0;
    candidate[1].undecided = 0.1;
    candidate[6].stage = 0;
    shortlist_fill(&table, &selection, &list);
    check_list(&list, 5, (size_t[]){0, 1, 8, 5, 7});
}

TEST_LIST(LISTED(each_criterion_has_its_candidate), LISTED(a_candidate_is_listed_once), LISTED(what_is_left_out))
