/* review: rows for a person to decide about: their values, the features that speak for and against their labels, and
 * their nearest rows, as a section of a page (report/review/review_page.h). */
#ifndef AUDIT_REVIEW_H
#define AUDIT_REVIEW_H

#include "base/text.h"
#include "model/model.h"
#include "temper_extra.h"

enum {
    REVIEW_ITEMS = 10000, /* rows of a page */
    REVIEW_EACH = 6,      /* features that speak for the given label, and for the suggested one */
    REVIEW_PARTS = 2 * REVIEW_EACH,
    REVIEW_NEAR = 6 /* nearest rows that are shown, of those whose labels are counted */
};

struct review_request {
    const struct dataset *data;
    const temper_audit_suspect *items; /* in the order of the page */
    size_t count;
    const struct model *model;  /* its weights explain the labels; NULL: nothing is explained */
    const uint32_t *neighbours; /* [row * neighbour_count + i], nearest first; NULL: not known */
    size_t neighbour_count;
    const char *mode;         /* "label", "row" or "ask": what the score means, and which file is exported */
    const char *output;       /* the name of that file */
    const char *intro;        /* a sentence */
    const char *score_source; /* another one, after that about the evidence; NULL: none */
    size_t threads;
    temper_error *error;
};

/* Appends the section. The memory of *out may have ended, which is noted in it. */
temper_status review_write(const struct review_request *request, struct text *out);

#endif
