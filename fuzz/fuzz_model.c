/* Any bytes as a model file, as they are and with a right checksum: loaded and saved again the
 * same, or refused with a place and advice. */
#define _GNU_SOURCE /* memfd_create */
#include "model/model_file.h"
#include "read_fixture.h"

/* Invariants of every model that can be loaded; prediction relies on them without further checks. */
static void check_model(const struct model *model)
{
    REQUIRE(model->classes.count >= 2 && model->features >= 1, "no classes or no features");
    /* Two classes share one weight vector, of the margin; more have one each. */
    REQUIRE(model->vectors == (model->classes.count == 2 ? 1 : model->classes.count), "%zu vectors", model->vectors);
    for (size_t i = 0; i < model->vectors * model->features; i++)
        REQUIRE(isfinite(model->weights[i]), "weight %zu", i);
    for (size_t i = 0; i < model->vectors; i++)
        REQUIRE(isfinite(model->bias[i]), "bias %zu", i);
    REQUIRE(model->feature_names.count == 0 || model->feature_names.count == model->features, "%zu names",
            model->feature_names.count);
    REQUIRE(!model->schema || model->schema->features == model->features, "another schema");
    REQUIRE(model->loss.t1 >= 0 && model->loss.t2 >= 0 && model->l2 >= 0, "below 0");
}

/* A model that is saved and loaded again is saved as the same bytes: no field is lost, and numbers keep all their bits.
 * */
static void check_again(const struct model *model)
{
    /* Saved twice: the loaded model, and the model that was loaded from that. */
    struct text first = {0}, second = {0};
    struct model *back = NULL;
    temper_error error = {0};
    REQUIRE(model_write(model, &first, &error) == TEMPER_OK, "%s", error.message);
    const char *path = fuzz_file((const uint8_t *)first.bytes, first.length);
    REQUIRE(model_load(path, &back, &error) == TEMPER_OK, "%s", error.message);
    REQUIRE(model_write(back, &second, &error) == TEMPER_OK, "%s", error.message);
    REQUIRE(strcmp(first.bytes, second.bytes) == 0, "%s", second.bytes);
    text_free(&first);
    text_free(&second);
    model_free(back);
}

/* Each export succeeds for every model that could be loaded, or refuses it with a message; it must not crash. */
static void check_exports(const struct model *model)
{
    temper_error error = {0};
    temper_status status = model_export_c(model, "/dev/null", &error);
    REQUIRE(status == TEMPER_OK || status == TEMPER_BAD_DATA, "%s", error.message);
    status = model_export_onnx(model, "/dev/null", &error);
    REQUIRE(status == TEMPER_OK || status == TEMPER_BAD_DATA, "%s", error.message);
}

/* Loads the bytes as a model: either all invariants hold, or there is no model and a complete message. */
static void check_file(const uint8_t *bytes, size_t size)
{
    struct model *model = NULL;
    temper_error error = {0};
    temper_status status = model_load(fuzz_file(bytes, size), &model, &error);
    if (status != TEMPER_OK) {
        REQUIRE(!model, "a model and an error");
        /* A message that fills its buffer was truncated, and its advice lost. */
        size_t length = strlen(error.message);
        REQUIRE(length < sizeof error.message - 1, "cut off: %s", error.message);
        fuzz_check_refusal(status, &error);
        return;
    }
    check_model(model);
    check_again(model);
    check_exports(model);
    model_free(model);
}

/* Checks the bytes as they are, then with a valid checksum, which no fuzzer would guess, in place of the one at the
 * end, if there is one. Without the second run mutations would never reach the parser. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char tail[MODEL_TAIL + 1];
    size_t length = size;
    check_file(data, size);
    /* The checksum is the last line of a model file. */
    if (size >= MODEL_TAIL && memcmp(data + size - MODEL_TAIL, "\"checksum\": \"", 13) == 0)
        length -= MODEL_TAIL;
    uint8_t *sealed = malloc(length + MODEL_TAIL);
    REQUIRE(sealed, "no memory");
    memcpy(sealed, data, length);
    model_tail((const char *)data, length, tail);
    memcpy(sealed + length, tail, MODEL_TAIL);
    check_file(sealed, length + MODEL_TAIL);
    free(sealed);
    return 0;
}
