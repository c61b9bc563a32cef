/* Exports: what is refused, and what happens without memory. tests/export compares the answers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

static const temper_loss_spec tempered = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1.2};

typedef temper_status export_fn(const struct model *model, const char *path, temper_error *error);

static void check_refused(export_fn *export, const struct model *model, const char *words)
{
    temper_error error = {0};
    CHECK(export(model, "out.c", &error) == TEMPER_BAD_DATA);
    CHECKF(strstr(error.message, words) && strstr(error.message, "; "), "'%s' is not in: %s", words, error.message);
    CHECK_EQ_SIZE(scratch_count(), 0);
}

TEST(what_cannot_be_exported)
{
    struct model *model = model_made(3, 2, tempered, true);
    scratch_enter();
    model->loss.t2 = 1000;
    check_refused(model_export_c, model, "t2 is too large");
    check_refused(model_export_onnx, model, "t2 is too large");
    model->loss.t2 = 1.2;
    model->weights[1] = (double)NAN;
    check_refused(model_export_c, model, "not finite");
    check_refused(model_export_onnx, model, "not finite");
    model_free(model);
    model = model_made_full(); /* has a class that is no UTF-8 */
    check_refused(model_export_onnx, model, "not UTF-8");
    char name[2000];
    memset(name, 'x', sizeof name);
    CHECK(classes_add(&model->classes, name, sizeof name) < MOST_CLASSES);
    check_refused(model_export_c, model, "too long");
    model_free(model);
    scratch_leave();
}

/* The functions are named after the file. */
TEST(names_of_functions)
{
    static const struct {
        const char *path, *words;
    } cases[] = {{"iris.c", " iris_predict("},
                 {"My Model-2.v1.c", " my_model_2_predict("},
                 {"42.c", " model_predict("},
                 {"__7up.c", " up_predict("}};
    struct model *model = model_made(2, 2, tempered, true);
    temper_error error;
    scratch_enter();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(model_export_c(model, cases[i].path, &error) == TEMPER_OK);
        CHECKF(strstr(scratch_text(cases[i].path), cases[i].words), "%s", cases[i].words);
    }
    scratch_leave();
    model_free(model);
}

static void check_memory(export_fn *export, const struct model *model)
{
    temper_error error;
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = export(model, "out", &error);
        fault_disarm();
        if (!fault_fired()) {
            CHECK(status == TEMPER_OK);
            return;
        }
        CHECK(status == TEMPER_NO_MEMORY);
        CHECK_EQ_SIZE(scratch_count(), 0);
    }
}

TEST(memory_runs_out)
{
    struct model *model = model_made(3, 50, tempered, true);
    scratch_enter();
    check_memory(model_export_c, model);
    CHECK(remove("out") == 0);
    check_memory(model_export_onnx, model);
    scratch_leave();
    model_free(model);
}

/* Of every tensor of doubles: field 2 of its message, a number, is 11 (TensorProto.DOUBLE). */
TEST(tensors_have_the_type_of_their_numbers)
{
    struct model *model = model_made(3, 2, tempered, true);
    static char bytes[100000];
    size_t typed = 0;
    scratch_enter();
    CHECK(model_export_onnx(model, "out", NULL) == TEMPER_OK);
    FILE *file = fopen("out", "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i + 1 < length; i++)
        typed += bytes[i] == 0x10 && bytes[i + 1] == 11;
    CHECKF(typed >= 2, "%zu tensors in %zu bytes", typed, length); /* weights and intercepts */
    scratch_leave();
    model_free(model);
}

TEST_LIST(LISTED(what_cannot_be_exported), LISTED(names_of_functions), LISTED(memory_runs_out),
          LISTED(tensors_have_the_type_of_their_numbers))
