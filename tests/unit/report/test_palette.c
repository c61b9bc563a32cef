/* Colours: the same method has the same colour everywhere, and everything has the contrast that WCAG 2 asks for. */
#include <math.h>
#include <string.h>

#include "fixtures/test.h"
#include "report/palette.h"

static const struct colour light = {0xff, 0xff, 0xff}, dark = {0x15, 0x17, 0x1b};

static void check_line(struct colour colour, const char *what)
{
    bool is_ink = memcmp(&colour, &palette_ink, sizeof colour) == 0; /* exchanged on a dark page */
    CHECKF(palette_contrast(colour, light) >= 3, "%s on white: %g", what, palette_contrast(colour, light));
    CHECKF(is_ink || palette_contrast(colour, dark) >= 3, "%s on dark: %g", what, palette_contrast(colour, dark));
}

TEST(contrast_of_known_pairs)
{
    const struct colour black = {0, 0, 0}, grey = {0x76, 0x76, 0x76};
    CHECK_NEAR(palette_contrast(black, light), 21, 1e-9);
    CHECK_NEAR(palette_contrast(light, grey), 4.54, 0.005);
    CHECK_NEAR(palette_contrast(grey, grey), 1, 1e-12);
}

TEST(lines_and_areas_are_seen_on_both_pages)
{
    for (int method = 0; method < TEMPER_METHODS; method++)
        check_line(palette_loss((temper_loss_spec){.method = (temper_method)method}, 0).colour, "a method");
    for (size_t i = 0; i < 12; i++) {
        check_line(palette_category(i).colour, "a category");
        check_line(palette_group(i), "a group");
        check_line(palette_below(i, 12), "a temperature below 1");
        check_line(palette_above(i, 12), "a temperature above 1");
    }
}

TEST(neutral_text_is_read_on_both_pages)
{
    CHECK(palette_contrast(palette_ink, light) >= 4.5 && palette_contrast(palette_grey, light) >= 4.5);
    for (size_t i = 1; i <= 2; i++) /* ink and grey */
        CHECK(palette_contrast(palette_neutrals[i].dark, palette_neutrals[0].dark) >= 4.5);
}

TEST(text_on_any_cell_is_read)
{
    for (int red = 0; red < 2; red++)
        for (int i = -10; i <= 110; i++) {
            struct colour cell = palette_heat(i / 100.0, red);
            double ratio = palette_contrast(cell, palette_text_on(cell));
            CHECKF(ratio >= 4.5, "%g at a share of %g", ratio, i / 100.0);
        }
}

static bool same(struct stroke a, struct stroke b)
{
    return memcmp(&a.colour, &b.colour, sizeof a.colour) == 0;
}

/* Names come from the demo, the experiments and the losses. */
TEST(a_method_has_one_colour)
{
    const temper_loss_spec standard = {.method = TEMPER_TEMPERED, .t1 = 0.3, .t2 = 1};
    const temper_loss_spec other = {.method = TEMPER_TEMPERED, .t1 = 0.6, .t2 = 1.6};
    CHECK(same(palette_series("two-temperature", 5), palette_loss(standard, 0)));
    CHECK(same(palette_series("tempered", 3), palette_loss(other, 0)) &&
          !same(palette_loss(standard, 0), palette_loss(other, 0)));
    CHECK(same(palette_series("logistic", 4), palette_loss((temper_loss_spec){.method = TEMPER_LOGISTIC}, 2)));
    CHECK(same(palette_series("t-logistic", 1), palette_loss((temper_loss_spec){.method = TEMPER_T_LOGISTIC}, 0)));
    CHECK(same(palette_series("gce", 1), palette_loss((temper_loss_spec){.method = TEMPER_GCE}, 0)));
    CHECK(same(palette_series("a feature", 2), palette_category(2)));
}

TEST_LIST(LISTED(contrast_of_known_pairs), LISTED(lines_and_areas_are_seen_on_both_pages),
          LISTED(neutral_text_is_read_on_both_pages), LISTED(text_on_any_cell_is_read), LISTED(a_method_has_one_colour))
