/* review: the rows of a page as JSON. Names of members are short, since there are thousands of rows; review.js explains
 * them by their use:
 *
 *     items    r row (from 1), l line, g given, s suggested class, p score, c conflict, v values, w [column, part] of
 *              the evidence, b the rest of it, i picture, e picture of the evidence, k labels of all nearest rows, n
 * the first of these rows: r, l, g, v values of the columns of w, t text, i picture columns  names, by column; wide:
 * the values of a row are pairs [column, value], and names those that occur */
#include "audit/review/review.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "audit/review/review_rows.h"
#include "base/memory.h"
#include "base/path.h"
#include "report/review/review_page.h"

enum { NEAR_COLUMNS = 6, NAME_LIMIT = 200 };

/* All that the items are written from. */
struct review {
    const struct review_request *request;
    struct review_columns columns;
    struct review_evidence *evidence; /* [items] */
    double *mean;                     /* of features; NULL: sparse, or nothing is explained */
    struct review_rows rows;
    bool pictures; /* rows are pictures: their features are not listed */
    bool *named;   /* [columns] of wide data: the name is needed */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The place of a row: its number in the file, or in the data as tune --trusted counts it, and its line where the file
 * has lines. */
static void append_place(struct text *out, const struct review_request *request, size_t row)
{
    const struct dataset *data = request->data;
    bool in_file = data->origin && strcmp(request->mode, "ask") != 0;
    size_t number = (in_file ? data->origin[row] : row) + 1;
    text_format(out, "\"r\":%zu", number);
    if (data->line)
        text_format(out, ",\"l\":%" PRIu64, data->line[row]);
}

/* Appends ,"name":text[span]. */
static void append_span(struct text *out, const char *name, const struct text *from, struct review_span span)
{
    if (span.length == 0 || from->failed)
        return;
    text_format(out, ",\"%s\":", name);
    text_append_bytes(out, from->bytes + span.from, span.length);
}

/* The values of an item from the features: all of them, or those that matter. */
static void append_values(struct text *out, struct review *review, size_t item)
{
    const struct review_evidence *evidence = &review->evidence[item];
    size_t row = review->request->items[item].row;
    size_t count = review->rows.wide ? evidence->count : review->columns.count;
    text_append(out, ",\"v\":[");
    for (size_t i = 0; i < count; i++) {
        size_t column = review->rows.wide ? evidence->part[i].column : i;
        text_append(out, i ? "," : "");
        if (review->rows.wide)
            text_format(out, "[%zu,", column);
        review_append_value(out, &review->columns, column, row);
        text_append(out, review->rows.wide ? "]" : "");
    }
    text_append(out, "]");
}

/* The columns that speak for and against. */
static void append_evidence(struct text *out, struct review *review, size_t item)
{
    const struct review_evidence *evidence = &review->evidence[item];
    text_append(out, ",\"w\":[");
    for (size_t i = 0; i < evidence->count; i++) {
        text_format(out, "%s[%u,", i ? "," : "", (unsigned)evidence->part[i].column);
        review_append_rounded(out, (double)evidence->part[i].part, 3);
        text_append(out, "]");
        if (review->named)
            review->named[evidence->part[i].column] = true;
    }
    text_append(out, "],\"b\":");
    review_append_rounded(out, evidence->rest, 3);
}

/* One of the nearest rows of an item: a picture, a text, or the values of the first columns of the evidence. */
static void append_near(struct text *out, const struct review *review, size_t item, size_t row)
{
    const struct review_evidence *evidence = &review->evidence[item];
    const struct review_rows *rows = &review->rows;
    size_t index = review_rows_find(rows, row);
    text_append(out, "{");
    append_place(out, review->request, row);
    text_format(out, ",\"g\":%u", (unsigned)review->request->data->label[row]);
    append_span(out, "t", &rows->cells, rows->words[index]);
    if (rows->picture[index] != REVIEW_NONE)
        text_format(out, ",\"i\":%u", (unsigned)rows->picture[index]);
    if (!review->pictures && rows->text_column == SIZE_MAX && review->request->model) {
        text_append(out, ",\"v\":[");
        for (size_t i = 0; i < evidence->count && i < NEAR_COLUMNS; i++) {
            text_append(out, i ? "," : "");
            review_append_value(out, &review->columns, evidence->part[i].column, row);
        }
        text_append(out, "]");
    }
    text_append(out, "}");
}

/* The labels of all nearest rows, and the first of these rows. */
static void append_neighbours(struct text *out, const struct review *review, size_t item)
{
    const struct review_request *request = review->request;
    const uint32_t *near = request->neighbours + request->items[item].row * request->neighbour_count;
    text_append(out, ",\"k\":[");
    for (size_t i = 0; i < request->neighbour_count; i++)
        text_format(out, "%s%u", i ? "," : "", (unsigned)request->data->label[near[i]]);
    text_append(out, "],\"n\":[");
    for (size_t i = 0; i < review_near_count(request); i++) {
        text_append(out, i ? "," : "");
        append_near(out, review, item, near[i]);
    }
    text_append(out, "]");
}

/* One row with all that the card shows. */
static void append_item(struct text *out, struct review *review, size_t item)
{
    const struct review_request *request = review->request;
    const temper_audit_suspect *suspect = &request->items[item];
    uint32_t picture = review->rows.picture[review_rows_find(&review->rows, suspect->row)];
    text_append(out, "{");
    append_place(out, request, suspect->row);
    text_format(out, ",\"g\":%u,\"s\":%u", (unsigned)suspect->given, (unsigned)suspect->suggested);
    if (!isnan(suspect->score)) {
        text_append(out, ",\"p\":");
        review_append_rounded(out, suspect->score, 5);
    }
    text_append(out, suspect->conflict ? ",\"c\":1" : "");
    if (picture != REVIEW_NONE)
        text_format(out, ",\"i\":%u", (unsigned)picture);
    if (review->rows.drawn[item] != REVIEW_NONE)
        text_format(out, ",\"e\":%u", (unsigned)review->rows.drawn[item]);
    append_span(out, "v", &review->rows.cells, review->rows.cell[item]);
    if (!review->pictures && !review->columns.raw)
        append_values(out, review, item);
    if (!review->pictures && request->model)
        append_evidence(out, review, item);
    if (request->neighbours)
        append_neighbours(out, review, item);
    text_append(out, "}");
}

/* ---- What the rows share --------------------------------------------------------------------- */

/* Appends ,"name":"text". */
static void append_member(struct text *out, const char *name, const char *text)
{
    text_format(out, ",\"%s\":", name);
    review_string(out, text, strlen(text), SIZE_MAX);
}

/* Of wide data: the names of columns that are not features are needed too; there are few of them. */
static bool needs_name(const struct review *review, size_t column)
{
    return !review->named || review->named[column] ||
           (review->columns.raw && !review_is_feature(&review->columns, column));
}

/* Names by column: all, or an object of those that occur. */
static void append_columns(struct text *out, const struct review *review)
{
    bool first = true;
    text_append(out, review->named ? ",\"columns\":{" : ",\"columns\":[");
    for (size_t i = 0; !review->pictures && i < review->columns.count; i++) {
        if (!needs_name(review, i))
            continue;
        text_append(out, first ? "" : ",");
        first = false;
        if (review->named)
            text_format(out, "\"%zu\":", i);
        review_append_name(out, &review->columns, i);
    }
    text_append(out, review->named ? "}" : "]");
}

/* The mean of numeric columns, by column; for logarithms that of the logarithms. */
static void append_means(struct text *out, const struct review *review)
{
    const struct review_columns *columns = &review->columns;
    bool first = true, logs = review->request->model && review->request->model->scale.kind == SCALE_LOG;
    text_append(out, ",\"usual\":{");
    for (size_t i = 0; review->mean && !review->pictures && i < columns->count; i++) {
        const struct review_column *column = columns->column ? &columns->column[i] : NULL;
        if (!needs_name(review, i) || (column && (!column->schema || column->schema->texts.count)))
            continue;
        double mean = review->mean[column ? column->first : i];
        text_format(out, "%s\"%zu\":", first ? "" : ",", i);
        review_append_rounded(out, logs ? expm1(mean) : mean, 4);
        first = false;
    }
    text_append(out, "}");
}

/* The names of the classes, and whether a row may get a class that no row has: in a copy of a text it may. */
static void append_classes(struct text *out, const struct review_request *request)
{
    const struct dataset *data = request->data;
    bool text = data->file.separator && !data->file.separate_labels && data->line;
    text_append(out, ",\"classes\":[");
    for (size_t i = 0; i < data->classes.count; i++) {
        text_append(out, i ? "," : "");
        review_string(out, data->classes.name[i], strlen(data->classes.name[i]), SIZE_MAX);
    }
    text_format(out, "],\"fresh\":%s", text && strcmp(request->mode, "ask") != 0 ? "true" : "false");
}

/* The hash of the data's labels and of the list: decisions that a browser keeps belong to both. */
static void name_review(const struct review_request *request, char id[17])
{
    const struct dataset *data = request->data;
    uint64_t sizes[] = {data->x.rows, data->x.columns, data->x.nonzeros, request->count};
    XXH64_hash_t hash = XXH3_64bits_withSeed(sizes, sizeof sizes, 0);
    hash = XXH3_64bits_withSeed(data->label, (size_t)data->x.rows * sizeof *data->label, hash);
    for (size_t i = 0; i < data->classes.count; i++)
        hash = XXH3_64bits_withSeed(data->classes.name[i], strlen(data->classes.name[i]), hash);
    for (size_t i = 0; i < request->count; i++) {
        uint64_t item[] = {request->items[i].row, request->items[i].suggested};
        hash = XXH3_64bits_withSeed(item, sizeof item, hash);
    }
    snprintf(id, 17, "%016" PRIx64, (uint64_t)hash);
}

/* The sentence about the source of the evidence. */
static void append_fit(struct text *out, const struct review_request *request)
{
    struct text words = {0};
    if (request->model) {
        temper_loss_spec loss = request->model->loss;
        text_append(&words, "Parts of the difference of two activations, by one model fitted to all rows (t1 = ");
        text_append_number(&words, loss.t1, 3);
        text_append(&words, ", t2 = ");
        text_append_number(&words, loss.t2, 3);
        text_append(&words, request->data->x.kind == MATRIX_CSR ? "), compared with a row without features."
                                                                : "), compared with a row of mean features.");
        text_append(&words, request->score_source ? request->score_source : "");
    }
    append_member(out, "fit", words.bytes ? words.bytes : "");
    out->failed |= words.failed;
    text_free(&words);
}

/* ---- The section ----------------------------------------------------------------------------- */

/* The object of all data. Items are written before the names of columns, which depend on them. */
static void append_json(struct text *out, struct review *review, const char *id)
{
    const struct review_request *request = review->request;
    const char *path = request->data->file.path ? request->data->file.path : "the data";
    const char *slash = path_last_separator(path);
    text_format(out, "{\"id\":\"%s\"", id);
    append_member(out, "mode", request->mode);
    append_member(out, "file", slash ? slash + 1 : path);
    append_member(out, "output", request->output);
    append_member(out, "intro", request->intro);
    append_fit(out, request);
    append_classes(out, request);
    text_format(out, ",\"wide\":%s,\"width\":%zu", review->rows.wide ? "true" : "false", review->columns.count);
    if (review->rows.text_column != SIZE_MAX)
        text_format(out, ",\"text\":%zu", review->rows.text_column);
    text_append(out, ",\n\"items\":[");
    for (size_t i = 0; i < request->count; i++) {
        text_append(out, i ? ",\n" : "\n");
        append_item(out, review, i);
    }
    text_append(out, "]");
    append_columns(out, review);
    append_means(out, review);
    text_append(out, ",\n\"pictures\":[");
    text_append_bytes(out, review->rows.pictures.bytes ? review->rows.pictures.bytes : "",
                      review->rows.pictures.length);
    text_append(out, "]}");
    out->failed |= review->rows.pictures.failed || review->rows.cells.failed;
}

/* Fills *review, which the caller frees whatever the status. */
static temper_status gather(const struct review_request *request, struct review *review)
{
    uint32_t shape[3];
    TRY(review_columns_open(request->data, &review->columns, request->error));
    review->pictures = review_picture_shape(request->data, shape);
    review->evidence = mem_zeroed(request->count, sizeof *review->evidence);
    if (!review->evidence)
        return error_no_memory(request->error);
    TRY(review_find_evidence(request, &review->columns, review->evidence, &review->mean));
    TRY(review_rows_open(request, &review->columns, review->evidence, review->mean, &review->rows));
    if (review->rows.wide) {
        review->named = mem_zeroed(review->columns.count, sizeof *review->named);
        if (!review->named)
            return error_no_memory(request->error);
    }
    return TEMPER_OK;
}

temper_status review_write(const struct review_request *request, struct text *out)
{
    struct review review = {.request = request};
    struct text json = {0};
    char id[17];
    temper_status status = gather(request, &review);
    if (status == TEMPER_OK) {
        name_review(request, id);
        append_json(&json, &review, id);
        review_section(out, id, &json);
    }
    text_free(&json);
    review_columns_free(&review.columns);
    review_rows_free(&review.rows);
    mem_free(review.evidence);
    mem_free(review.mean);
    mem_free(review.named);
    return status;
}
