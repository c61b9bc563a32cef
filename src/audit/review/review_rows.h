/* review_rows: what a page shows of rows besides the evidence: cells of the file, texts and pictures. */
#ifndef AUDIT_REVIEW_ROWS_H
#define AUDIT_REVIEW_ROWS_H

#include "audit/review/review_evidence.h"

#define REVIEW_NONE UINT32_MAX

/* A piece of a text. */
struct review_span {
    size_t from, length; /* length 0: none */
};

struct review_rows {
    bool wide;                /* the page has some columns of each row only */
    struct text cells;        /* JSON fragments */
    struct review_span *cell; /* [items]: the array of the row's cells */
    size_t text_column;       /* that has the texts of the rows; SIZE_MAX: none */
    /* Items and their nearest rows, ascending, each once: */
    size_t *row;
    size_t count;
    struct review_span *words; /* [count]: the text of the row, in `cells` */
    uint32_t *picture;         /* [count]: its number in `pictures`, or REVIEW_NONE */
    uint32_t *drawn;           /* [items]: that of the picture of its evidence */
    struct text pictures;      /* JSON strings, separated by commas */
};

/* Also sets columns->header. review_rows_free is needed whatever the status. */
temper_status review_rows_open(const struct review_request *request, struct review_columns *columns,
                               const struct review_evidence *evidence, const double *mean, struct review_rows *out);
void review_rows_free(struct review_rows *rows);

/* The index of a row of the data, which is there, in the list. */
size_t review_rows_find(const struct review_rows *rows, size_t row);
/* How many of the nearest rows of an item are shown. */
size_t review_near_count(const struct review_request *request);
/* Whether the rows are pictures: height, width, colours. */
bool review_picture_shape(const struct dataset *data, uint32_t shape[3]);

#endif
