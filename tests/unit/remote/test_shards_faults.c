/* What can go wrong with shards: memory, a worker, messages, shapes that do not agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wire_format.h"
#include "fixtures/data/dataset_fixture.h"
#include "fixtures/data/shards_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

/* Every allocation fails once; a training that works in spite of it finds the same model. */
static void check_lack_of_memory(struct dataset *data, temper_train_options options)
{
    struct shards shards;
    options.max_iterations = 4;
    table_name_columns(data);
    if (!shards_cut(data, 2, &shards))
        return;
    temper_model *whole = NULL;
    CHECK(shards_prepare(&shards, &options, NULL) == TEMPER_OK &&
          shards_train(&shards, &options, &whole, NULL, NULL) == TEMPER_OK);
    shards_release(&shards);
    for (size_t n = 1; whole; n++) {
        temper_error error = {0};
        temper_model *const untouched = (temper_model *)&options, *model = untouched;
        fault_arm(n);
        temper_status status = shards_prepare(&shards, &options, &error);
        if (status == TEMPER_OK)
            status = shards_train(&shards, &options, &model, NULL, &error);
        fault_disarm();
        shards_release(&shards);
        if (status == TEMPER_OK) {
            CHECKF(made_same_bytes(model, whole), "allocation %zu: another model", n);
            temper_model_free(model);
        } else {
            CHECKF(status == TEMPER_NO_MEMORY && error.status == status && model == untouched, "allocation %zu: %s", n,
                   error.message);
        }
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK && n > 100);
            break;
        }
    }
    temper_model_free(whole);
    shards_free(&shards);
    dataset_free(data);
}

TEST(every_step_survives_a_lack_of_memory)
{
    temper_train_options options = made_options();
    check_lack_of_memory(made_data(MATRIX_F32, 60, 3, 3), options);
    options.loss = (temper_loss_spec){.method = TEMPER_HINGE};
    check_lack_of_memory(made_data(MATRIX_CSR, 60, 3, 2), options);
}

/* So many rows that a reply takes two threads, which need memory. */
TEST(a_reply_without_memory_is_none)
{
    struct dataset *data = made_data(MATRIX_F64, 30000, 20, 2);
    temper_train_options options = made_options();
    struct shards shards;
    static double w[21], answer[32];
    if (shards_cut(data, 1, &shards) && CHECK(shards_prepare(&shards, &options, NULL) == TEMPER_OK)) {
        const temper_shard_request request = {TEMPER_SHARD_GRADIENT, temper_loss_resolve(options.loss)};
        temper_shard *shard = NULL;
        temper_error error = {0};
        CHECK(temper_shard_borrow(shards.data[0], shards.sent, 2, &shard, NULL) == TEMPER_OK);
        fault_arm(1);
        CHECK(temper_shard_reply(shard, &request, w, answer, &error) == TEMPER_NO_MEMORY);
        fault_disarm();
        CHECK(fault_fired() && error.status == TEMPER_NO_MEMORY);
        CHECK(temper_shard_reply(shard, &request, w, answer, &error) == TEMPER_OK);
        temper_shard_free(shard);
    }
    shards_free(&shards);
    dataset_free(data);
}

/* At the first request, at one in between, and at the last. */
TEST(a_shard_that_fails_ends_the_training_with_its_words)
{
    struct dataset *data = made_data(MATRIX_F64, 80, 3, 2);
    temper_train_options options = made_options();
    struct shards shards;
    temper_error error = {0};
    temper_model *model = NULL;
    if (shards_cut(data, 3, &shards) && CHECK(shards_prepare(&shards, &options, &error) == TEMPER_OK) &&
        CHECK(shards_train(&shards, &options, &model, NULL, &error) == TEMPER_OK)) {
        size_t questions = shards.asked;
        temper_model_free(model);
        for (size_t n = 1; n <= questions; n++) {
            model = NULL;
            shards.asked = 0;
            shards.fails_at = n;
            CHECK(shards_train(&shards, &options, &model, NULL, &error) == TEMPER_IO && !model);
            CHECK_EQ_TEXT(error.message, "worker 3 is gone");
            CHECK_EQ_SIZE(shards.asked, n);
        }
    }
    shards_free(&shards);
    dataset_free(data);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refused(struct shards *shards, const temper_train_options *options, temper_status wanted, const char *words)
{
    temper_error error = {0};
    temper_status status = shards_prepare(shards, options, &error);
    CHECKF(status == wanted && strstr(error.message, words), "'%s' says nothing of '%s'", error.message, words);
    shards_release(shards);
}

/* Two shards of these; frees them. */
static void refused_pair(struct dataset *first, struct dataset *second, const char *words)
{
    temper_train_options options = made_options();
    struct shards shards = {.count = 2, .data = {(temper_data *)first, (temper_data *)second}};
    refused(&shards, &options, TEMPER_BAD_DATA, words);
    shards_free(&shards);
}

TEST(shards_that_do_not_agree_are_refused)
{
    struct dataset *named = made_data(MATRIX_F32, 20, 3, 2);
    struct dataset *also = made_data(MATRIX_F32, 20, 3, 2);
    struct dataset *third = made_data(MATRIX_F32, 20, 3, 2);
    refused_pair(made_data(MATRIX_F32, 20, 3, 2), made_data(MATRIX_F32, 20, 4, 2),
                 "shard 2 has 4 dense features, and those before it 3 dense ones");
    refused_pair(made_data(MATRIX_F32, 20, 3, 2), made_data(MATRIX_CSR, 20, 3, 2), "shard 2 has 3 sparse features");
    table_name_columns(named);
    refused_pair(named, made_data(MATRIX_F32, 20, 3, 2), "shard 2 has no names");
    table_name_columns(also);
    table_name_columns(third);
    also->features.name[1][0] = 'y';
    refused_pair(third, also, "feature 2 of shard 2 is 'y2', that of those before it 'x2'");
    refused_pair(made_data(MATRIX_F32, 1, 3, 1), made_data(MATRIX_F32, 1, 3, 1), "have one class, '0'");
    refused_pair(table_random(MATRIX_F32, 9, 3), made_data(MATRIX_F32, 20, 3, 2), "no labels");
}

TEST(options_that_shards_cannot_have_are_refused)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 3, 2);
    temper_train_options options = made_options();
    struct shards shards;
    temper_error error = {0};
    temper_model *model = NULL;
    if (!shards_cut(data, 2, &shards))
        return;
    options.scale = "log";
    refused(&shards, &options, TEMPER_USAGE, "cannot be scaled by logarithms");
    options.scale = "cubic";
    refused(&shards, &options, TEMPER_USAGE, "no scaling 'cubic'");
    options = made_options();
    options.l2 = -1;
    refused(&shards, &options, TEMPER_USAGE, "l2 must be");
    options = made_options();
    options.loss.t2 = 0.2;
    refused(&shards, &options, TEMPER_USAGE, "unbounded");
    options = made_options();
    options.precision = "f16";
    refused(&shards, &options, TEMPER_USAGE, "no precision 'f16'");
    options = made_options();
    options.loss.method = TEMPER_TRIMMED;
    refused(&shards, &options, TEMPER_USAGE, "loss trimmed repeats its training");
    options.loss.method = TEMPER_FORWARD;
    refused(&shards, &options, TEMPER_USAGE, "loss forward repeats its training");
    options = made_options();
    options.solver = "newton";
    refused(&shards, &options, TEMPER_USAGE, "not for shards");
    options = made_options();
    options.estimate_noise = 1;
    refused(&shards, &options, TEMPER_USAGE, "noise of the labels");
    options = made_options();
    options.calibrate = "folds";
    refused(&shards, &options, TEMPER_USAGE, "not 'folds'");
    /* The training has options of its own. */
    temper_train_options others = made_options();
    CHECK(shards_prepare(&shards, &others, &error) == TEMPER_OK);
    CHECK(shards_train(&shards, &options, &model, NULL, &error) == TEMPER_USAGE && !model);
    CHECK(strstr(error.message, "not 'folds'") != NULL);
    CHECK(temper_shard_plan_new(NULL, 0, NULL, &shards.sent, &error) == TEMPER_USAGE);
    shards_free(&shards);
    dataset_free(data);
}

TEST(rows_and_questions_that_are_not_of_the_plan_are_refused)
{
    struct dataset *data = made_data(MATRIX_F64, 60, 3, 2);
    struct dataset *more = made_data(MATRIX_F64, 60, 3, 3), *wide = made_data(MATRIX_F64, 9, 4, 2);
    temper_train_options options = made_options();
    struct shards shards;
    temper_error error = {0};
    temper_shard *shard = NULL;
    double w[4] = {0}, answer[6];
    if (!shards_cut(data, 1, &shards) || !CHECK(shards_prepare(&shards, &options, &error) == TEMPER_OK))
        return;
    CHECK(temper_shard_borrow(made_public(more), shards.plan, 1, &shard, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "has the class '2'") != NULL, "%s", error.message);
    CHECK(temper_shard_borrow(made_public(wide), shards.plan, 1, &shard, &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, "has 4 dense features") != NULL && !shard, "%s", error.message);
    temper_shard_request request = {TEMPER_SHARD_GRADIENT, {.method = TEMPER_HINGE, .smoothing = 1}};
    CHECK(temper_shard_reply(shards.shard[0], &request, w, answer, &error) == TEMPER_USAGE);
    request = (temper_shard_request){TEMPER_SHARD_GRADIENT, {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 0.5}};
    CHECK(temper_shard_reply(shards.shard[0], &request, w, answer, &error) == TEMPER_USAGE);
    request = (temper_shard_request){TEMPER_SHARD_GRADIENT, {.method = TEMPER_TEMPERED, .t1 = 1, .t2 = 1}};
    memset(&request.kind, 7, sizeof request.kind); /* from a caller of a later version */
    CHECK(temper_shard_reply(shards.shard[0], &request, w, answer, &error) == TEMPER_USAGE);
    shards_free(&shards);
    dataset_free(data);
    dataset_free(more);
    dataset_free(wide);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void check_bytes(char *bytes, size_t length, bool survey)
{
    temper_error error = {0};
    temper_shard_plan *plan = NULL;
    for (size_t cut = 0; cut < 2 * length; cut++) {
        size_t at = cut % length;
        bool flips = cut >= length;
        temper_bytes given = {bytes, flips ? length : at};
        bytes[at] = (char)(bytes[at] ^ (flips ? 4 : 0));
        temper_status status = survey ? temper_shard_plan_new(&given, 1, NULL, &plan, &error)
                                      : temper_shard_plan_from_text(bytes, given.length, &plan, &error);
        bytes[at] = (char)(bytes[at] ^ (flips ? 4 : 0));
        CHECKF(status == TEMPER_BAD_DATA && !plan, "%s at %zu", flips ? "changed" : "cut", at);
    }
    temper_bytes other = {survey ? "tmprpln2" : "tsurvey1", 8};
    CHECK(temper_shard_plan_new(&other, 1, NULL, &plan, &error) == TEMPER_BAD_DATA);
}

/* A plan that ends early, with the checksum of what is left of it, as a faulty worker could send. */
static void check_short_plans(const char *bytes, size_t length)
{
    for (size_t cut = 16; cut < length; cut++) {
        struct text text = {0};
        temper_shard_plan *plan = NULL;
        text_append_bytes(&text, bytes, cut);
        memset(text.bytes + WIRE_KIND, 0, sizeof(uint64_t));
        wire_end(&text);
        CHECKF(temper_shard_plan_from_text(text.bytes, text.length, &plan, NULL) == TEMPER_BAD_DATA && !plan,
               "%zu of %zu bytes", cut, length);
        text_free(&text);
    }
}

TEST(bytes_that_were_cut_or_changed_are_refused)
{
    struct dataset *data = made_data(MATRIX_F64, 30, 3, 2);
    temper_train_options options = made_options();
    struct shards shards;
    temper_error error = {0};
    temper_text text = {0};
    table_name_columns(data);
    if (!shards_cut(data, 1, &shards) || !CHECK(shards_prepare(&shards, &options, &error) == TEMPER_OK) ||
        !CHECK(temper_shard_plan_to_text(shards.plan, &text, &error) == TEMPER_OK))
        return;
    check_bytes(shards.stats[0].bytes, shards.stats[0].length, true);
    check_bytes(text.bytes, text.length, false);
    check_short_plans(text.bytes, text.length);
    temper_text_free(&text);
    shards_free(&shards);
    dataset_free(data);
}

TEST_LIST(LISTED(a_reply_without_memory_is_none), LISTED(every_step_survives_a_lack_of_memory),
          LISTED(a_shard_that_fails_ends_the_training_with_its_words), LISTED(shards_that_do_not_agree_are_refused),
          LISTED(options_that_shards_cannot_have_are_refused),
          LISTED(rows_and_questions_that_are_not_of_the_plan_are_refused),
          LISTED(bytes_that_were_cut_or_changed_are_refused))
