/* legend: which curve is which, in a corner that no curve enters or else beneath the axes. */
#ifndef REPORT_LEGEND_H
#define REPORT_LEGEND_H

#include "report/panel.h"

/* Sets panel->legend; the margins of the panel are known, but for the room that this may take. */
void legend_place(struct panel *panel);
void legend_move_beneath(struct panel *panel);
/* The height that it takes beneath the axes and their titles. */
double legend_room(const struct panel *panel);
void legend_draw(struct text *out, const struct panel *panel);

#endif
