/* palette: the colours of all charts, after Okabe and Ito (2008), which the colour-blind can distinguish too.
 *
 * A relative luminance between 0.126 and 0.30 gives a contrast of 3:1 to white and to the dark page at once, which is
 * what WCAG 2.2 asks of graphics (1.4.11); text needs 4.5:1 (1.4.3), so it is always neutral, or black or white on
 * cells. tests/unit/report/test_palette.c checks all of them. */
#include "report/palette.h"

#include <math.h>
#include <string.h>

#include "tempered/loss_family.h"

static const double line_width = 2.2;

const struct neutral_pair palette_neutrals[PALETTE_NEUTRALS] = {
    {{0xff, 0xff, 0xff}, {0x15, 0x17, 0x1b}}, /* paper */
    {{0x22, 0x22, 0x22}, {0xe4, 0xe6, 0xe9}}, /* ink */
    {{0x59, 0x59, 0x59}, {0xa3, 0xa8, 0xb0}}, /* grey */
    {{0x8c, 0x8c, 0x8c}, {0x71, 0x77, 0x81}}, /* axis */
    {{0xe8, 0xe8, 0xe8}, {0x2a, 0x2e, 0x35}}, /* grid */
};

/* Blue, vermillion, green and purple of Okabe and Ito; ochre and violet replace their yellow and sky blue, which are
 * too light for lines on white. */
enum category { BLUE, VERMILLION, GREEN, PURPLE, OCHRE, VIOLET, CATEGORIES };

static const struct colour categories[CATEGORIES] = {
    [BLUE] = {0x00, 0x72, 0xb2},   [VERMILLION] = {0xd5, 0x5e, 0x00}, [GREEN] = {0x00, 0x9e, 0x73},
    [PURPLE] = {0xc8, 0x75, 0xa3}, [OCHRE] = {0xb0, 0x7a, 0x00},      [VIOLET] = {0x6f, 0x58, 0xcb},
};

/* There are more methods than categories. */
static const struct colour hinge_grey = {0x8a, 0x8a, 0x8a}, trimmed_teal = {0x10, 0x98, 0x9c},
                           forward_crimson = {0xb8, 0x2e, 0x58};

/* Lines along a range of temperatures. Their luminance is within 0.126 to 0.30, as 3:1 on both pages requires; so the
 * hue changes rather than the lightness. */
static const struct colour blues[] = {{0x67, 0x5b, 0xd0}, {0x1f, 0x78, 0xc8}, {0x10, 0x98, 0x9c}};
static const struct colour reds[] = {{0xc2, 0x85, 0x10}, {0xd9, 0x58, 0x2b}, {0xb8, 0x2e, 0x58}};

/* Dashes distinguish lines of the same colour; the first pattern is solid. */
struct stroke palette_line(struct colour colour, size_t dashes)
{
    static const double patterns[][2] = {{0, 0}, {9, 3}, {2.5, 2.5}, {14, 4}, {5, 5}, {1.5, 4}};
    const double *dash = patterns[dashes % (sizeof patterns / sizeof *patterns)];
    return (struct stroke){.colour = colour, .width = line_width, .dash = dash[0], .gap = dash[1]};
}

/* The colours repeat with another pattern. */
struct stroke palette_category(size_t index)
{
    return palette_line(categories[index % CATEGORIES], index / CATEGORIES);
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* The default loss, tempered (0.3, 1), has a colour of its own. */
static struct colour method_colour(temper_method method, bool is_default)
{
    switch (method) {
    case TEMPER_LOGISTIC:
        return palette_ink;
    case TEMPER_HINGE:
        return hinge_grey;
    case TEMPER_T_LOGISTIC:
        return categories[GREEN];
    case TEMPER_GCE:
        return categories[PURPLE];
    case TEMPER_BREGMAN:
        return categories[OCHRE];
    case TEMPER_SCE:
        return categories[VIOLET];
    case TEMPER_TRIMMED:
        return trimmed_teal;
    case TEMPER_FORWARD:
        return forward_crimson;
    default:
        return categories[is_default ? VERMILLION : BLUE];
    }
}

/* The standard loss is recognised by its temperatures. */
struct stroke palette_loss(temper_loss_spec loss, size_t index)
{
    bool is_default = loss.method == TEMPER_TEMPERED && loss.t1 == 0.3 && loss.t2 == 1;
    return palette_line(method_colour(loss.method, is_default), index);
}

/* The method whose name is part of the text; the longest of several, as "t-logistic" contains "logistic". */
static bool method_within(const char *text, temper_method *method)
{
    size_t longest = 0;
    for (size_t i = 0; i < TEMPER_METHODS; i++) {
        const char *word = method_name((temper_method)i);
        if (strlen(word) <= longest || !strstr(text, word))
            continue;
        longest = strlen(word);
        *method = (temper_method)i;
    }
    return longest > 0;
}

/* Names of the default loss and other spellings first, then the names of the methods. */
struct stroke palette_series(const char *name, size_t index)
{
    static const struct {
        const char *word;
        temper_method method;
        bool is_default;
    } words[] = {{"two-temperature", TEMPER_TEMPERED, true},
                 {"0.3, 1", TEMPER_TEMPERED, true},
                 {"t1 = 0.3, t2 = 1", TEMPER_TEMPERED, true},
                 {"GCE", TEMPER_GCE, false},
                 {"Bregman", TEMPER_BREGMAN, false}};
    temper_method method;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i].word))
            return palette_line(method_colour(words[i].method, words[i].is_default), 0);
    if (method_within(name, &method))
        return palette_line(method_colour(method, false), 0);
    return palette_category(index);
}

/* ---- Others ---------------------------------------------------------------------------------- */

/* Dots, unlike the dashes of lines and levels. */
struct stroke palette_guide(struct colour colour)
{
    return (struct stroke){.colour = colour, .width = 1.2, .dash = 1.5, .gap = 3};
}

/* Blue grey and brick red, which differ in lightness for the colour-blind. */
struct colour palette_group(size_t index)
{
    static const struct colour groups[] = {{0x6f, 0x8f, 0xb0}, {0xc4, 0x5f, 0x45}};
    return groups[index % 2];
}

/* Linear in the bytes, which is close to uniform for the eye. */
static struct colour mix(struct colour from, struct colour to, double share)
{
    return (struct colour){
        (unsigned char)lround(from.red + share * (to.red - from.red)),
        (unsigned char)lround(from.green + share * (to.green - from.green)),
        (unsigned char)lround(from.blue + share * (to.blue - from.blue)),
    };
}

/* Along three colours; a single line takes the middle one. */
static struct colour ramp(const struct colour colours[3], size_t rank, size_t count)
{
    double place = count > 1 ? 2 * (double)rank / (double)(count - 1) : 1;
    size_t step = place < 1 ? 0 : 1;
    return mix(colours[step], colours[step + 1], place - (double)step);
}

/* From violet over blue to teal: the nearer to 1, the lighter. */
struct colour palette_below(size_t rank, size_t count)
{
    return ramp(blues, rank, count);
}

/* From ochre over orange to crimson: the further from 1, the darker. */
struct colour palette_above(size_t rank, size_t count)
{
    return ramp(reds, rank, count);
}

/* ---- Heat cells and their text --------------------------------------------------------------- */

/* Shares outside of 0 to 1 are clamped. */
struct colour palette_heat(double share, bool red)
{
    static const struct colour pale[] = {{0xe4, 0xee, 0xf7}, {0xf9, 0xe6, 0xdc}};
    static const struct colour dark[] = {{0x0b, 0x55, 0x8f}, {0xa8, 0x3c, 0x10}};
    return mix(pale[red], dark[red], fmin(fmax(share, 0), 1));
}

/* The relative luminance of WCAG 2, 0 to 1. */
static double luminance(struct colour colour)
{
    const unsigned char channels[] = {colour.red, colour.green, colour.blue};
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double value = channels[i] / 255.0;
        sum += weights[i] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* Symmetric: the lighter colour is the numerator. */
double palette_contrast(struct colour a, struct colour b)
{
    double first = luminance(a), second = luminance(b);
    return (fmax(first, second) + 0.05) / (fmin(first, second) + 0.05);
}

/* Not palette_paper and palette_ink: cells are the same on light and dark pages, so must be their text. */
struct colour palette_text_on(struct colour cell)
{
    static const struct colour black = {0, 0, 0}, white = {0xfe, 0xfe, 0xfe};
    return palette_contrast(cell, black) >= palette_contrast(cell, white) ? black : white;
}
