/* Model files: what is saved comes back, bit for bit; what is damaged does not. */
#define _GNU_SOURCE /* memfd_create: thousands of files, none on a disk */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "model/model_file.h"

static const char path[] = "m.temper";

/* The bytes of a model's file, to be freed. */
static struct text written(const struct model *model)
{
    struct text text = {0};
    CHECK(model_write(model, &text, NULL) == TEMPER_OK);
    return text;
}

/* Saved, loaded, the same, and saved again the same bytes. */
static void check_round_trip(struct model *model)
{
    struct model *back = NULL;
    temper_error error = {0};
    struct text first = written(model), second = {0};
    CHECKF(model_save(model, path, &error) == TEMPER_OK, "%s", error.message);
    if (CHECKF(model_load(path, &back, &error) == TEMPER_OK, "%s", error.message)) {
        CHECK(model_same(model, back));
        second = written(back);
        CHECK_EQ_TEXT(second.bytes, first.bytes);
    }
    text_free(&first);
    text_free(&second);
    model_free(back);
    model_free(model);
}

TEST(round_trips)
{
    static const temper_loss_spec losses[] = {
        {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.12},
        {.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1},
        {.method = TEMPER_T_LOGISTIC, .t1 = 1, .t2 = 1.5},
        {.method = TEMPER_GCE, .t1 = 0.7, .t2 = 1},
        {.method = TEMPER_HINGE, .smoothing = 0.5},
        {.method = TEMPER_BREGMAN, .t1 = 0.5, .t2 = 1.5},
        {.method = TEMPER_SCE, .t1 = 1, .t2 = 1, .alpha = 0.25, .beta = 2, .log_zero = -6}};
    scratch_enter();
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        check_round_trip(model_made(2, 1 + i, losses[i], true));
        check_round_trip(model_made(3 + i, 100, losses[i], false));
    }
    check_round_trip(model_made_full());
    CHECK_EQ_SIZE(scratch_count(), 1);
    scratch_leave();
}

TEST(lines_are_for_people)
{
    struct model *model = model_made(20, 300, (temper_loss_spec){.method = TEMPER_LOGISTIC, .t1 = 1, .t2 = 1}, true);
    struct text text = written(model);
    size_t longest = 0;
    for (const char *p = text.bytes, *end; (end = strchr(p, '\n')); p = end + 1)
        longest = (size_t)(end - p) > longest ? (size_t)(end - p) : longest;
    CHECK(longest <= 100);
    CHECK(strstr(text.bytes, "\n\"t1\": 1,\n\"t2\": 1,\n\"smoothing\": null,\n\"l2\": 0.0001,\n"));
    CHECK(strstr(text.bytes, "\n\"classes\": [\"0\", \"1\", \"2\","));
    text_free(&text);
    model_free(model);
}

/* What has no meaning for a method leaves no trace in the file. */
TEST(equal_models_equal_bytes)
{
    struct model *a = model_made(2, 3, (temper_loss_spec){.method = TEMPER_HINGE, .smoothing = 1}, true);
    struct model *b =
        model_made(2, 3, (temper_loss_spec){.method = TEMPER_HINGE, .t1 = (double)NAN, .t2 = 7, .smoothing = 1}, true);
    struct text first = written(a), second = written(b);
    CHECK_EQ_TEXT(second.bytes, first.bytes);
    text_free(&first);
    text_free(&second);
    model_free(a);
    model_free(b);
}

TEST(numbers_that_are_none_are_not_saved)
{
    static const char words[] = "cannot be saved";
    struct model *model = model_made_full();
    double *places[] = {&model->weights[3],     &model->bias[1],           &model->l2,
                        &model->loss.t1,        &model->training.gradient, &model->scale.offset[2],
                        &model->scale.factor[0]};
    temper_error error = {0};
    scratch_enter();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double kept = *places[i];
        *places[i] = i % 2 ? (double)NAN : (double)INFINITY;
        CHECK(model_save(model, path, &error) == TEMPER_BAD_DATA);
        CHECKF(strstr(error.message, words), "%s", error.message);
        *places[i] = kept;
    }
    CHECK_EQ_SIZE(scratch_count(), 0);
    scratch_leave();
    model_free(model);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void check_refused(const char *file, const char *words)
{
    struct model *model = NULL;
    temper_error error = {0};
    temper_status status = model_load(file, &model, &error);
    CHECKF(status == TEMPER_BAD_DATA && error.status == status && !model, "%s", error.message);
    CHECKF(strstr(error.message, "; ") && strstr(error.message, words), "'%s' is not in: %s", words, error.message);
    model_free(model);
}

/* The bytes as a file in memory, always the same one; its path. */
static const char *in_memory(const char *bytes, size_t length)
{
    static char name[32];
    static int file = -1;
    if (file < 0)
        file = memfd_create("model", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    CHECK(ftruncate(file, 0) == 0 && pwrite(file, bytes, length, 0) == (ssize_t)length);
    return name;
}

TEST(every_bit_counts)
{
    struct model *model = model_made_full();
    struct text text = written(model);
    for (size_t i = 0; i < text.length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            text.bytes[i] = (char)(text.bytes[i] ^ 1 << bit);
            check_refused(in_memory(text.bytes, text.length), "/proc/self/fd/");
            text.bytes[i] = (char)(text.bytes[i] ^ 1 << bit);
        }
    }
    text_free(&text);
    model_free(model);
}

TEST(every_cut_is_noticed)
{
    struct model *model = model_made_full();
    struct text text = written(model);
    for (size_t length = 0; length < text.length; length++)
        check_refused(in_memory(text.bytes, length), length == 0 ? "empty" : "cut off");
    text_append(&text, "\n"); /* and what is too long */
    check_refused(in_memory(text.bytes, text.length), "cut off or changed");
    text_free(&text);
    model_free(model);
}

/* ---- Other files ----------------------------------------------------------------------------- */

TEST(what_is_no_model)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"1,2,a\n3,4,b\n", "no model, but data, csv"},
        {"1 1:2 3:4\n", "no model, but data, libsvm"},
        {"TMPR\r\n\x1a\n....", "no model, but data, tmpr"},
        {"{\"a\": 1}\n", "no model of temper"},
        {"\x7f"
         "ELF\x02\x01",
         "no model of temper"},
        {"{\"format\": \"temper-model\"}", "not as temper wrote it"},
        {"{\n\"format\": \"temper-model\",\n\"version\": 3,\nwho knows", "update temper"},
    };
    scratch_enter();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_write(path, cases[i].text, strlen(cases[i].text));
        check_refused(path, cases[i].words);
    }
    scratch_leave();
}

TEST(what_is_no_file)
{
    struct model *model = NULL;
    temper_error error = {0};
    scratch_enter();
    CHECK(model_load("nowhere", &model, &error) == TEMPER_NO_INPUT && !model);
    CHECKF(strstr(error.message, "nowhere"), "%s", error.message);
    CHECK(model_load(".", &model, &error) != TEMPER_OK && !model);
    CHECKF(strstr(error.message, "irectory"), "%s", error.message);
    scratch_leave();
}

/* ---- Failures of the machine ----------------------------------------------------------------- */

TEST(memory_runs_out)
{
    struct model *model = model_made_full(), *back = NULL;
    temper_error error;
    scratch_enter();
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = model_save(model, path, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
        CHECK_EQ_SIZE(scratch_count(), 0);
    }
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = model_load(path, &back, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY && !back);
    }
    CHECK(back && model_same(model, back));
    model_free(back);
    model_free(model);
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = model_new(3, 4, &model, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    model_free(model);
    scratch_leave();
}

TEST(an_old_model_is_never_lost)
{
    struct model *model = model_made_full();
    temper_error error;
    scratch_enter();
    CHECK(model_save(model, path, &error) == TEMPER_OK);
    model->l2 = 0.5;
    for (size_t n = 1;; n++) {
        fault_arm_files(n);
        temper_status status = model_save(model, path, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        struct model *back = NULL;
        CHECK(status == TEMPER_IO || status == TEMPER_OK); /* a folder need not be synced */
        CHECK(model_load(path, &back, &error) == TEMPER_OK && back);
        CHECK(status == TEMPER_IO || (back && back->l2 == model->l2));
        CHECK_EQ_SIZE(scratch_count(), 1);
        model_free(back);
    }
    scratch_leave();
    model_free(model);
}

TEST_LIST(LISTED(round_trips), LISTED(lines_are_for_people), LISTED(equal_models_equal_bytes),
          LISTED(numbers_that_are_none_are_not_saved), LISTED(every_bit_counts), LISTED(every_cut_is_noticed),
          LISTED(what_is_no_model), LISTED(what_is_no_file), LISTED(memory_runs_out),
          LISTED(an_old_model_is_never_lost))
