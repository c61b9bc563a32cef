/* palette: the colours of all charts. The same method has the same colour on every page.
 *
 * Coloured lines and areas have a contrast of at least 3:1 against the light and the dark page, so that one picture
 * serves both; only the neutral colours are exchanged on a dark page (palette_neutrals). All text is neutral. */
#ifndef REPORT_PALETTE_H
#define REPORT_PALETTE_H

#include "report/svg.h"
#include "temper.h"

static const struct colour palette_paper = {0xff, 0xff, 0xff};
static const struct colour palette_ink = {0x22, 0x22, 0x22};
static const struct colour palette_grey = {0x59, 0x59, 0x59}; /* labels of ticks */
static const struct colour palette_axis = {0x8c, 0x8c, 0x8c};
static const struct colour palette_grid = {0xe8, 0xe8, 0xe8};

/* The neutral colours above and their counterparts on a dark page. */
struct neutral_pair {
    struct colour light, dark;
};

enum { PALETTE_NEUTRALS = 5 };
extern const struct neutral_pair palette_neutrals[PALETTE_NEUTRALS];

/* A line for a loss: the colour of its method; the index distinguishes several losses of one method by dashes. */
struct stroke palette_loss(temper_loss_spec loss, size_t index);
/* A line for a series: the colour of the method that its name contains, or else the index-th category. */
struct stroke palette_series(const char *name, size_t index);
/* The index-th of several unrelated lines: a colour and, when those are used up, a dash pattern. */
struct stroke palette_category(size_t index);
struct stroke palette_line(struct colour colour, size_t dashes);
/* A thin dotted line. */
struct stroke palette_guide(struct colour colour);

/* Two kinds of rows: the classes 0 and 1, or right and wrong labels. Muted, so that lines over them are seen. */
struct colour palette_group(size_t index);

/* One of `count` temperatures by rank: blue to teal below 1, orange to red above 1. */
struct colour palette_below(size_t rank, size_t count);
struct colour palette_above(size_t rank, size_t count);

/* A heat cell of a share from 0 (pale) to 1 (dark), in blue or in red; and the text colour for any cell: black or
 * white, whichever has the larger contrast, which is at least 4.5:1. */
struct colour palette_heat(double share, bool red);
struct colour palette_text_on(struct colour cell);
/* The contrast ratio of WCAG 2, 1 to 21. */
double palette_contrast(struct colour a, struct colour b);

#endif
