/* pieces_made: one file that several processes read, and what they must have of it. */
#ifndef TEST_PIECES_MADE_H
#define TEST_PIECES_MADE_H

#include "team.h"
#include "temper.h"

struct reading_team {
    const char *path;
    temper_read_options options;
    temper_data *data[TEAM_MOST];
    temper_error error[TEAM_MOST];
    temper_status status[TEAM_MOST];
};

void free_team(struct reading_team *team);

/* Up to five processes together have the rows, classes, notes and lines of one. */
void check_file(const char *path, temper_read_options options);
/* They are refused with the words of one. */
void check_fault(const char *path);

#endif
