/* figure: a row of panels, side by side, as a whole picture. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "report/panel.h"

/* Arranges the panels, whose frames should be equally high, and appends the picture. Its
 * description is that of each panel with the names of its curves. Memory that ended, in the panels
 * too, is noted in the text. */
void figure_draw(struct text *out, const char *name, struct panel *panels, size_t count);
/* The same for a column of panels of equal width, with the titles of one x axis beneath all. */
void figure_stack(struct text *out, const char *name, struct panel *panels, size_t count);

#endif
