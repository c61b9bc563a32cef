/* A model as bytes in memory: those of its file, and as well guarded. */
#include <stdlib.h>
#include <string.h>

#include "fixtures/data/archive_fixture.h"
#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/test.h"
#include "fixtures/train_fixture.h"
#include "temper_extra.h"

static const temper_model *as_public(const struct model *model)
{
    return (const temper_model *)model;
}

TEST(the_bytes_of_the_file)
{
    struct model *model = model_made_full();
    temper_text text = {0};
    temper_model *back = NULL;
    if (!CHECK(temper_model_to_text(as_public(model), &text, NULL) == TEMPER_OK))
        return;
    struct blob file = made_bytes(as_public(model));
    CHECK(file.length == text.length && memcmp(file.bytes, text.bytes, text.length) == 0);
    CHECK(temper_model_from_text(text.bytes, text.length, &back, NULL) == TEMPER_OK);
    CHECK(back && model_same(made_inside(back), model));
    blob_free(&file);
    temper_text_free(&text);
    temper_model_free(back);
    model_free(model);
}

TEST(damage_is_refused)
{
    struct model *model = model_made_full();
    temper_text text = {0};
    temper_model *back = NULL;
    temper_error error;
    if (!CHECK(temper_model_to_text(as_public(model), &text, NULL) == TEMPER_OK))
        return;
    CHECK(temper_model_from_text(text.bytes, text.length - 1, &back, &error) == TEMPER_BAD_DATA);
    CHECK(temper_model_from_text(text.bytes, 0, &back, &error) == TEMPER_BAD_DATA);
    CHECK(temper_model_from_text("PK", 2, &back, &error) == TEMPER_BAD_DATA);
    CHECK(strstr(error.message, "no model") != NULL);
    text.bytes[text.length / 2] ^= 1;
    CHECK(temper_model_from_text(text.bytes, text.length, &back, &error) == TEMPER_BAD_DATA);
    CHECK(!back);
    temper_text_free(&text);
    model_free(model);
}

TEST(memory_may_end)
{
    struct model *model = model_made_full();
    temper_text whole = {0};
    CHECK(temper_model_to_text(as_public(model), &whole, NULL) == TEMPER_OK);
    for (size_t n = 1; whole.bytes; n++) {
        temper_model *back = NULL;
        temper_text text = {0};
        fault_arm(n);
        temper_status made = temper_model_to_text(as_public(model), &text, NULL);
        temper_status read = temper_model_from_text(whole.bytes, whole.length, &back, NULL);
        fault_disarm();
        CHECK((made == TEMPER_OK) == (text.bytes != NULL) && (read == TEMPER_OK) == (back != NULL));
        CHECK(fault_fired() == (made == TEMPER_NO_MEMORY || read == TEMPER_NO_MEMORY));
        temper_text_free(&text);
        temper_model_free(back);
        if (!fault_fired())
            break;
    }
    temper_text_free(&whole);
    model_free(model);
}

TEST_LIST(LISTED(the_bytes_of_the_file), LISTED(damage_is_refused), LISTED(memory_may_end))
