/* csv_text: which columns of a table hold text, told by its first lines. */
#include "data/csv/csv.h"

enum { TEXT_LINES = 1000 }; /* that are searched for a message */

static bool is_text_feature(const struct csv_column_plan *plan, size_t column, const struct csv_cell *cell)
{
    return column < plan->columns && plan->role[column] == CSV_FEATURE && !csv_is_number(cell) && !csv_is_missing(cell);
}

/* A look at every cell of the first chunk, numbers too: slow, but there is only one such chunk. */
void csv_columns_text(struct csv_column_plan *plan, const struct csv_piece *piece)
{
    const char *p = piece->from;
    while (plan->all_text && (p = csv_skip_blank_lines(&plan->format, p, piece->to, NULL)) < piece->to) {
        struct csv_cell cell = {.ends_line = false};
        for (size_t i = 0; !cell.ends_line; i++) {
            if (csv_scan(&plan->format, p, piece->to, &cell) != CSV_FINE)
                return; /* the parser will come here and say so */
            p = cell.next;
            if (is_text_feature(plan, i, &cell))
                plan->role[i] = CSV_CATEGORY;
        }
    }
}

static void add_text(struct csv_column_plan *plan, size_t column)
{
    size_t at = plan->texts;
    for (size_t i = 0; i < plan->texts; i++)
        if (plan->text[i] == column)
            return;
    if (plan->texts == CSV_TEXTS_KEPT)
        return;
    for (; at > 0 && plan->text[at - 1] > column; at--)
        plan->text[at] = plan->text[at - 1];
    plan->text[at] = column;
    plan->texts++;
}

/* The table will be refused if the first row has text, so that the others may take their time. */
void csv_columns_find_texts(struct csv_column_plan *plan, const struct csv_piece *piece)
{
    const char *p = piece->from;
    for (size_t line = 0; line < TEXT_LINES && (line == 0 || plan->texts > 0); line++) {
        struct csv_cell cell = {.ends_line = false};
        p = csv_skip_blank_lines(&plan->format, p, piece->to, NULL);
        for (size_t i = 0; p < piece->to && !cell.ends_line; i++) {
            if (csv_scan(&plan->format, p, piece->to, &cell) != CSV_FINE)
                return; /* the parser will come here and say so */
            p = cell.next;
            if (is_text_feature(plan, i, &cell))
                add_text(plan, i);
        }
    }
}
