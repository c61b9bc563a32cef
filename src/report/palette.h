/* palette: colours that the colour-blind can tell apart too. */
#ifndef REPORT_PALETTE_H
#define REPORT_PALETTE_H

#include "report/svg.h"

static const struct colour palette_ink = {0x22, 0x22, 0x22};
static const struct colour palette_grey = {0x66, 0x66, 0x66};
static const struct colour palette_hinge = {0xa6, 0xa6, 0xa6};
static const struct colour palette_axis = {0xb0, 0xb0, 0xb0};
static const struct colour palette_grid = {0xe8, 0xe8, 0xe8};

/* The look of the index-th of several unrelated curves: a colour and, when those are used up, a
 * pattern of dashes. */
struct stroke palette_category(size_t index);

/* The look of a curve to compare with; the index tells several of a colour apart. */
struct stroke palette_reference(struct colour colour, size_t index);

/* A thin dotted line in a paler shade of the curve's colour. */
struct stroke palette_guide(struct colour colour);

/* One of `count` ordered curves. Those below the reference run from dark to light blue, those above
 * from light to dark red: further away is darker. */
struct colour palette_below(size_t rank, size_t count);
struct colour palette_above(size_t rank, size_t count);

/* The colour of the index-th class or group, and a paler shade of any colour: 0 is the colour
 * itself, 1 white. */
struct colour palette_group(size_t index);
struct colour palette_pale(struct colour colour, double share);

#endif
