/* review_evidence: which features of a row speak for its given label, and which for the suggested one. */
#ifndef AUDIT_REVIEW_EVIDENCE_H
#define AUDIT_REVIEW_EVIDENCE_H

#include "audit/review/review.h"
#include "audit/review/review_columns.h"

/* The part of a column in the difference of two activations: above 0, it speaks for the suggested label. */
struct review_part {
    uint32_t column;
    float part;
};

struct review_evidence {
    struct review_part part[REVIEW_PARTS]; /* the largest first */
    size_t count;
    double rest; /* of all other columns, and of a row of mean features */
};

/* Fills evidence[request->count]; *mean receives the mean of each feature of dense data, else NULL: freed by the
 * caller, also on failure. */
temper_status review_find_evidence(const struct review_request *request, const struct review_columns *columns,
                                   struct review_evidence *evidence, double **mean);

/* The parts of the pixels of a row as a picture of `size` pixels in three planes, rgb[3 * size]: the stronger a pixel,
 * the less white; blue speaks for the given label, red for the suggested one. Colours of a pixel are added up. */
void review_draw_evidence(const struct review_request *request, const double *mean, const temper_audit_suspect *item,
                          size_t size, unsigned char *rgb);

#endif
