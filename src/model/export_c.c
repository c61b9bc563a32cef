/* export_c: a model as one C99 file: its numbers, the linear scores, and the computation of probabilities from them.
 *
 * The generated code is held here as templates: C in which @ is replaced by the name that all functions begin with, so
 * that several models can be linked into one program. */
#include <string.h>

#include "base/number.h"
#include "base/path.h"
#include "model/export.h"

enum {
    LONGEST_NAME = 64,     /* of the prefix of the functions, with its terminator */
    LONGEST_LITERAL = 4000 /* bytes; C99 compilers must accept strings of 4095 */
};

/* The file that is being generated. */
struct c_file {
    const struct model *model;
    char name[LONGEST_NAME]; /* the prefix, for each @ */
    struct text text;        /* so far; text.failed without memory */
};

/* ---- Pieces of text -------------------------------------------------------------------------- */

/* The prefix, from the name of the file: lower-case letters, digits and underscores; "out/Iris 2.c" gives iris_2, and a
 * name without letters "model". */
static void take_name(const char *path, char name[LONGEST_NAME])
{
    /* Up to the first dot: "iris.model.c" gives iris. */
    const char *slash = path_last_separator(path), *from = slash ? slash + 1 : path;
    const char *dot = strchr(from, '.'), *to = dot ? dot : from + strlen(from);
    size_t n = 0;
    for (; from < to && n + 1 < LONGEST_NAME; from++) {
        char c = *from;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool digit = c >= '0' && c <= '9';
        if (n == 0 && !letter)
            continue; /* no name begins with a digit, or with what is reserved */
        name[n++] = letter || digit ? (char)(letter ? c | 0x20 : c) : '_';
    }
    if (n == 0) {
        memcpy(name, "model", 5);
        n = 5;
    }
    name[n] = '\0';
}

/* Appends a template, with the prefix for each @. */
static void put(struct c_file *file, const char *template)
{
    for (const char *at; (at = strchr(template, '@')); template = at + 1) {
        text_append_bytes(&file->text, template, (size_t)(at - template));
        text_append(&file->text, file->name);
    }
    text_append(&file->text, template);
}

/* Appends the shortest decimal that reads back as the same double; with a point or an exponent, so that C does not take
 * it for an integer. */
static void put_number(struct c_file *file, double value)
{
    char number[NUMBER_LENGTH];
    size_t length = number_write_f64(value, number);
    text_append_bytes(&file->text, number, length);
    if (strcspn(number, ".e") == length)
        text_append(&file->text, ".0");
}

/* A named constant of the generated file. */
static void put_constant(struct c_file *file, const char *name, double value)
{
    text_format(&file->text, "static const double %s_%s = ", file->name, name);
    put_number(file, value);
    text_append(&file->text, ";\n");
}

/* Appends a string literal. Other bytes than printable ASCII are octal escapes, which end after three digits, where a
 * hexadecimal one would absorb following digits; a question mark may begin a trigraph. */
static void put_literal(struct c_file *file, const char *string)
{
    text_append(&file->text, "\"");
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        /* Bytes of UTF-8 are escaped one by one. */
        if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '?')
            text_format(&file->text, "\\%03o", c);
        else
            text_append_bytes(&file->text, string, 1);
    }
    text_append(&file->text, "\"");
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Whether a feature name can be put into a comment of the generated file: the allowed characters include neither * nor
 * / nor a newline. */
static bool is_plain(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             " _=.-+:,()%")] == '\0';
}

/* Appends one row of the weight matrix: one weight on a line, with its feature name, where features have names and
 * there is one vector; else four on a line. */
static void put_vector(struct c_file *file, const double *weights)
{
    const struct names *names = &file->model->feature_names;
    text_append(&file->text, "    {");
    for (size_t i = 0; i < file->model->features; i++) {
        bool named = names->count > 0 && file->model->vectors == 1 && is_plain(names->name[i]);
        /* A comment for each weight needs a line for each. */
        bool wrap = names->count > 0 && file->model->vectors == 1 ? true : i % 4 == 0;
        text_append(&file->text, i == 0 ? "" : wrap ? ",\n     " : ", ");
        put_number(file, weights[i]);
        if (named)
            text_format(&file->text, " /* x[%zu] %s */", i, names->name[i]);
    }
    text_append(&file->text, "},\n");
}

/* Sizes, class names, weights and intercepts as constant arrays. */
static void put_model(struct c_file *file)
{
    const struct model *model = file->model;
    text_format(&file->text, "enum { %s_FEATURES = %zu, %s_CLASSES = %zu, %s_VECTORS = %zu };\n\n", file->name,
                model->features, file->name, model->classes.count, file->name, model->vectors);
    put(file, "static const char *const @_names[@_CLASSES] = {\n");
    for (size_t c = 0; c < model->classes.count; c++) {
        text_append(&file->text, "    ");
        put_literal(file, model->classes.name[c]);
        text_append(&file->text, ",\n");
    }
    put(file, "};\n\nstatic const double @_weights[@_VECTORS][@_FEATURES] = {\n");
    for (size_t v = 0; v < model->vectors; v++)
        put_vector(file, model->weights + v * model->features);
    put(file, "};\n\nstatic const double @_bias[@_VECTORS] = {");
    for (size_t v = 0; v < model->vectors; v++) {
        text_append(&file->text, v == 0 ? "" : v % 4 == 0 ? ",\n    " : ", ");
        put_number(file, model->bias[v]);
    }
    text_append(&file->text, "};\n\n");
}

/* ---- Code ------------------------------------------------------------------------------------ */

/* The scores of a row: bias + weights . f(x), as in struct model. */
static const char activations_code[] = "/* The activations of a row. */\n"
                                       "static void @_activations(const double *x, double *a)\n"
                                       "{\n"
                                       "    int v, i;\n"
                                       "    for (v = 0; v < @_VECTORS; v++) {\n"
                                       "        double sum = @_bias[v];\n"
                                       "        for (i = 0; i < @_FEATURES; i++)\n"
                                       "            sum += @_weights[v][i] * @_scaled(x[i]);\n"
                                       "        a[v] = sum;\n"
                                       "    }\n"
                                       "}\n\n";

/* Two classes have one score, positive for class 1. */
static const char predict_two[] = "/* The number of the likeliest class. */\n"
                                  "int @_predict(const double *x)\n"
                                  "{\n"
                                  "    double a[@_VECTORS];\n"
                                  "    @_activations(x, a);\n"
                                  "    return a[0] > 0;\n"
                                  "}\n\n";

/* The first of several equal scores, as temper predict has it. */
static const char predict_many[] = "/* The number of the likeliest class. */\n"
                                   "int @_predict(const double *x)\n"
                                   "{\n"
                                   "    double a[@_VECTORS];\n"
                                   "    int c, best = 0;\n"
                                   "    @_activations(x, a);\n"
                                   "    for (c = 1; c < @_CLASSES; c++)\n"
                                   "        if (a[c] > a[best])\n"
                                   "            best = c;\n"
                                   "    return best;\n"
                                   "}\n\n";

/* Works for any number of classes, through @_predict. */
static const char label_code[] = "/* Its name. */\n"
                                 "const char *@_label(const double *x)\n"
                                 "{\n"
                                 "    return @_names[@_predict(x)];\n"
                                 "}\n\n";

/* t2 = 1, the softmax: log p is the score itself, up to a constant that the escort removes. */
static const char softmax_code[] = "/* log p of each class, up to a constant; b is how far it is "
                                   "below the top. */\n"
                                   "static void @_log_p(const double *b, double *y)\n"
                                   "{\n"
                                   "    int c;\n"
                                   "    for (c = 0; c < @_CLASSES; c++)\n"
                                   "        y[c] = -b[c];\n"
                                   "}\n\n";

/* Any other t2: the log-partition function has no closed form. Newton's method of docs/math.md rises monotonically to
 * the root and never passes it, so that the first step that does not rise is the last one. */
static const char tempered_code[] =
    "/* log p of a class that is x below the log-partition: log exp_t2(-x). */\n"
    "static @_real @_log_exp_t(@_real x)\n"
    "{\n"
    "    @_real z = @_s * x;\n"
    "    return z > -1 ? -log1pl(z) / @_s : -INFINITY;\n"
    "}\n\n"
    "/* log p of each class; b is how far its activation is below the top. The log-partition is\n"
    "   `l` above the top activation, where the probabilities sum to 1. */\n"
    "static void @_log_p(const double *b, double *y)\n"
    "{\n"
    "    @_real mean = 0, l, n = @_CLASSES;\n"
    "    int c, round;\n"
    "    for (c = 0; c < @_CLASSES; c++)\n"
    "        mean += b[c] / n;\n"
    "    l = expm1l(@_s * logl(n)) / @_s - mean;\n"
    "    if (!(l > 0))\n"
    "        l = 0;\n"
    "    for (round = 0; round < 200; round++) {\n"
    "        @_real sum = 0, slope = 0, step;\n"
    "        for (c = 0; c < @_CLASSES; c++) {\n"
    "            @_real p = expl(@_log_exp_t(b[c] + l));\n"
    "            sum += p;\n"
    "            if (p > 0)\n"
    "                slope += p / (1 + @_s * (b[c] + l));\n"
    "        }\n"
    "        step = expm1l(@_s * logl(sum)) / @_s * sum / slope;\n"
    "        if (!(step > 0) || l + step <= l)\n"
    "            break;\n"
    "        l += step;\n"
    "    }\n"
    "    for (c = 0; c < @_CLASSES; c++)\n"
    "        y[c] = (double)@_log_exp_t(b[c] + l);\n"
    "}\n\n";

/* The beginning of @_probabilities: b[c], how far class c is below the largest score, which keeps all exponents at or
 * below 0. */
static const char below_top_two[] = "    double a[@_VECTORS], b[@_CLASSES], y[@_CLASSES], top, "
                                    "sum = 0;\n"
                                    "    int c;\n"
                                    "    @_activations(x, a);\n"
                                    "    b[0] = a[0] > 0 ? a[0] : 0; /* activations -a/2, a/2 */\n"
                                    "    b[1] = a[0] < 0 ? -a[0] : 0;\n";

/* The same for more than two classes. */
static const char below_top_many[] = "    double a[@_VECTORS], b[@_CLASSES], y[@_CLASSES], top, "
                                     "sum = 0;\n"
                                     "    int c;\n"
                                     "    @_activations(x, a);\n"
                                     "    top = a[0];\n"
                                     "    for (c = 1; c < @_CLASSES; c++)\n"
                                     "        top = a[c] > top ? a[c] : top;\n"
                                     "    for (c = 0; c < @_CLASSES; c++)\n"
                                     "        b[c] = top - a[c];\n";

/* The rest of @_probabilities: the escort distribution, normalised relative to its largest member so that nothing
 * overflows, and mixed with the uniform one by the floor of the calibration. */
static const char escort_code[] = "    @_log_p(b, y);\n"
                                  "    top = y[0];\n"
                                  "    for (c = 1; c < @_CLASSES; c++)\n"
                                  "        top = y[c] > top ? y[c] : top;\n"
                                  "    for (c = 0; c < @_CLASSES; c++)\n"
                                  "        sum += p[c] = exp(@_order * (y[c] - top));\n"
                                  "    for (c = 0; c < @_CLASSES; c++)\n"
                                  "        p[c] = (1 - @_floor) * (p[c] / sum) + @_floor / @_CLASSES;\n";

/* Refines p by the matrix of the calibration, as matrix_refine (predict/calibration_matrix.c) does: matrix scaling of
 * the log probabilities y, mixed with p so that the predicted class stays the most probable one. */
static const char refine_code[] =
    "/* Corrects pairs of classes that are confused: y holds log probabilities, the largest of which is top. */\n"
    "static void @_refine(const double *y, double top, double *p)\n"
    "{\n"
    "    double q[@_CLASSES], sum = 0, most, share = 1;\n"
    "    int best = 0, c, j;\n"
    "    while (best + 1 < @_CLASSES && y[best] < top)\n"
    "        best++;\n"
    "    for (c = 0; c < @_CLASSES; c++)\n"
    "        q[c] = fmax(@_order * (y[c] - top), @_LEAST) + @_matrix[@_CLASSES][c];\n"
    "    for (j = 0; j < @_CLASSES; j++)\n"
    "        for (c = 0; c < @_CLASSES; c++)\n"
    "            q[c] += fmax(@_order * (y[j] - top), @_LEAST) * @_matrix[j][c];\n"
    "    most = q[0];\n"
    "    for (c = 1; c < @_CLASSES; c++)\n"
    "        most = q[c] > most ? q[c] : most;\n"
    "    for (c = 0; c < @_CLASSES; c++)\n"
    "        sum += q[c] = exp(q[c] - most);\n"
    "    for (c = 0; c < @_CLASSES; c++)\n"
    "        q[c] = (1 - @_matrix_floor) * (q[c] / sum) + @_matrix_floor / @_CLASSES;\n"
    "    for (c = 0; c < @_CLASSES; c++)\n"
    "        if (q[c] > q[best])\n"
    "            share = fmin(share, (p[best] - p[c]) / (p[best] - p[c] + q[c] - q[best]));\n"
    "    for (c = 0; c < @_CLASSES; c++)\n"
    "        p[c] += share * @_SHARE * (q[c] - p[c]);\n"
    "}\n\n";

/* The matrix of the calibration, and what refine_code needs beside it. Written with the digits that read back as the
 * same doubles, so that the exported code computes the same probabilities up to the rounding of its libm. */
static void put_matrix(struct c_file *file)
{
    const struct calibration *calibration = &file->model->calibration;
    size_t classes = file->model->classes.count;
    put_constant(file, "matrix_floor", calibration->matrix_floor);
    put_constant(file, "LEAST", CALIBRATION_LEAST_SCORE);
    put_constant(file, "SHARE", CALIBRATION_SHARE_KEPT);
    put(file, "static const double @_matrix[@_CLASSES + 1][@_CLASSES] = { /* the last line: offsets */\n");
    for (size_t j = 0; j <= classes; j++) {
        text_append(&file->text, "    {");
        for (size_t c = 0; c < classes; c++) {
            text_append(&file->text, c == 0 ? "" : c % 4 == 0 ? ",\n     " : ", ");
            put_number(file, calibration->matrix[j * classes + c]);
        }
        text_append(&file->text, "},\n");
    }
    put(file, "};\n\n");
    put(file, refine_code);
}

/* @_scaled is f of struct model: all other scalings are folded into the weights. */
static void put_scaled(struct c_file *file)
{
    /* The only scaling that is not linear. */
    bool logarithm = file->model->scale.kind == SCALE_LOG;
    put(file, logarithm ? "/* The model was trained on logarithms. */\n" : "/* As it is. */\n");
    put(file, "static double @_scaled(double x)\n{\n");
    put(file, logarithm ? "    return log1p(x);\n}\n\n" : "    return x;\n}\n\n");
}

/* Appends @_probabilities and what it needs; a comment instead where the model has none. */
static void put_probabilities(struct c_file *file)
{
    const struct model *model = file->model;
    if (!model_has_probabilities(model)) {
        put(file, "/* No @_probabilities: a model that was trained by hinge, or with t1 = 0, and was not "
                  "calibrated has none. */\n");
        return;
    }
    double s = model_t2(model) - 1;
    /* Exactly 1: the general formula divides by s. */
    bool plain = s == 0;
    put_constant(file, "order", model_escort_order(model));
    put_constant(file, "floor", model->calibration.floor);
    if (!plain) {
        put_constant(file, "s", s); /* as exact as t2 - 1 is in doubles */
        put(file, "typedef long double @_real; /* digits for classes that are nearly impossible */"
                  "\n");
    }
    put(file, "\n");
    put(file, plain ? softmax_code : tempered_code);
    if (model->calibration.matrix)
        put_matrix(file);
    put(file, "/* Calibrated probabilities of the labels as they were given, wrong ones included: "
              "p has room\n   for @_CLASSES. */\n"
              "void @_probabilities(const double *x, double *p)\n{\n");
    put(file, model->vectors == 1 ? below_top_two : below_top_many);
    put(file, escort_code);
    put(file, model->calibration.matrix ? "    @_refine(y, top, p);\n}\n" : "}\n");
}

/* The whole file. The comment at its beginning documents the functions, because the file is all that its user has. `@`
 * in the texts stands for the name of the file, which is the prefix of all identifiers: several models can be compiled
 * into one program. */
static void put_all(struct c_file *file)
{
    const struct model *model = file->model;
    put(file, "/* A model of temper ");
    text_append(&file->text, temper_version());
    put(file, ", exported: plain C99 that needs libm and nothing else.\n\n"
              "     int         @_predict(const double *x);                   number of the class\n"
              "     const char *@_label(const double *x);                     its name\n");
    if (model_has_probabilities(model))
        put(file, "     void        @_probabilities(const double *x, double *p);  of all classes\n");
    put(file, "\n   x holds the @_FEATURES features of a row, in the order of training, not scaled. "
              "*/\n");
    put(file, "#include <math.h>\n\n");
    /* Each function after those that it calls: no prototypes are needed. */
    put_model(file);
    put_scaled(file);
    put(file, activations_code);
    put(file, model->vectors == 1 ? predict_two : predict_many);
    put(file, label_code);
    put_probabilities(file);
}

/* Class names are checked before anything is written: each byte may take four in a literal. */
temper_status model_export_c(const struct model *model, const char *path, temper_error *error)
{
    struct c_file file = {.model = model};
    temper_status status = export_check(model, error);
    for (size_t c = 0; status == TEMPER_OK && c < model->classes.count; c++)
        if (strlen(model->classes.name[c]) > LONGEST_LITERAL / 4)
            status = error_set(error, TEMPER_BAD_DATA,
                               "class %zu has a name that is too long for a string of C99; give it "
                               "one of at most %d bytes",
                               c + 1, LONGEST_LITERAL / 4);
    if (status != TEMPER_OK)
        return status;
    take_name(path, file.name);
    put_all(&file);
    return export_save(&file.text, path, error);
}
