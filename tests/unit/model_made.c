/* model_made: models for tests. */
#include "model_made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_file.h"
#include "numeric.h"
#include "scratch.h"
#include "table.h"
#include "test.h"

static void add_class(struct model *model, const char *name)
{
    CHECK(classes_add(&model->classes, name, strlen(name)) == model->classes.count - 1);
}

struct model *model_made(size_t classes, size_t features, temper_loss_spec loss, bool numbers)
{
    struct draw draw = draw_from(classes * 1000 + features);
    struct model *model = NULL;
    temper_error error;
    if (!CHECK(model_new(classes, features, &model, &error) == TEMPER_OK))
        abort();
    draw_normals(&draw, model->weights, model->vectors * features, 1);
    draw_normals(&draw, model->bias, model->vectors, 1);
    for (size_t c = 0; c < classes; c++) {
        char name[16];
        snprintf(name, sizeof name, numbers ? "%zu" : "class %zu", c);
        add_class(model, name);
    }
    model->loss = temper_loss_resolve(loss);
    model->l2 = 1e-4;
    model->intercept = true;
    model->training = (struct training){.solver = "newton",
                                        .stop = "converged",
                                        .init = "normal:0.001",
                                        .precision = "f64",
                                        .fingerprint = "0123456789abcdef0123456789abcdef",
                                        .tolerance = 1e-4,
                                        .max_iterations = 1000,
                                        .seed = UINT64_MAX,
                                        .rows = 150,
                                        .weight_sum = 149.5,
                                        .objective = 0.25,
                                        .loss = 0.125,
                                        .gradient = 3e-5,
                                        .accuracy = 0.98,
                                        .iterations = 7,
                                        .evaluations = 9,
                                        .starts = 1};
    return model;
}

static char *copy(const char *text)
{
    char *made = malloc(strlen(text) + 1);
    return made ? memcpy(made, text, strlen(text) + 1) : NULL;
}

/* x and y are numbers, the column between them has two texts, the last is the label. */
static struct schema *full_schema(void)
{
    struct schema *schema = NULL;
    struct names names = {0};
    CHECK(schema_plain(3, &names, &schema, NULL) == TEMPER_OK);
    static const char *const column[] = {"x", "c\303\266lour", "y"};
    for (size_t i = 0; i < 3; i++) {
        schema->column[i].name = copy(column[i]);
        schema->column[i].position = 2 * i;
        schema->column[i].fill = calloc(2, sizeof(double));
        schema->column[i].fill[0] = 0.25 * (double)i;
    }
    schema->file_columns = 7;
    schema->label_position = 6;
    schema->label = copy("kind");
    schema->missing = SCHEMA_MEAN;
    struct names *texts = &schema->column[1].texts;
    texts->name = (char **)calloc(2, sizeof *texts->name);
    texts->name[0] = copy("red, or so");
    texts->name[1] = copy("1.0");
    texts->count = 2;
    schema->features = 4;
    return schema;
}

/* Names with quotes, newlines, letters of two, three and four bytes, and bytes that are none. */
struct model *model_made_full(void)
{
    static const char *const classes[] = {"plain",
                                          "\"quoted\\\n\t\x01\x7f",
                                          "\303\244\342\202\254",
                                          "\360\237\230\200",
                                          "\377\200",
                                          "-1.5",
                                          ""};
    enum { CLASSES = sizeof classes / sizeof *classes };
    struct model *model =
        model_made(CLASSES, 4, (temper_loss_spec){TEMPER_TEMPERED, 0.3, 1.2, 0}, false);
    classes_free(&model->classes);
    for (size_t c = 0; c < CLASSES; c++)
        add_class(model, classes[c]);
    static const double edges[] = {0, -0.0, 4.9406564584124654e-324, 1.7976931348623157e308};
    memcpy(model->weights, edges, sizeof edges);
    model->schema = full_schema();
    CHECK(schema_name_features(model->schema, &model->feature_names, NULL) == TEMPER_OK);
    model->scale = (struct scale){.kind = SCALE_LOG, .columns = 4, .constants = 1};
    model->scale.offset = calloc(4, sizeof(double));
    model->scale.factor = calloc(4, sizeof(double));
    for (size_t i = 0; i < 4; i++) {
        model->scale.offset[i] = 1.0 / (double)(i + 3);
        model->scale.factor[i] = (double)(i + 1);
    }
    return model;
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static bool same_names(char *const *a, size_t count, char *const *b, size_t other)
{
    for (size_t i = 0; count == other && i < count; i++)
        if (!same_text(a[i], b[i]))
            return false;
    return count == other;
}

static bool same_column(const struct schema_column *a, const struct schema_column *b)
{
    size_t count = schema_column_features(a);
    return a->position == b->position && same_text(a->name, b->name) &&
           same_names(a->texts.name, a->texts.count, b->texts.name, b->texts.count) &&
           !a->fill == !b->fill && (!a->fill || table_same_bits(a->fill, b->fill, count));
}

static bool same_schema(const struct schema *a, const struct schema *b)
{
    if (!a || !b)
        return a == b;
    bool same = a->file_columns == b->file_columns && same_text(a->label, b->label) &&
                a->label_position == b->label_position && a->missing == b->missing &&
                a->columns == b->columns && a->features == b->features;
    for (size_t i = 0; same && i < a->columns; i++)
        same = same_column(&a->column[i], &b->column[i]);
    return same;
}

static bool same_training(const struct training *a, const struct training *b)
{
    return strcmp(a->solver, b->solver) == 0 && strcmp(a->stop, b->stop) == 0 &&
           strcmp(a->init, b->init) == 0 && strcmp(a->precision, b->precision) == 0 &&
           strcmp(a->fingerprint, b->fingerprint) == 0 && a->tolerance == b->tolerance &&
           a->max_iterations == b->max_iterations && a->seed == b->seed && a->rows == b->rows &&
           a->weight_sum == b->weight_sum && a->objective == b->objective && a->loss == b->loss &&
           a->gradient == b->gradient && a->accuracy == b->accuracy &&
           a->iterations == b->iterations && a->evaluations == b->evaluations &&
           a->starts == b->starts;
}

static bool same_scale(const struct scale *a, const struct scale *b)
{
    return a->kind == b->kind && a->columns == b->columns && a->constants == b->constants &&
           (a->kind == SCALE_NONE || (table_same_bits(a->offset, b->offset, a->columns) &&
                                      table_same_bits(a->factor, b->factor, a->columns)));
}

bool model_same(const struct model *a, const struct model *b)
{
    return same_names(a->classes.name, a->classes.count, b->classes.name, b->classes.count) &&
           same_names(a->feature_names.name, a->feature_names.count, b->feature_names.name,
                      b->feature_names.count) &&
           a->features == b->features && a->vectors == b->vectors &&
           a->loss.method == b->loss.method && a->loss.t1 == b->loss.t1 &&
           a->loss.t2 == b->loss.t2 && a->loss.smoothing == b->loss.smoothing && a->l2 == b->l2 &&
           a->intercept == b->intercept && table_same_bits(a->bias, b->bias, a->vectors) &&
           table_same_bits(a->weights, b->weights, a->vectors * a->features) &&
           same_scale(&a->scale, &b->scale) && same_schema(a->schema, b->schema) &&
           same_training(&a->training, &b->training);
}

size_t model_seal(const char *path, const char *text, size_t length)
{
    char tail[MODEL_TAIL + 1];
    char *whole = malloc(length + MODEL_TAIL);
    model_tail(text, length, tail);
    memcpy(whole, text, length);
    memcpy(whole + length, tail, MODEL_TAIL);
    scratch_write(path, whole, length + MODEL_TAIL);
    free(whole);
    return length + MODEL_TAIL;
}
