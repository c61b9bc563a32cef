/* onnx: writes ONNX graphs by an encoder of protocol buffers, in which a message is a sequence of fields, and a field a
 * number, a wire type, and bytes. The field numbers are those of onnx.proto; a linear model needs so few messages that
 * no library is worth its dependency.
 *
 * Messages within messages are made innermost first, since their length precedes them. Nodes, constants, inputs and
 * outputs are collected in separate texts while the graph is built, and joined at the end. */
#include "model/onnx.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    IR_VERSION = 7, /* of the file format, and of the operators: all runtimes since 2020 read them */
    OPERATORS = 13,
    KIND_NUMBER = 0, /* wire types: varint, */
    KIND_BYTES = 2   /* and length-delimited */
};

/* Field numbers and enumeration values of onnx.proto, with their names there. */
enum {
    MODEL_IR = 1,               /* ModelProto.ir_version */
    MODEL_PRODUCER = 2,         /* .producer_name */
    MODEL_PRODUCER_VERSION = 3, /* .producer_version */
    MODEL_GRAPH = 7,            /* .graph */
    MODEL_OPERATORS = 8,        /* .opset_import */
    OPERATORS_VERSION = 2,      /* OperatorSetIdProto.version */
    GRAPH_NODE = 1,             /* GraphProto.node */
    GRAPH_NAME = 2,             /* .name */
    GRAPH_CONSTANT = 5,         /* .initializer */
    GRAPH_INPUT = 11,           /* .input */
    GRAPH_OUTPUT = 12,          /* .output */
    NODE_INPUT = 1,             /* NodeProto.input */
    NODE_OUTPUT = 2,            /* .output */
    NODE_OPERATION = 4,         /* .op_type */
    NODE_ATTRIBUTE = 5,         /* .attribute */
    ATTRIBUTE_NAME = 1,         /* AttributeProto.name */
    ATTRIBUTE_NUMBER = 3,       /* .i */
    ATTRIBUTE_NUMBERS = 8,      /* .ints */
    ATTRIBUTE_TYPE = 20,        /* .type */
    TENSOR_DIMENSION = 1,       /* TensorProto.dims */
    TENSOR_TYPE = 2,            /* .data_type */
    TENSOR_TEXT = 6,            /* .string_data */
    TENSOR_NAME = 8,            /* .name */
    TENSOR_BYTES = 9,           /* .raw_data */
    VALUE_NAME = 1,             /* ValueInfoProto.name */
    VALUE_TYPE = 2,             /* .type */
    TYPE_TENSOR = 1,            /* TypeProto.tensor_type */
    TYPE_ELEMENT = 1,           /* TypeProto.Tensor.elem_type */
    TYPE_SHAPE = 2,             /* .shape */
    SHAPE_DIMENSION = 1,        /* TensorShapeProto.dim */
    DIMENSION_VALUE = 1,        /* Dimension.dim_value */
    DIMENSION_NAME = 2,         /* .dim_param */
    KIND_OF_NUMBER = 2,         /* AttributeProto.AttributeType: INT */
    KIND_OF_NUMBERS = 7         /* INTS */
};

/* ---- Fields ---------------------------------------------------------------------------------- */

/* The varint encoding: seven bits in a byte, the lowest first; the highest bit marks all bytes but the last. */
static void put_varint(struct text *text, uint64_t value)
{
    char bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (char)(0x80 | (value & 0x7f));
    bytes[n++] = (char)value;
    text_append_bytes(text, bytes, n);
}

/* A field that holds an integer. */
static void put_number(struct text *text, unsigned field, long long value)
{
    put_varint(text, field << 3 | KIND_NUMBER);
    put_varint(text, (uint64_t)value);
}

/* A field that holds bytes, or a nested message. */
static void put_bytes(struct text *text, unsigned field, const char *bytes, size_t length)
{
    put_varint(text, field << 3 | KIND_BYTES);
    put_varint(text, length);
    text_append_bytes(text, bytes, length);
}

/* A field that holds a string. */
static void put_text(struct text *text, unsigned field, const char *string)
{
    put_bytes(text, field, string, strlen(string));
}

/* A field that holds another message, which is freed; a failure of the inner message becomes one of the outer. */
static void put_message(struct text *text, unsigned field, struct text *message)
{
    put_bytes(text, field, message->bytes ? message->bytes : "", message->length);
    text->failed |= message->failed;
    text_free(message);
}

/* A name that no other tensor of the graph has. */
static struct onnx_name new_name(struct onnx_graph *graph)
{
    struct onnx_name name;
    snprintf(name.text, sizeof name.text, "t%u", graph->names++);
    return name;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* An attribute of a node: an integer, or a list of one integer. Nothing for an attribute without a name. */
static void put_attribute(struct text *node, struct onnx_attribute attribute)
{
    struct text message = {0};
    if (!attribute.name)
        return;
    put_text(&message, ATTRIBUTE_NAME, attribute.name);
    put_number(&message, attribute.list ? ATTRIBUTE_NUMBERS : ATTRIBUTE_NUMBER, attribute.value);
    put_number(&message, ATTRIBUTE_TYPE, attribute.list ? KIND_OF_NUMBERS : KIND_OF_NUMBER);
    put_message(node, NODE_ATTRIBUTE, &message);
}

/* Appends a node, in the order in which the runtime executes them; returns the name of its output. Names of outputs are
 * numbers that count up, so that no two nodes share one. */
struct onnx_name onnx_node(struct onnx_graph *graph, const char *operation, const struct onnx_name input[3],
                           struct onnx_attribute first, struct onnx_attribute second)
{
    struct text node = {0};
    struct onnx_name output = new_name(graph);
    for (size_t i = 0; i < 3 && input[i].text[0]; i++)
        put_text(&node, NODE_INPUT, input[i].text);
    put_text(&node, NODE_OUTPUT, output.text);
    put_text(&node, NODE_OPERATION, operation);
    put_attribute(&node, first);
    put_attribute(&node, second);
    put_message(&graph->nodes, GRAPH_NODE, &node);
    return output;
}

/* An Identity node: outputs of a graph have fixed names, those of other nodes are numbered. */
void onnx_rename(struct onnx_graph *graph, struct onnx_name from, const char *to)
{
    struct text node = {0};
    put_text(&node, NODE_INPUT, from.text);
    put_text(&node, NODE_OUTPUT, to);
    put_text(&node, NODE_OPERATION, "Identity");
    put_message(&graph->nodes, GRAPH_NODE, &node);
}

/* ---- Constants ------------------------------------------------------------------------------- */

/* Little-endian on every machine. */
static void put_word(struct text *bytes, uint64_t word)
{
    char little[8];
    for (int i = 0; i < 8; i++)
        little[i] = (char)(word >> (8 * i) & 0xff);
    text_append_bytes(bytes, little, sizeof little);
}

/* Completes a constant whose dimensions, type and data are encoded: gives it a name, by which nodes refer to it. */
static struct onnx_name finish_constant(struct onnx_graph *graph, struct text *tensor)
{
    struct onnx_name name = new_name(graph);
    put_text(tensor, TENSOR_NAME, name.text);
    put_message(&graph->constants, GRAPH_CONSTANT, tensor);
    return name;
}

/* A constant tensor of doubles in the byte order of the format. A tensor's raw_data is little-endian on every machine;
 * put_word writes a number byte by byte. */
struct onnx_name onnx_doubles(struct onnx_graph *graph, const double *values, size_t rows, size_t columns)
{
    struct text tensor = {0}, bytes = {0};
    size_t count = columns ? rows * columns : rows;
    put_number(&tensor, TENSOR_DIMENSION, (long long)rows);
    if (columns)
        put_number(&tensor, TENSOR_DIMENSION, (long long)columns);
    put_number(&tensor, TENSOR_TYPE, ONNX_DOUBLE);
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof word);
        put_word(&bytes, word);
    }
    put_message(&tensor, TENSOR_BYTES, &bytes);
    return finish_constant(graph, &tensor);
}

/* A list of one number, which is broadcast to any shape. */
struct onnx_name onnx_number(struct onnx_graph *graph, double value)
{
    return onnx_doubles(graph, &value, 1, 0);
}

/* A list of one integer, as axes are given. */
struct onnx_name onnx_integer(struct onnx_graph *graph, long long value)
{
    struct text tensor = {0}, bytes = {0};
    put_number(&tensor, TENSOR_DIMENSION, 1);
    put_number(&tensor, TENSOR_TYPE, ONNX_INT64);
    put_word(&bytes, (uint64_t)value);
    put_message(&tensor, TENSOR_BYTES, &bytes);
    return finish_constant(graph, &tensor);
}

/* A constant tensor of strings: the class names. */
struct onnx_name onnx_texts(struct onnx_graph *graph, char *const *texts, size_t count)
{
    struct text tensor = {0};
    put_number(&tensor, TENSOR_DIMENSION, (long long)count);
    put_number(&tensor, TENSOR_TYPE, ONNX_STRING);
    for (size_t i = 0; i < count; i++)
        put_text(&tensor, TENSOR_TEXT, texts[i]);
    return finish_constant(graph, &tensor);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Declares an input or output of the graph: name, type, and the shape [N] or [N, columns], N being free. */
void onnx_declare(struct text *list, bool input, const char *name, enum onnx_type type, size_t columns)
{
    struct text value = {0}, kind = {0}, tensor = {0}, shape = {0}, rows = {0}, width = {0};
    put_text(&rows, DIMENSION_NAME, "N");
    put_message(&shape, SHAPE_DIMENSION, &rows);
    if (columns) {
        put_number(&width, DIMENSION_VALUE, (long long)columns);
        put_message(&shape, SHAPE_DIMENSION, &width);
    }
    put_number(&tensor, TYPE_ELEMENT, type);
    put_message(&tensor, TYPE_SHAPE, &shape);
    put_message(&kind, TYPE_TENSOR, &tensor);
    put_text(&value, VALUE_NAME, name);
    put_message(&value, VALUE_TYPE, &kind);
    put_message(list, input ? GRAPH_INPUT : GRAPH_OUTPUT, &value);
}

/* Appends encoded fields to a message: one behind the other they are the fields of that message. */
static void append(struct text *text, struct text *part)
{
    text_append_bytes(text, part->bytes ? part->bytes : "", part->length);
    text->failed |= part->failed;
    text_free(part);
}

/* The whole model: versions, producer, and the graph. */
void onnx_finish(struct onnx_graph *graph, const char *version, struct text *file)
{
    struct text whole = {0}, operators = {0};
    append(&whole, &graph->nodes);
    put_text(&whole, GRAPH_NAME, "temper");
    append(&whole, &graph->constants);
    append(&whole, &graph->inputs);
    append(&whole, &graph->outputs);
    put_number(file, MODEL_IR, IR_VERSION);
    put_text(file, MODEL_PRODUCER, "temper");
    put_text(file, MODEL_PRODUCER_VERSION, version);
    put_message(file, MODEL_GRAPH, &whole);
    put_number(&operators, OPERATORS_VERSION, OPERATORS);
    put_message(file, MODEL_OPERATORS, &operators);
}
