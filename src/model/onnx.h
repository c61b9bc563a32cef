/* onnx: the few messages of ONNX's protocol buffers that a small graph needs, written by hand.
 *
 * The numbers of the fields are those of onnx.proto; they never change. */
#ifndef MODEL_ONNX_H
#define MODEL_ONNX_H

#include "base/text.h"

enum onnx_type { ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_STRING = 8, ONNX_DOUBLE = 11 };

/* The parts of a graph, which all grow while nodes are added; start from {0}. */
struct onnx_graph {
    struct text nodes, constants, inputs, outputs; /* encoded, as fields of GraphProto */
    unsigned names;                                /* given so far */
};

struct onnx_name {
    char text[16]; /* "t12"; "" for none */
};

/* An attribute that is a whole number or, with a type in front, a list of one such number. */
struct onnx_attribute {
    const char *name; /* NULL: none */
    long long value;
    bool list;
};

/* Adds a node with up to three inputs ("" for none) and one output, whose name it gives. */
struct onnx_name onnx_node(struct onnx_graph *graph, const char *operation, const struct onnx_name input[3],
                           struct onnx_attribute first, struct onnx_attribute second);
/* Names the output of the last step. */
void onnx_rename(struct onnx_graph *graph, struct onnx_name from, const char *to);

/* Constants: a double, whole numbers, a matrix row by row (columns 0: a list), texts. */
struct onnx_name onnx_number(struct onnx_graph *graph, double value);
struct onnx_name onnx_integer(struct onnx_graph *graph, long long value);
struct onnx_name onnx_doubles(struct onnx_graph *graph, const double *values, size_t rows, size_t columns);
struct onnx_name onnx_texts(struct onnx_graph *graph, char *const *texts, size_t count);

/* A tensor of N rows; columns 0: a list of N. */
void onnx_declare(struct text *list, bool input, const char *name, enum onnx_type type, size_t columns);
/* The whole file; frees the graph. `file` has failed without memory. */
void onnx_finish(struct onnx_graph *graph, const char *version, struct text *file);

#endif
