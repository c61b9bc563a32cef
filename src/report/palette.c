/* palette: colours that the colour-blind can tell apart too. */
#include "report/palette.h"

#include <math.h>

static const double curve_width = 2.2;

/* Okabe and Ito (2008) without black and yellow: one is kept for references, the other is lost on
 * white. */
static const struct colour categories[] = {
    {0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73},
    {0xcc, 0x79, 0xa7}, {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9},
};

enum { CATEGORIES = sizeof categories / sizeof *categories };

/* Lightness changes steadily along both, so that they survive grey printing as well. */
static const struct colour blues[] = {{0x08, 0x30, 0x6b}, {0x1f, 0x78, 0xb4}, {0x5a, 0xbf, 0xd6}};
static const struct colour reds[] = {{0xf2, 0xa3, 0x3a}, {0xd9, 0x48, 0x2b}, {0xa8, 0x24, 0x48}};

struct stroke palette_reference(struct colour colour, size_t index)
{
    static const double dashes[][2] = {{0, 0}, {9, 3}, {2.5, 2.5}, {14, 4}};
    const double *dash = dashes[index % (sizeof dashes / sizeof *dashes)];
    return (struct stroke){.colour = colour, .width = curve_width, .dash = dash[0], .gap = dash[1]};
}

struct stroke palette_category(size_t index)
{
    return palette_reference(categories[index % CATEGORIES], index / CATEGORIES);
}

static unsigned char mix(unsigned char from, unsigned char to, double share)
{
    return (unsigned char)lround(from + share * (to - from));
}

struct colour palette_pale(struct colour colour, double share)
{
    return (struct colour){mix(colour.red, 255, share), mix(colour.green, 255, share), mix(colour.blue, 255, share)};
}

struct colour palette_group(size_t index)
{
    return categories[index % CATEGORIES];
}

struct stroke palette_guide(struct colour colour)
{
    return (struct stroke){.colour = palette_pale(colour, 0.35), .width = 1.1, .dash = 1.5, .gap = 3};
}

/* Along three colours; a single curve takes the middle one. */
static struct colour ramp(const struct colour colours[3], size_t rank, size_t count)
{
    double place = count > 1 ? 2 * (double)rank / (double)(count - 1) : 1;
    size_t cell = place < 1 ? 0 : 1;
    double share = place - (double)cell;
    struct colour from = colours[cell], to = colours[cell + 1];
    return (struct colour){mix(from.red, to.red, share), mix(from.green, to.green, share),
                           mix(from.blue, to.blue, share)};
}

struct colour palette_below(size_t rank, size_t count)
{
    return ramp(blues, rank, count);
}

struct colour palette_above(size_t rank, size_t count)
{
    return ramp(reds, rank, count);
}
