/* onnx: writes ONNX graphs: an encoder of protocol buffers, in which a field is a number, a wire type, and bytes. The
 * field numbers are those of onnx.proto; no library is needed for the few messages of a linear model. */
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

/* Field numbers of onnx.proto. */
enum {
    MODEL_IR = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPERATORS = 8,
    OPERATORS_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_CONSTANT = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_OPERATION = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_NUMBER = 3,
    ATTRIBUTE_NUMBERS = 8,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIMENSION = 1,
    TENSOR_TYPE = 2,
    TENSOR_TEXT = 6,
    TENSOR_NAME = 8,
    TENSOR_BYTES = 9,
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TYPE_ELEMENT = 1,
    TYPE_SHAPE = 2,
    SHAPE_DIMENSION = 1,
    DIMENSION_VALUE = 1,
    DIMENSION_NAME = 2,
    KIND_OF_NUMBER = 2, /* AttributeProto.INT and INTS */
    KIND_OF_NUMBERS = 7
};

/* ---- Fields ---------------------------------------------------------------------------------- */

/* Seven bits a byte, the lowest first. */
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

/* A message within a message, which is freed. */
static void put_message(struct text *text, unsigned field, struct text *message)
{
    put_bytes(text, field, message->bytes ? message->bytes : "", message->length);
    text->failed |= message->failed;
    text_free(message);
}

static struct onnx_name new_name(struct onnx_graph *graph)
{
    struct onnx_name name;
    snprintf(name.text, sizeof name.text, "t%u", graph->names++);
    return name;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* An integer, or a list of one integer, by name. */
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

/* Returns the name of its output. */
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

/* The dimensions and the type are there; the bytes or texts follow. */
static struct onnx_name finish_constant(struct onnx_graph *graph, struct text *tensor)
{
    struct onnx_name name = new_name(graph);
    put_text(tensor, TENSOR_NAME, name.text);
    put_message(&graph->constants, GRAPH_CONSTANT, tensor);
    return name;
}

/* A constant tensor of doubles in the byte order of the format. */
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

struct onnx_name onnx_number(struct onnx_graph *graph, double value)
{
    return onnx_doubles(graph, &value, 1, 0);
}

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

/* An input or output of the graph: name, type and shape. */
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

/* Fields of one message, one behind the other, are that message. */
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
