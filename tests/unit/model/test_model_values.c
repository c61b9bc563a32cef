/* Model files of every kind in which one value is replaced by another: of a wrong type, out of its range, one too few
 * or too many. Each is refused with its place; and memory may end anywhere while they are written or read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/model_fixture.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"
#include "model/model_file.h"

/* ---- Models ---------------------------------------------------------------------------------- */

static double *even_matrix(size_t classes)
{
    double *matrix = calloc(classes * classes, sizeof *matrix);
    for (size_t i = 0; i < classes * classes; i++)
        matrix[i] = 1 / (double)classes;
    return matrix;
}

/* Forward correction of three classes, with an L1 penalty and an estimate of the noise. */
static struct model *made_corrected(void)
{
    struct model *model = model_made(3, 2, (temper_loss_spec){.method = TEMPER_FORWARD}, true);
    model->l1 = 0.5;
    model->transition = even_matrix(3);
    model->noise.known = true;
    model->noise.rate = 0.25;
    model->noise.transition = even_matrix(3);
    return model;
}

/* Columns with every kind of rule, and without names. */
static struct schema *ruled_schema(void)
{
    static const struct column_rule rules[] = {{.kind = COLUMN_DATE, .days = true, .times = true},
                                               {.kind = COLUMN_BOOLEAN, .indicator = true},
                                               {.decimal = ','},
                                               {.kind = COLUMN_TEXT, .words = 2},
                                               {.kind = COLUMN_NUMBER}};
    enum { COLUMNS = sizeof rules / sizeof *rules };
    struct schema *schema = NULL;
    struct names names = {0};
    CHECK(schema_plain(COLUMNS, &names, &schema, NULL) == TEMPER_OK);
    schema->features = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        schema->column[i].rule = rules[i];
        schema->features += schema_column_features(&schema->column[i]);
    }
    schema->file_columns = COLUMNS;
    schema->label_position = SCHEMA_NO_LABEL;
    return schema;
}

/* Two classes, a loss with parameters, no intercept. */
static struct model *made_ruled(void)
{
    temper_loss_spec loss = {.method = TEMPER_SCE, .alpha = 0.5, .beta = 1, .log_zero = -4};
    struct schema *schema = ruled_schema();
    struct model *model = model_made(2, schema->features, loss, true);
    model->intercept = false;
    model->noise.known = true;
    model->schema = schema;
    return model;
}

static struct model *made_hinge(void)
{
    return model_made(2, 3, (temper_loss_spec){.method = TEMPER_HINGE, .smoothing = 0.5}, true);
}

/* ---- Changed texts --------------------------------------------------------------------------- */

/* The text of a model up to its checksum. */
static struct text text_of(struct model *model)
{
    struct text text = {0};
    temper_error error = {0};
    CHECKF(model_write(model, &text, &error) == TEMPER_OK, "%s", error.message);
    text.length -= MODEL_TAIL;
    text.bytes[text.length] = '\0';
    model_free(model);
    return text;
}

/* Reads [begin, begin + length) with [at, at + skipped) replaced by `to`, and a right checksum. */
static temper_status read_changed(const struct text *text, size_t at, size_t skipped, const char *to,
                                  struct model **model, temper_error *error)
{
    struct text changed = {0};
    char tail[MODEL_TAIL + 1];
    text_append_bytes(&changed, text->bytes, at);
    text_append(&changed, to);
    text_append(&changed, text->bytes + at + skipped);
    model_tail(changed.bytes, changed.length, tail);
    text_append(&changed, tail);
    temper_status status = model_read_text(changed.bytes, changed.length, model, error);
    text_free(&changed);
    return status;
}

static void check_refused(const struct text *text, size_t at, size_t skipped, const char *to, const char *words)
{
    struct model *model = NULL;
    temper_error error = {0};
    temper_status status = read_changed(text, at, skipped, to, &model, &error);
    CHECKF(status == TEMPER_BAD_DATA && !model, "'%.*s' -> '%s'", (int)skipped, text->bytes + at, to);
    CHECKF(error.line > 0 && strstr(error.message, words), "'%.*s' -> '%s': %s", (int)skipped, text->bytes + at, to,
           error.message);
    model_free(model);
}

/* What is replaced by what, and words of the refusal. */
struct changed_value {
    const char *from, *to, *words;
};

static void check_values(struct model *model, const struct changed_value *cases, size_t count)
{
    struct text text = text_of(model);
    for (size_t i = 0; i < count; i++) {
        const char *at = strstr(text.bytes, cases[i].from);
        if (CHECKF(at, "no %s", cases[i].from))
            check_refused(&text, (size_t)(at - text.bytes), strlen(cases[i].from), cases[i].to, cases[i].words);
    }
    text_free(&text);
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* The length of the value that begins here: a text, a number or a word; of a list or an object its bracket. */
static size_t value_length(const char *value)
{
    size_t length = 1;
    if (*value == '"') {
        while (value[length] != '"')
            length += value[length] == '\\' ? 2 : 1;
        return length + 1;
    }
    return *value == '[' || *value == '{' ? 1 : strcspn(value, ",]} \n");
}

/* Every value in turn becomes one of another type. Null is a value where a method has no such parameter; "temper" and
 * names may be any text. */
static void check_types(struct model *model)
{
    static const char *const other[] = {"true", "\"?\"", "[", "{", "7"};
    struct text text = text_of(model);
    size_t values = 0;
    for (size_t at = strlen(MODEL_HEAD); at + 1 < text.length; at += value_length(text.bytes + at)) {
        at += strspn(text.bytes + at, ":,]} \n");
        size_t length = value_length(text.bytes + at);
        const char *value = text.bytes + at;
        if (at >= text.length || value[length] == ':')
            continue;
        for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
            bool number = *value == '-' || (*value >= '0' && *value <= '9');
            bool word = *value == 't' || *value == 'f';
            bool same = *other[i] == *value || (*other[i] == '7' && number) || (*other[i] == 't' && word);
            if (!same)
                check_refused(&text, at, length, other[i], "");
        }
        values++;
    }
    CHECK(values > 20);
    text_free(&text);
}

TEST(every_value_has_its_type)
{
    check_types(model_made_full());
    check_types(made_corrected());
    check_types(made_ruled());
    check_types(made_hinge());
}

/* A file that is cut anywhere, with a right checksum behind it. */
TEST(every_key_is_needed_to_the_end)
{
    struct text text = text_of(made_ruled());
    for (size_t at = strlen(MODEL_HEAD); at + 1 < text.length; at++)
        check_refused(&text, at, text.length - at, "", "");
    text_free(&text);
}

/* ---- Ranges and numbers ---------------------------------------------------------------------- */

TEST(matrices_of_label_noise)
{
    static const struct changed_value cases[] = {
        {"\"transition\": [\n[0.", "\"transition\": [\n[-0.", "a probability below 0"},
        {"\"transition\": [\n[0.", "\"transition\": [\n[1.", "do not sum to 1"},
        {"\"transition\": [\n[0.3333333333333333, ", "\"transition\": [\n[0, 0.3333333333333333, ", "4 numbers, but 3"},
        {"\"transition\": [\n[", "\"transition\": [\n[0, 1, 0],\n[", "more rows of the matrix of label noise"},
        {"\"transition\": [", "\"transition\": [], \"rate\": [", "fewer rows of the matrix of label noise"},
        {"\"correction\": [\n[0.3333333333333333", "\"correction\": [\n[0", "a probability that is not positive"},
        {"\"correction\": [\n[0.", "\"correction\": [\n[-0.", "a probability that is not positive"},
        {"\"rate\": 0.25", "\"rate\": 1.5", "a rate that is not from 0 to 1"},
        {"\"rate\": 0.25", "\"rate\": -0.5", "a rate that is not from 0 to 1"},
        {"\"rate\": 0.25, ", "", "\"rate\" is missing in this noise"},
        {"\"method\": \"forward\"", "\"method\": \"logistic\"",
         "a matrix of label noise that the method does not have"},
        {"\"l1\": 0.5", "\"l1\": -0.5", "below 0"},
        {"\"weights\": [\n[", "\"weights\": [], \"weights\": [\n[", "fewer lists of weights than classes"},
        {"\"classes\": [\"0\", \"1\", \"2\"]", "\"classes\": [\"0\"]", "fewer than two classes"},
    };
    check_values(made_corrected(), cases, sizeof cases / sizeof *cases);
}

TEST(parameters_of_losses)
{
    static const struct changed_value cases[] = {
        {"\"alpha\": 0.5", "\"alpha\": -0.5", "out of its range"},
        {"\"log_zero\": -4", "\"log_zero\": 4", "out of its range"},
        {"\"alpha\": 0.5", "\"gamma\": 0.5", "a parameter that the method does not have here"},
        {"\"log_zero\": -4", "\"log_zero\": -4, \"more\": 1", "a parameter that the method does not have here"},
        {", \"log_zero\": -4", "", "a parameter of the method is missing"},
        {"\"t2\": ", "\"t2\": 1", ""},
        {"\"version\": 2", "\"version\": 2, \"version\": 2", "comes twice"},
    };
    check_values(made_ruled(), cases, sizeof cases / sizeof *cases);
}

TEST(a_hinge_has_no_temperatures)
{
    static const struct changed_value cases[] = {
        {"\"t1\": null", "\"t1\": 1", "null must stand here"},
        {"\"t2\": null", "\"t2\": 1", "null must stand here"},
        {"\"smoothing\": 0.5", "\"smoothing\": null", "a number"},
        {"\"smoothing\": 0.5", "\"smoothing\": -1", "below 0"},
        {"\"max_iterations\": 1000", "\"max_iterations\": 1e3", "a whole number"},
    };
    check_values(made_hinge(), cases, sizeof cases / sizeof *cases);
}

TEST(rules_that_contradict_themselves)
{
    static const struct changed_value cases[] = {
        {"\"days\": true, \"times\": true", "\"days\": false, \"times\": false", "contradicts itself"},
        {"\"words\": 2", "\"words\": 99999999", "no or too many features"},
        {"\"decimal\": \",\"", "\"decimal\": \",\", \"texts\": [\"a\"]", "contradicts itself"},
        {"\"kind\": \"boolean\"", "\"kind\": \"boolean\", \"texts\": [\"a\"]", "contradicts itself"},
        {"\"file_columns\": 5", "\"file_columns\": 5000000000", "not there"},
        {"\"words\": 2", "\"words\": 3", "another number of features"},
        {"{\"column\": 1, ", "{\"column\": 5000000000, ", "columns count from 1"},
    };
    check_values(made_ruled(), cases, sizeof cases / sizeof *cases);
}

/* A schema without columns says so. */
TEST(a_schema_has_columns)
{
    struct text text = text_of(made_ruled());
    const char *from = strstr(text.bytes, "\"columns\": [\n"), *to = strstr(from, "\n]},\n");
    check_refused(&text, (size_t)(from - text.bytes), (size_t)(to - from) + 2, "\"columns\": []", "no columns");
    text_free(&text);
}

/* More columns than the list has room for at first. */
TEST(many_columns)
{
    enum { COLUMNS = 40 };
    struct model *model = model_made(2, COLUMNS, (temper_loss_spec){.method = TEMPER_LOGISTIC}, true), *back = NULL;
    struct names names = {0};
    temper_error error = {0};
    CHECK(schema_plain(COLUMNS, &names, &model->schema, NULL) == TEMPER_OK);
    model->schema->file_columns = COLUMNS;
    model->schema->label_position = SCHEMA_NO_LABEL;
    struct text text = text_of(model);
    CHECKF(read_changed(&text, 0, 0, "", &back, &error) == TEMPER_OK, "%s", error.message);
    CHECK(back && back->schema->columns == COLUMNS && back->schema->column[COLUMNS - 1].position == COLUMNS - 1);
    model_free(back);
    text_free(&text);
}

/* Pairs of more classes than CALIBRATION_MATRIX_CLASSES are never calibrated. */
TEST(a_calibration_of_too_many_classes)
{
    struct model *model =
        model_made(CALIBRATION_MATRIX_CLASSES + 1, 1, (temper_loss_spec){.method = TEMPER_LOGISTIC}, true);
    static const struct changed_value cases[] = {
        {"\"folds\": 5", "\"folds\": 5, \"matrix_floor\": 0, \"matrix\": [[1]]", "for more classes than can have one"}};
    model->calibration = (struct calibration){.order = 1, .rows = 10, .folds = 5};
    check_values(model, cases, 1);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static void check_unsaved(struct model *model, const char *words)
{
    struct text text = {0};
    temper_error error = {0};
    CHECK(model_write(model, &text, &error) == TEMPER_BAD_DATA && text.length == 0);
    CHECKF(strstr(error.message, words), "'%s' is not in: %s", words, error.message);
}

TEST(rates_that_are_no_numbers_are_not_saved)
{
    struct model *model = made_corrected();
    double *numbers[] = {model->transition + 4, model->noise.transition + 8, &model->noise.rate};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double before = *numbers[i];
        *numbers[i] = i == 1 ? INFINITY : NAN;
        check_unsaved(model, "a rate of the label noise is not finite");
        *numbers[i] = before;
    }
    model->l1 = INFINITY;
    check_unsaved(model, "a figure of the training is not finite");
    model_free(model);
    model = made_ruled();
    model->loss.log_zero = NAN;
    check_unsaved(model, "a parameter of the loss is not finite");
    model_free(model);
    model = model_made_full();
    model->calibration.matrix[55] = NAN;
    check_unsaved(model, "a number of the calibration is not finite");
    model->calibration.matrix[55] = 1;
    model->scale.factor[3] = NAN;
    check_unsaved(model, "an offset or a factor of the scaling is not finite");
    model->scale.factor[3] = 1;
    model->loss.t2 = INFINITY;
    check_unsaved(model, "a parameter of the loss is not finite");
    model_free(model);
}

static void check_memory(struct model *model)
{
    struct text text = {0};
    struct model *back = NULL;
    temper_error error = {0};
    for (size_t n = 1;; n++) {
        text_free(&text);
        fault_arm(n);
        temper_status status = model_write(model, &text, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY);
    }
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = model_read_text(text.bytes, text.length, &back, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY && !back);
    }
    CHECKF(back, "%s", error.message);
    struct text again = {0};
    CHECK(back && model_write(back, &again, &error) == TEMPER_OK);
    CHECK(again.length == text.length && memcmp(again.bytes, text.bytes, text.length) == 0);
    model_free(back);
    model_free(model);
    text_free(&text);
    text_free(&again);
}

TEST(memory_runs_out)
{
    check_memory(made_corrected());
    check_memory(made_ruled());
    check_memory(made_hinge());
}

/* Without any one of the lines that begin with a key, but for those that a model may lack. */
TEST(every_line_is_needed)
{
    static const char *const optional[] = {"\"parameters\"", "\"l1\"",    "\"feature_names\"", "\"calibration\"",
                                           "\"schema\"",     "\"noise\"", "\"correction\""};
    struct text text = text_of(made_hinge());
    size_t removed = 0;
    for (char *line = strstr(text.bytes, "\"version\""), *end; line && *line; line = end + 1) {
        bool needed = *line == '"';
        end = strchr(line, '\n');
        for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
            needed = needed && strncmp(line, optional[i], strlen(optional[i])) != 0;
        if (needed && end[-1] == ',') {
            check_refused(&text, (size_t)(line - text.bytes), (size_t)(end - line) + 1, "", "");
            removed++;
        }
    }
    CHECKF(removed > 20, "%zu", removed);
    text_free(&text);
}

/* Each mark of the grammar, outside of texts, becomes another character. */
TEST(every_mark_is_needed)
{
    struct model *(*const made[])(void) = {model_made_full, made_corrected, made_ruled};
    for (size_t m = 0; m < sizeof made / sizeof *made; m++) {
        struct text text = text_of(made[m]());
        for (size_t at = strlen(MODEL_HEAD); at < text.length; at++) {
            if (text.bytes[at] == '"')
                at += value_length(text.bytes + at) - 1;
            else if (strchr("{}[]:,", text.bytes[at]))
                check_refused(&text, at, 1, text.bytes[at] == ',' ? " " : ";", "");
        }
        text_free(&text);
    }
}

/* What few files have, and is right. */
TEST(rare_values_are_accepted)
{
    static const struct {
        const char *from, *to;
    } cases[] = {{"\"decimal\": \",\"", "\"decimal\": \".\""},
                 {"\"missing\": ", "\"gaps\": [\"a\", \"b\", \"c\", \"d\", \"e\"], \"missing\": "},
                 {"\"days\": true, \"times\": true", "\"days\": true, \"times\": true"}};
    struct text text = text_of(made_ruled());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = strstr(text.bytes, cases[i].from);
        struct model *model = NULL;
        temper_error error = {0};
        if (!CHECKF(at, "no %s", cases[i].from))
            continue;
        temper_status status =
            read_changed(&text, (size_t)(at - text.bytes), strlen(cases[i].from), cases[i].to, &model, &error);
        CHECKF(status == TEMPER_OK && model, "%s: %s", cases[i].to, error.message);
        CHECK(i != 1 || (model && model->schema->gaps.count == 5 && strcmp(model->schema->gaps.name[4], "e") == 0));
        model_free(model);
    }
    text_free(&text);
}

/* Dates of days or of times alone are written and read as such. */
TEST(dates_of_one_part)
{
    for (int times = 0; times < 2; times++) {
        struct model *model = made_ruled(), *back = NULL;
        temper_error error = {0};
        struct schema_column *column = &model->schema->column[0];
        size_t before = schema_column_features(column);
        column->rule.days = !times;
        column->rule.times = times;
        size_t fewer = before - schema_column_features(column);
        model->schema->features -= fewer;
        model->features -= fewer;
        struct text text = text_of(model);
        CHECKF(read_changed(&text, 0, 0, "", &back, &error) == TEMPER_OK, "%s", error.message);
        CHECK(back && back->schema->column[0].rule.days == !times && back->schema->column[0].rule.times == times);
        model_free(back);
        text_free(&text);
    }
}

TEST(sizes_that_no_file_could_hold)
{
    static const struct changed_value few[] = {
        {"\"features\": 3", "\"features\": 9223372036854775808", "more weights than the file could hold"},
        {"\"version\": 2", "\"version\":  3", "a version that never was"}};
    static const struct changed_value many[] = {{"\"training\": {",
                                                 "\"noise\": {\"rate\": 0.1, \"transition\": [[1]]},\n\"training\": {",
                                                 "a matrix of label noise that the file could not hold"}};
    check_values(made_hinge(), few, sizeof few / sizeof *few);
    check_values(model_made(300, 1, (temper_loss_spec){.method = TEMPER_LOGISTIC}, true), many, 1);
}

/* The text grows at any of its parts: the last of them is the checksum. */
TEST(memory_runs_out_anywhere_in_the_text)
{
    for (size_t length = 1; length < 1200; length += 40) {
        struct model *model = made_hinge();
        char name[1200];
        memset(name, 'x', length);
        CHECK(classes_add(&model->classes, name, length) == 2);
        model->vectors = 1; /* two classes have one vector; the third is there for its name */
        for (size_t n = 1;; n++) {
            struct text text = {0};
            fault_arm(n);
            temper_status status = model_write(model, &text, NULL);
            fault_disarm();
            text_free(&text);
            if (!fault_fired())
                break;
            CHECK(status == TEMPER_NO_MEMORY);
        }
        model_free(model);
    }
}

/* A file that can no longer be read, at any of its reads; and one that is another kind of JSON. */
TEST(files_that_cannot_be_read)
{
    static const char *const others[] = {"[1, 2]\n", "{\"a\": 1, \"b\": 2}\n{\"a\": 2, \"b\": 3}\n"};
    struct model *model = model_made(40, 300, (temper_loss_spec){.method = TEMPER_LOGISTIC}, true), *back = NULL;
    temper_error error = {0};
    scratch_enter();
    CHECK(model_save(model, "m", &error) == TEMPER_OK);
    for (size_t n = 1;; n++) {
        fault_arm_reads(n);
        temper_status status = model_load("m", &back, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_IO && !back);
    }
    CHECK(back && model_same(back, model));
    model_free(back);
    back = NULL;
    for (size_t n = 1;; n++) {
        fault_arm(n);
        temper_status status = model_load("m", &back, &error);
        fault_disarm();
        if (!fault_fired())
            break;
        CHECK(status == TEMPER_NO_MEMORY && !back);
    }
    model_free(back);
    back = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        scratch_write("m", others[i], strlen(others[i]));
        CHECK(model_load("m", &back, &error) == TEMPER_BAD_DATA && !back);
        CHECKF(strstr(error.message, "this is no model of temper"), "%s", error.message);
    }
    scratch_leave();
    model_free(model);
}

TEST_LIST(LISTED(every_value_has_its_type), LISTED(every_key_is_needed_to_the_end), LISTED(matrices_of_label_noise),
          LISTED(parameters_of_losses), LISTED(a_hinge_has_no_temperatures), LISTED(rules_that_contradict_themselves),
          LISTED(a_schema_has_columns), LISTED(many_columns), LISTED(a_calibration_of_too_many_classes),
          LISTED(rates_that_are_no_numbers_are_not_saved), LISTED(memory_runs_out), LISTED(every_line_is_needed),
          LISTED(every_mark_is_needed), LISTED(rare_values_are_accepted), LISTED(dates_of_one_part),
          LISTED(sizes_that_no_file_could_hold), LISTED(memory_runs_out_anywhere_in_the_text),
          LISTED(files_that_cannot_be_read))
