/* review_page: the part of a page on which a person decides about rows, one after the other: review.html, review.css
 * and review.js, which the build embeds, and the rows as JSON. */
#ifndef REPORT_REVIEW_PAGE_H
#define REPORT_REVIEW_PAGE_H

#include "base/text.h"

/* A string in double quotes for a script element: no character that HTML or XML interprets, none that ends a line of
 * JavaScript. Bytes that are not UTF-8 become U+FFFD. At most `limit` bytes, then an ellipsis. */
void review_string(struct text *out, const char *string, size_t length, size_t limit);

/* The section with its data, a JSON object, and its script. `id` has hexadecimal digits and identifies the data:
 * scripts with another nonce do not run on the page. */
void review_section(struct text *out, const char *id, const struct text *json);
/* Begins a page (html_begin) that will contain the section: with its style sheet, and a policy that allows its script
 * alone and no connections. */
void review_begin(struct text *out, const char *title, const char *section);

#endif
