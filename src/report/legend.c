/* legend: which curve is which. */
#include "report/legend.h"

#include <math.h>

#include "report/palette.h"

static const double font_size = 12.5;
static const double row_height = 18;
static const double key_width = 20;  /* the piece of line before the name */
static const double key_gap = 7;     /* between it and the name */
static const double column_gap = 12; /* between columns */
static const double frame_gap = 9;   /* between the legend and the frame */
static const double beneath_gap = 8; /* between the axes and a legend beneath them */
static const double clearance = 8;   /* between the legend and the nearest curve */

enum { MOST_ROWS_INSIDE = 7 }; /* more would be a wall of text in the picture */

/* A curve or, after all of them, what guides or hollow marks mean. */
struct entry {
    const char *label;
    struct stroke stroke;
    bool ring;
    const struct key *key; /* of a layer, or NULL */
};

struct entries {
    struct entry list[PANEL_CURVES + PANEL_KEYS + 2];
    size_t count;
    double width; /* of the widest, with its key */
};

static void add_entry(struct entries *entries, struct entry entry)
{
    if (!entry.label) /* there was no memory for it, and the panel says so */
        entry.label = "";
    double width = key_width + key_gap + svg_text_width(entry.label, font_size);
    entries->width = fmax(entries->width, width);
    entries->list[entries->count++] = entry;
}

static bool has_hollow_mark(const struct panel *panel)
{
    bool found = false;
    for (size_t i = 0; i < panel->mark_count; i++)
        found |= panel->marks[i].hollow;
    return found;
}

static struct entries entries_of(const struct panel *panel)
{
    struct entries entries = {.count = 0};
    for (size_t i = 0; i < panel->key_count; i++)
        add_entry(&entries, (struct entry){.label = panel->keys[i].label, .key = &panel->keys[i]});
    for (size_t i = 0; i < panel->curve_count && !panel->unlisted; i++)
        add_entry(&entries, (struct entry){.label = panel->curves[i].label.bytes, .stroke = panel->curves[i].stroke});
    if (panel->guide_note && panel->guide_count)
        add_entry(&entries, (struct entry){.label = panel->guide_note, .stroke = palette_guide(palette_grey)});
    if (panel->mark_note && has_hollow_mark(panel))
        add_entry(
            &entries,
            (struct entry){.label = panel->mark_note, .stroke = {.colour = palette_grey, .width = 1.5}, .ring = true});
    return entries;
}

static size_t rows_in(const struct entries *entries, size_t columns)
{
    return (entries->count + columns - 1) / columns;
}

/* ---- Where ----------------------------------------------------------------------------------- */

static bool segment_meets(struct box box, struct point from, struct point to)
{
    return segment_clip(box, &from, &to);
}

static bool level_meets(const struct panel *panel, const struct level *level, struct box box)
{
    const struct axis *x = &panel->frame.x;
    return segment_meets(box, frame_point(&panel->frame, x->from, level->y),
                         frame_point(&panel->frame, x->to, level->y));
}

static bool guide_meets(const struct panel *panel, const struct guide *guide, struct box box)
{
    return segment_meets(box, frame_point(&panel->frame, guide->from.x, guide->from.y),
                         frame_point(&panel->frame, guide->to.x, guide->to.y));
}

/* Is there anything of the drawing in the box? Marks lie on curves. */
static bool is_taken(const struct panel *panel, struct box box)
{
    bool taken = false;
    for (size_t i = 0; i < panel->curve_count; i++)
        taken |= path_meets(&panel->curves[i].path, box);
    for (size_t i = 0; i < panel->level_count; i++)
        taken |= level_meets(panel, &panel->levels[i], box);
    for (size_t i = 0; i < panel->guide_count; i++)
        taken |= guide_meets(panel, &panel->guides[i], box);
    return taken;
}

/* R and L: upper right and left; r and l: lower. */
static struct box corner_box(struct box frame, struct box size, char corner)
{
    bool right = corner == 'R' || corner == 'r', upper = corner == 'R' || corner == 'L';
    size.left = right ? frame.width - size.width - frame_gap : frame_gap;
    size.top = upper ? frame_gap : frame.height - size.height - frame_gap;
    return size;
}

static struct box grown(struct box box, double by)
{
    return (struct box){box.left - by, box.top - by, box.width + 2 * by, box.height + 2 * by};
}

static bool place_inside(const struct panel *panel, const struct entries *entries, struct legend *legend)
{
    struct box frame = frame_box(&panel->frame);
    struct box size = {.width = entries->width, .height = row_height * (double)entries->count};
    if (entries->count > MOST_ROWS_INSIDE || size.width + 2 * frame_gap > frame.width)
        return false;
    for (const char *corner = panel->layer ? "" : panel->corners; *corner; corner++) {
        legend->box = corner_box(frame, size, *corner);
        if (!is_taken(panel, grown(legend->box, clearance)))
            return true;
    }
    return false;
}

/* In as many columns as the panel has room for. They begin at the frame, or further left if that
 * saves a row. */
static void place_beneath(const struct panel *panel, const struct entries *entries, struct legend *legend)
{
    struct box frame = frame_box(&panel->frame);
    double right = frame.width + panel->margins.right;
    double step = entries->width + column_gap;
    double columns = fmax(1, floor((panel->margins.left + right + column_gap) / step));
    /* As few columns as those rows need: 5 entries look better as 3 + 2 than as 4 + 1. */
    size_t rows = rows_in(entries, (size_t)columns);
    legend->beneath = true;
    legend->columns = rows_in(entries, rows);
    double width = step * (double)legend->columns - column_gap;
    legend->box = (struct box){
        .left = fmin(0, right - width),
        .top = frame.height + panel->margins.bottom + beneath_gap,
        .width = width,
        .height = row_height * (double)rows,
    };
}

void legend_move_beneath(struct panel *panel)
{
    struct entries entries = entries_of(panel);
    if (entries.count > 0)
        place_beneath(panel, &entries, &panel->legend);
}

void legend_place(struct panel *panel)
{
    struct entries entries = entries_of(panel);
    panel->legend = (struct legend){.columns = 1};
    if (entries.count > 0 && !place_inside(panel, &entries, &panel->legend))
        place_beneath(panel, &entries, &panel->legend);
}

/* ---- What ------------------------------------------------------------------------------------ */

static void draw_shape(struct text *out, const struct key *key, struct point centre)
{
    const double side = key->shape == KEY_BOX ? 11 : 6.4;
    const struct stroke thin = {.colour = key->colour, .width = 1.4};
    if (key->shape == KEY_CIRCLE)
        svg_circle(out, centre, 4.6, &thin);
    else if (key->shape == KEY_DOT)
        svg_dot(out, centre, 3.4, key->colour);
    else
        svg_fill(out, (struct box){centre.x - side / 2, centre.y - side / 2, side, side}, key->colour);
}

static void draw_key(struct text *out, const struct entry *entry, struct point at)
{
    if (entry->key)
        draw_shape(out, entry->key, (struct point){at.x + key_width / 2, at.y});
    else if (entry->ring)
        svg_ring(out, (struct point){at.x + key_width / 2, at.y}, 3.2, &entry->stroke);
    else
        svg_line(out, at, (struct point){at.x + key_width, at.y}, &entry->stroke);
}

double legend_room(const struct panel *panel)
{
    return panel->legend.beneath ? beneath_gap + panel->legend.box.height : 0;
}

void legend_draw(struct text *out, const struct panel *panel)
{
    const struct font font = {.colour = palette_ink, .size = font_size};
    const struct legend *legend = &panel->legend;
    struct entries entries = entries_of(panel);
    size_t rows = rows_in(&entries, legend->columns);
    if (entries.count == 0)
        return;
    if (!legend->beneath)
        svg_blank(out, grown(legend->box, clearance)); /* of the grid */
    for (size_t i = 0; i < entries.count; i++) {
        size_t column = i / rows, row = i % rows;
        struct point key = {legend->box.left + (entries.width + column_gap) * (double)column,
                            legend->box.top + row_height * ((double)row + 0.5)};
        draw_key(out, &entries.list[i], key);
        /* Letters stand on their base line, a third of their size below the middle. */
        struct point label = {key.x + key_width + key_gap, key.y + 0.35 * font_size};
        svg_text(out, label, entries.list[i].label, &font);
    }
}
