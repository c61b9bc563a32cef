/* level: the horizontal lines of a panel, such as the cap of a loss, and their labels beside it. */
#ifndef REPORT_LEVEL_H
#define REPORT_LEVEL_H

#include "report/panel.h"

/* Levels above the frame are only named, with an arrow: to be called once, before the others. */
void level_prepare(struct panel *panel);
/* The room that the labels take at the right of the frame. */
double level_margin(const struct panel *panel);

void level_draw_lines(struct text *out, const struct panel *panel);
void level_draw_labels(struct text *out, const struct panel *panel);

#endif
