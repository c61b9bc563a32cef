/* Model files with right checksums that no temper wrote: each is refused, in its place. */
#include <stdlib.h>
#include <string.h>

#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "model/model_file.h"

static const char path[] = "m.temper";

/* The text of a small model with everything in it, up to its checksum. */
static struct text made(void)
{
    struct model *model = model_made_full();
    struct text text = {0};
    CHECK(model_write(model, &text, NULL) == TEMPER_OK);
    text.length -= MODEL_TAIL;
    text.bytes[text.length] = '\0';
    model_free(model);
    return text;
}

/* Replaces the first `from` by `to`, seals the file, and looks at the refusal. */
static void check_changed(const char *from, const char *to, const char *words)
{
    struct text text = made(), changed = {0};
    struct model *model = NULL;
    temper_error error = {0};
    const char *at = strstr(text.bytes, from);
    if (!CHECKF(at, "no %s", from))
        return;
    text_append_bytes(&changed, text.bytes, (size_t)(at - text.bytes));
    size_t place = changed.length;
    text_append(&changed, to);
    text_append(&changed, at + strlen(from));
    model_seal(path, changed.bytes, changed.length);
    CHECKF(model_load(path, &model, &error) == TEMPER_BAD_DATA && !model, "%s -> %s", from, to);
    CHECKF(strstr(error.message, words) && strstr(error.message, "; "), "'%s' is not in: %s", words, error.message);
    CHECKF(error.line > 0 && strncmp(error.message, "m.temper:", 9) == 0, "%s", error.message);
    size_t line = 1; /* not before what was changed */
    for (size_t i = 0; i < place; i++)
        line += changed.bytes[i] == '\n';
    CHECKF(error.line + 8 >= line, "%s: line %zu", error.message, line);
    model_free(model);
    text_free(&text);
    text_free(&changed);
}

/* What is replaced by what, and words of the refusal. */
struct changed_file {
    const char *from, *to, *words;
};

static void check_all(const struct changed_file *cases, size_t count)
{
    scratch_enter();
    for (size_t i = 0; i < count; i++)
        check_changed(cases[i].from, cases[i].to, cases[i].words);
    scratch_leave();
}

TEST(the_text_itself_is_accepted)
{
    struct text text = made();
    struct model *model = NULL, *full = model_made_full();
    temper_error error = {0};
    scratch_enter();
    model_seal(path, text.bytes, text.length);
    CHECK(model_load(path, &model, &error) == TEMPER_OK);
    CHECK(model && model_same(model, full));
    scratch_leave();
    text_free(&text);
    model_free(model);
    model_free(full);
}

TEST(keys)
{
    static const struct changed_file cases[] = {
        {"\"l2\": 0.0001,", "", "\"l2\" is missing before this"},
        {"\"l2\": 0.0001,", "\"l2\": 1,\n\"l2\": 1,", "\"l2\" comes twice"},
        {"\"l2\": 0.0001,", "\"l3\": 1,", "does not know"},
        {"\"l2\": ", "\"l2-and-a-very-very-long-name-behind-it\": ", "no key is as long"},
        {"\"l2\": ", "\"l\\u0032\": ", "the end of a key"},
        {"\"l2\": ", "l2: ", "a key in double quotes"},
        {"\"l2\": ", "\"l2\" ", "':'"},
        {"\"t1\": 0.3,\n\"t2\": 1.2", "\"t2\": 1.2,\n\"t1\": 0.3", "\"t1\" is missing before"},
        {"\"solver\": ", "\"salver\": ", "does not know"},
        {"\"seed\": ", "\"rows\": ", "\"rows\" comes twice"},
        {"\"starts\": 1,\n", "", "\"starts\" is missing in this training"},
        {"\"constants\": 1,", "", "\"constants\" is missing in this scale"},
        {"\"missing\": \"mean\", ", "", "\"missing\" is missing in this schema"},
        {"\"column\": 1, ", "", "\"column\" is missing in this column"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

/* How the cells of a column are read. */
TEST(rules_of_columns)
{
    static const char x[] = "\"name\": \"x\"";
    static const struct changed_file cases[] = {
        {x, "\"name\": \"x\", \"kind\": \"colour\"", "no known kind"},
        {x, "\"name\": \"x\", \"kind\": \"date\"", "0 are needed"},
        {x, "\"name\": \"x\", \"kind\": \"category\"", "a column that contradicts itself"},
        {x, "\"name\": \"x\", \"kind\": \"text\"", "0 are needed"},
        {x, "\"name\": \"x\", \"words\": 3", "contradicts itself"},
        {x, "\"name\": \"x\", \"kind\": \"text\", \"words\": 0", "no or too many features"},
        {x, "\"name\": \"x\", \"decimal\": \";\"", "no known kind, order or decimal mark"},
        {x, "\"name\": \"x\", \"kind\": \"boolean\", \"decimal\": \",\"", "contradicts itself"},
        {x, "\"name\": \"x\", \"order\": \"yd\"", "no known kind, order"},
        {x, "\"name\": \"x\", \"days\": 1", "true or false"},
        {"\"fill\": [0]", "\"fill\": [0], \"kind\": \"boolean\"", "must come before \"fill\""},
        {"\"missing\": \"mean\"", "\"automatic\": 1, \"missing\": \"mean\"", "true or false"},
        {"\"missing\": \"mean\"", "\"gaps\": [], \"missing\": \"mean\"", "a list of no texts"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

/* Lists are wrapped at places that depend on what is before them. */
static void unwrap(struct text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if (text->bytes[i] == '\n')
            text->bytes[i] = ' ';
}

/* Replaces as above; the file is read, and written as the same text. */
static void check_kept(const char *from, const char *to)
{
    struct text text = made(), changed = {0}, again = {0};
    struct model *model = NULL;
    temper_error error = {0};
    const char *at = strstr(text.bytes, from);
    if (!CHECKF(at, "no %s", from))
        return;
    text_append_bytes(&changed, text.bytes, (size_t)(at - text.bytes));
    text_append(&changed, to);
    text_append(&changed, at + strlen(from));
    model_seal(path, changed.bytes, changed.length);
    if (CHECKF(model_load(path, &model, &error) == TEMPER_OK, "%s: %s", to, error.message)) {
        CHECK(model_write(model, &again, &error) == TEMPER_OK);
        unwrap(&again);
        unwrap(&changed);
        CHECKF(again.length == changed.length + MODEL_TAIL && memcmp(again.bytes, changed.bytes, changed.length) == 0,
               "%s", to);
    }
    model_free(model);
    text_free(&text);
    text_free(&changed);
    text_free(&again);
}

TEST(rules_of_columns_are_kept)
{
    static const char *const rules[] = {
        "\"name\": \"x\", \"kind\": \"boolean\"",
        "\"name\": \"x\", \"decimal\": \",\"",
        "\"name\": \"x\", \"kind\": \"date\", \"order\": \"dmy\", \"days\": false, \"times\": true",
        "\"name\": \"x\", \"kind\": \"text\", \"words\": 1",
    };
    scratch_enter();
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        check_kept("\"name\": \"x\"", rules[i]);
    check_kept("\"missing\": \"mean\"", "\"automatic\": true, \"gaps\": [\"-9\", \"x\"], \"missing\": \"mean\"");
    check_kept("\"texts\": [", "\"kind\": \"category\", \"texts\": [");
    scratch_leave();
}

TEST(kinds)
{
    static const struct changed_file cases[] = {
        {"\"l2\": 0.0001", "\"l2\": \"0.0001\"", "a number"},
        {"\"l2\": 0.0001", "\"l2\": null", "a number"},
        {"\"l2\": 0.0001", "\"l2\": NaN", "a number"},
        {"\"l2\": 0.0001", "\"l2\": -Infinity", "a number"},
        {"\"l2\": 0.0001", "\"l2\": 1e999", "beyond the range"},
        {"\"l2\": 0.0001", "\"l2\": -1", "below 0"},
        {"\"l2\": 0.0001", "\"l2\": +1", "a number"},
        {"\"l2\": 0.0001", "\"l2\": 01", "a number"},
        {"\"l2\": 0.0001", "\"l2\": .5", "a number"},
        {"\"l2\": 0.0001", "\"l2\": 5.", "a number"},
        {"\"l2\": 0.0001", "\"l2\": 1e", "a number"},
        {"\"l2\": 0.0001", "\"l2\": 1 2", "',' or '}'"},
        {"\"l2\": 0.0001", "\"l2\": [1]", "a number"},
        {"\"smoothing\": null", "\"smoothing\": 0", "null must stand here"},
        {"\"method\": \"tempered\"", "\"method\": \"warm\"", "no known name"},
        {"\"method\": \"tempered\"", "\"method\": 7", "a text"},
        {"\"method\": \"tempered\"", "\"method\": \"logistic\"", "temperatures"},
        {"\"version\": 2", "\"version\": 0", "never was"},
        {"\"intercept\": true", "\"intercept\": 1", "true or false"},
        {"\"seed\": 1", "\"seed\": -1", "a whole number"},
        {"\"seed\": 1", "\"seed\": 99", "a whole number"}, /* more than 2^64 */
        {"\"solver\": \"newton\"", "\"solver\": \"0123456789abcdef\"", "too long"},
        {"{\"name\": \"log\"", "{\"name\": \"loud\"", "no known name"},
        {"{\"name\": \"log\"", "{\"name\": \"none\"", "contradicts itself"},
        {"\"constants\": 1", "\"constants\": 9", "contradicts itself"},
        {"\"weights\": [", "\"weights\": {", "a list"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

TEST(sizes)
{
    static const struct changed_file cases[] = {
        {"\"features\": 4", "\"features\": 0", "no features"},
        {"\"features\": 4", "\"features\": 5", "fewer names than features"},
        {"\"features\": 4", "\"features\": 3", "more names than features"},
        {"\"features\": 4", "\"features\": 9999999", "more weights than the file could hold"},
        {"\"features\": 4", "\"features\": 18446744073709551615", "more weights than the file"},
        {"\"weights\": [\n[0, ", "\"weights\": [\n[", "3 numbers, but 4"},
        {"\"weights\": [\n[0, ", "\"weights\": [\n[0, 0, ", "5 numbers, but 4"},
        {"\"weights\": [\n", "\"weights\": [\n[1, 2, 3, 4],\n", "more lists of weights"},
        {"\"intercept\": [", "\"intercept\": [1, ", "8 numbers, but 7"},
        {"\"offset\": [", "\"offset\": [1, ", "5 numbers, but 4"},
        {"\"classes\": [\"plain\", ", "\"classes\": [\"-1.5\", ", "a class that was there"},
        {"\"classes\": [\"plain\", ", "\"classes\": [\"1.0\", ", "spelled in another way"},
        {"\"classes\": [\"plain\", ", "\"classes\": [", "7 numbers, but 6"},
        {"\"-1.5\", \"\"]", "\"-1.5\", [[[[[[[[[[", "a text"},
        {"\"texts\": [\"red, or so\", ", "\"texts\": [", "2 numbers, but 1"},
        {"\"texts\": [\"red, or so\", ", "\"texts\": [\"1.0\", ", "has already"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

TEST(strings)
{
    static const struct {
        const char *to, *words;
    } cases[] = {
        {"pl\\ain", "a letter"},        {"pl\nain", "a letter"},        {"pl\\u00", "a letter"},
        {"pl\\u0000", "a letter"},      {"pl\\ud800", "a letter"},      {"pl\\ud800\\u0041", "a let"},
        {"pl\\udc00", "a letter"},      {"pl\xff", "a letter"},         {"pl\xc3", "a letter"},
        {"pl\xc0\xaf", "a letter"},     {"pl\xed\xa0\x80", "a letter"}, {"pl\xf4\x90\x80\x80", "a let"},
        {"pl\xe0\x80\x80", "a letter"},
    };
    scratch_enter();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_changed("plain", cases[i].to, cases[i].words);
    scratch_leave();
}

TEST(schemas)
{
    static const struct changed_file cases[] = {
        {"\"file_columns\": 7", "\"file_columns\": 2", "beyond the last column"},
        {"\"label_column\": 7", "\"label_column\": 0", "columns count from 1"},
        {"\"label_column\": 7, ", "", "a name and no column"},
        {"\"label_column\": 7", "\"label_column\": 3", "or is the label"},
        {"{\"column\": 3", "{\"column\": 1", "out of order"},
        {"{\"column\": 3", "{\"column\": 99", "not there"},
        {"\"column\": 1, \"name\": \"x\"", "\"column\": 1", "with and without a name"},
        {"\"missing\": \"mean\"", "\"missing\": \"zero\"", "means"},
        {"\"missing\": \"mean\"", "\"missing\": \"guess\"", "none of refuse"},
        {", \"fill\": [0]", "", "means"},
        {"\"texts\": [\"red, or so\", \"1.0\"], ", "", "1 are needed"},
        {"\"texts\": [\"red, or so\", \"1.0\"]", "\"texts\": []", "no texts"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

TEST(calibrations)
{
    static const struct changed_file cases[] = {
        {"\"order\": 0.75", "\"order\": 0", "order is not positive"},
        {"\"floor\": 0.125", "\"floor\": 1.5", "from 0 to 1"},
        {"\"matrix_floor\": 0.5", "\"matrix_floor\": -0.5", "from 0 to 1"},
        {"\"matrix_floor\": 0.5, ", "", "\"matrix_floor\" is missing in this calibration"},
        {"\"rows\": 80, ", "", "\"rows\" is missing in this calibration"},
        {"\"matrix\": [\n[", "\"matrix\": [\n[1, ", "8 numbers, but 7"},
        {"\"matrix\": [\n[", "\"matrix\": [\n[1, 2, 3, 4, 5, 6, 7],\n[", "more lines of the calibration's matrix"},
        {"\"matrix\": [\n[", "\"matrix\": [], \"floor\": [[", "fewer lines of the calibration's matrix"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

TEST_LIST(LISTED(the_text_itself_is_accepted), LISTED(keys), LISTED(rules_of_columns),
          LISTED(rules_of_columns_are_kept), LISTED(kinds), LISTED(sizes), LISTED(strings), LISTED(schemas),
          LISTED(calibrations))
