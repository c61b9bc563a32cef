/* export_onnx: a model as a graph of standard ONNX operators, without any custom ones.
 *
 * Input and outputs are floats, everything between is in doubles: large weights of scaled features may cancel, and
 * Newton's method for the log-partition function needs the digits. A graph has no loops here: the iterations of
 * Newton's method are unrolled. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/export.h"
#include "model/onnx.h"

enum {
    /* Newton's steps: 14 are the most that were ever needed for 15 digits (docs/math.md). */
    STEPS = 16,
    MAX_CONSTANTS = 16 /* different scalars of a graph; fewer are used */
};

static const double SAME = 1e-8;               /* closer to 1, a temperature is 1 to the digits of a float */
static const size_t LARGEST = (size_t)1 << 31; /* bytes of a protocol buffer */

/* The graph that is being built, and its constants: each is there once, and only if it is used. */
struct onnx_builder {
    const struct model *model;
    struct onnx_graph graph; /* encoded so far */
    struct onnx_constant {
        double value;
        struct onnx_name name;
    } constant[MAX_CONSTANTS];
    size_t constants;
    struct onnx_name axis; /* the constant 1, for sums over classes; "" until it is used */
};

/* ---- Operators ------------------------------------------------------------------------------- */

static const struct onnx_attribute none = {0};

/* The name of a scalar constant, shared by all nodes that use it. */
static struct onnx_name number(struct onnx_builder *b, double value)
{
    for (size_t i = 0; i < b->constants; i++)
        if (b->constant[i].value == value)
            return b->constant[i].name;
    assert(b->constants < MAX_CONSTANTS);
    struct onnx_name name = onnx_number(&b->graph, value);
    b->constant[b->constants++] = (struct onnx_constant){value, name};
    return name;
}

/* Each of these appends a node, and returns the name of its output. With one input: */
static struct onnx_name unary(struct onnx_builder *b, const char *operation, struct onnx_name x)
{
    return onnx_node(&b->graph, operation, (struct onnx_name[3]){x}, none, none);
}

/* With two inputs, which are broadcast to the same shape: */
static struct onnx_name binary(struct onnx_builder *b, const char *operation, struct onnx_name x, struct onnx_name y)
{
    return onnx_node(&b->graph, operation, (struct onnx_name[3]){x, y}, none, none);
}

/* A conversion to another type of elements: */
static struct onnx_name cast(struct onnx_builder *b, struct onnx_name x, enum onnx_type type)
{
    return onnx_node(&b->graph, "Cast", (struct onnx_name[3]){x}, (struct onnx_attribute){"to", type, false}, none);
}

/* The sum over the classes of a row. Since version 13 of the operators the axis of ReduceSum alone is an input, not an
 * attribute. */
static struct onnx_name sum(struct onnx_builder *b, struct onnx_name x)
{
    if (b->axis.text[0] == '\0')
        b->axis = onnx_integer(&b->graph, 1);
    return onnx_node(&b->graph, "ReduceSum", (struct onnx_name[3]){x, b->axis},
                     (struct onnx_attribute){"keepdims", 1, false}, none);
}

/* ReduceMax and the like: the axis is an attribute. */
static struct onnx_name reduce(struct onnx_builder *b, const char *operation, struct onnx_name x)
{
    return onnx_node(&b->graph, operation, (struct onnx_name[3]){x}, (struct onnx_attribute){"axes", 1, true},
                     (struct onnx_attribute){"keepdims", 1, false});
}

/* x to a constant power. */
static struct onnx_name power(struct onnx_builder *b, struct onnx_name x, double exponent)
{
    return binary(b, "Pow", x, number(b, exponent));
}

/* A constant times x. */
static struct onnx_name times(struct onnx_builder *b, struct onnx_name x, double factor)
{
    return binary(b, "Mul", x, number(b, factor));
}

/* ---- Rows to activations --------------------------------------------------------------------- */

/* The scores [N, vectors] of the rows "x": x W' + bias, by one matrix product. Scaling is folded into the weights,
 * except for logarithms. */
static struct onnx_name activations(struct onnx_builder *b)
{
    const struct model *model = b->model;
    struct onnx_name x = cast(b, (struct onnx_name){"x"}, ONNX_DOUBLE);
    if (model->scale.kind == SCALE_LOG)
        x = unary(b, "Log", binary(b, "Add", x, number(b, 1)));
    struct onnx_name weights = onnx_doubles(&b->graph, model->weights, model->vectors, model->features);
    struct onnx_name bias = onnx_doubles(&b->graph, model->bias, model->vectors, 0);
    return onnx_node(&b->graph, "Gemm", (struct onnx_name[3]){x, weights, bias},
                     (struct onnx_attribute){"transB", 1, false}, none);
}

/* b [N, classes]: how far each class is below the largest score of its row, which is 0 at least once and never
 * negative. Two classes with the score a have the scores -a/2 and a/2. */
static struct onnx_name below_top(struct onnx_builder *b)
{
    struct onnx_name a = activations(b);
    if (b->model->vectors > 1)
        return binary(b, "Sub", reduce(b, "ReduceMax", a), a);
    struct onnx_name first = binary(b, "Max", a, number(b, 0));
    struct onnx_name second = binary(b, "Max", unary(b, "Neg", a), number(b, 0));
    return onnx_node(&b->graph, "Concat", (struct onnx_name[3]){first, second},
                     (struct onnx_attribute){"axis", 1, false}, none);
}

/* ---- Activations to probabilities ------------------------------------------------------------ */

/* u = 1 + s (b + l), so that p = exp_t2(-(b + l)) = u^(-1/s). For t2 < 1, u is limited to 0 from below: classes far
 * below the top have probability 0. */
static struct onnx_name base_of(struct onnx_builder *b, struct onnx_name below, struct onnx_name l)
{
    double s = model_t2(b->model) - 1;
    struct onnx_name u = binary(b, "Add", times(b, binary(b, "Add", below, l), s), number(b, 1));
    return s < 0 ? binary(b, "Max", u, number(b, 0)) : u;
}

/* One step of Newton's method for sum_c p_c = 1: l + E(log S, s) S/T, as in docs/math.md, S the sum of p and T that of
 * p^t2. At t2 = 0 only the classes of positive u count in T. */
static struct onnx_name step(struct onnx_builder *b, struct onnx_name below, struct onnx_name l)
{
    double t2 = model_t2(b->model), s = t2 - 1;
    struct onnx_name u = base_of(b, below, l);
    struct onnx_name total = sum(b, power(b, u, -1 / s));
    struct onnx_name slope = sum(b, t2 == 0 ? unary(b, "Sign", u) : power(b, u, -t2 / s));
    struct onnx_name change = times(b, binary(b, "Sub", power(b, total, s), number(b, 1)), 1 / s);
    return binary(b, "Add", l, binary(b, "Mul", change, binary(b, "Div", total, slope)));
}

/* Probabilities for t2 other than 1: l, how far the log-partition function is above the largest score, by STEPS steps
 * from a lower bound; then the escort distribution u^(-order/s), normalised. u is relative to that of the most probable
 * class, whose power is then 1: otherwise a large order could make all of them 0. */
static struct onnx_name tempered(struct onnx_builder *b, struct onnx_name below)
{
    double s = model_t2(b->model) - 1, classes = (double)b->model->classes.count;
    struct onnx_name start = number(b, expm1(s * log(classes)) / s);
    struct onnx_name l = binary(b, "Max", binary(b, "Sub", start, reduce(b, "ReduceMean", below)), number(b, 0));
    for (int i = 0; i < STEPS; i++)
        l = step(b, below, l);
    struct onnx_name u = base_of(b, below, l), top = reduce(b, s > 0 ? "ReduceMin" : "ReduceMax", u);
    struct onnx_name weight = power(b, binary(b, "Div", u, top), -model_escort_order(b->model) / s);
    return binary(b, "Div", weight, sum(b, weight));
}

/* Probabilities for t2 = 1: the escort distribution of order t of softmax(a) is softmax(t a). */
static struct onnx_name softmax(struct onnx_builder *b, struct onnx_name below)
{
    return onnx_node(&b->graph, "Softmax", (struct onnx_name[3]){times(b, below, -model_escort_order(b->model))},
                     (struct onnx_attribute){"axis", 1, false}, none);
}

/* A distribution mixed with the uniform one. */
static struct onnx_name with_floor(struct onnx_builder *b, struct onnx_name q, double floor)
{
    if (floor == 0)
        return q;
    return binary(b, "Add", times(b, q, 1 - floor), number(b, floor / (double)b->model->classes.count));
}

/* One row of 1 at the predicted class and 0 elsewhere. */
static struct onnx_name predicted_mask(struct onnx_builder *b, struct onnx_name below)
{
    double place[CALIBRATION_MATRIX_CLASSES];
    for (size_t c = 0; c < b->model->classes.count; c++)
        place[c] = (double)c;
    struct onnx_name best =
        onnx_node(&b->graph, "ArgMax", (struct onnx_name[3]){unary(b, "Neg", below)},
                  (struct onnx_attribute){"axis", 1, false}, (struct onnx_attribute){"keepdims", 1, false});
    struct onnx_name places = onnx_doubles(&b->graph, place, b->model->classes.count, 0);
    return cast(b, binary(b, "Equal", places, cast(b, best, ONNX_DOUBLE)), ONNX_DOUBLE);
}

/* Refines p = with_floor(escort) by the matrix of the calibration, as matrix_refine (predict/calibration_matrix.c)
 * does. u is the logarithm of the escort distribution relative to its largest member. */
static struct onnx_name refined(struct onnx_builder *b, struct onnx_name below, struct onnx_name escort,
                                struct onnx_name p)
{
    const struct calibration *calibration = &b->model->calibration;
    size_t classes = b->model->classes.count;
    struct onnx_name ratio = binary(b, "Div", escort, reduce(b, "ReduceMax", escort));
    struct onnx_name u = unary(b, "Log", binary(b, "Max", ratio, number(b, exp(CALIBRATION_LEAST_SCORE))));
    struct onnx_name matrix = onnx_doubles(&b->graph, calibration->matrix, classes, classes);
    struct onnx_name offset = onnx_doubles(&b->graph, calibration->matrix + classes * classes, classes, 0);
    struct onnx_name moved = onnx_node(&b->graph, "Gemm", (struct onnx_name[3]){u, matrix, offset}, none, none);
    struct onnx_name q = onnx_node(&b->graph, "Softmax", (struct onnx_name[3]){binary(b, "Add", u, moved)},
                                   (struct onnx_attribute){"axis", 1, false}, none);
    q = with_floor(b, q, calibration->matrix_floor);
    /* The share is lead / (lead + rise), the smallest over the classes; 1 where nothing rises, also if both are 0. */
    const double tiny = 1e-300;
    struct onnx_name mask = predicted_mask(b, below);
    struct onnx_name lead = binary(b, "Sub", sum(b, binary(b, "Mul", mask, p)), p);
    struct onnx_name rise = binary(b, "Max", binary(b, "Sub", q, sum(b, binary(b, "Mul", mask, q))), number(b, 0));
    lead = binary(b, "Max", lead, number(b, tiny));
    struct onnx_name share = reduce(b, "ReduceMin", binary(b, "Div", lead, binary(b, "Add", lead, rise)));
    share = times(b, share, CALIBRATION_SHARE_KEPT);
    return binary(b, "Add", p, binary(b, "Mul", share, binary(b, "Sub", q, p)));
}

/* ---- The graph ------------------------------------------------------------------------------- */

/* The whole graph: labels always, probabilities where the loss has them. All of it is computed from the distances to
 * the largest score, so that no exponential overflows. Inputs and probabilities are floats, as runtimes expect them;
 * the nodes between them compute in doubles. */
static void build(struct onnx_builder *b)
{
    const struct model *model = b->model;
    struct onnx_name below = below_top(b);
    /* The class of the largest score; the first one of equal ones. */
    struct onnx_name best =
        onnx_node(&b->graph, "ArgMax", (struct onnx_name[3]){unary(b, "Neg", below)},
                  (struct onnx_attribute){"axis", 1, false}, (struct onnx_attribute){"keepdims", 0, false});
    struct onnx_name names = onnx_texts(&b->graph, model->classes.name, model->classes.count);
    onnx_rename(&b->graph, binary(b, "Gather", names, best), "label");
    onnx_declare(&b->graph.inputs, true, "x", ONNX_FLOAT, model->features);
    onnx_declare(&b->graph.outputs, false, "label", ONNX_STRING, 0);
    if (!model_has_probabilities(model))
        return;
    bool plain = fabs(model_t2(model) - 1) < SAME;
    struct onnx_name p = plain ? softmax(b, below) : tempered(b, below);
    struct onnx_name mixed = with_floor(b, p, model->calibration.floor);
    p = model->calibration.matrix ? refined(b, below, p, mixed) : mixed;
    onnx_rename(&b->graph, cast(b, p, ONNX_FLOAT), "probabilities");
    onnx_declare(&b->graph.outputs, false, "probabilities", ONNX_FLOAT, model->classes.count);
}

/* Refuses models that the format cannot hold: names must be UTF-8, and a protocol buffer must be smaller than 2 GiB.
 * Half of that for the weights leaves the rest for names and nodes. */
static temper_status check(const struct model *model, temper_error *error)
{
    size_t bytes;
    if (!mul_size(model->vectors * sizeof *model->weights, model->features, &bytes) || bytes > LARGEST / 2)
        return error_set(error, TEMPER_BAD_DATA,
                         "too many weights for an ONNX file, which must be smaller than 2 GB; "
                         "export to C");
    for (size_t c = 0; c < model->classes.count; c++) {
        const char *p = model->classes.name[c], *to = p + strlen(p);
        while (p < to && utf8_length(p, to) > 0)
            p += utf8_length(p, to);
        if (p < to)
            return error_set(error, TEMPER_BAD_DATA,
                             "the name of class %zu is not UTF-8, which ONNX needs; rename it in "
                             "the data and train again, or export to C",
                             c + 1);
    }
    return export_check(model, error);
}

/* The file is encoded in memory, then written atomically. */
temper_status model_export_onnx(const struct model *model, const char *path, temper_error *error)
{
    struct onnx_builder builder = {.model = model};
    struct text file = {0};
    temper_status status = check(model, error);
    if (status != TEMPER_OK)
        return status;
    build(&builder);
    onnx_finish(&builder.graph, temper_version(), &file);
    return export_save(&file, path, error);
}
