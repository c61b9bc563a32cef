/* Any temperatures, losses, axes and panels: a figure that is whole, or a refusal with advice. */
#include <ctype.h>
#include <float.h>
#include <stdbool.h>

#include "bytes.h"
#include "temper_extra.h"

/* Curves of each kind, at most. */
enum { CURVES = 30 };

/* A coordinate or temperature: any bits, a special value, or an ordinary number. */
static double take_number(struct bytes *bytes)
{
    static const double special[] = {0,       0.5,  1,   1.5, 2,        INFINITY, -1,        NAN,      DBL_MAX,
                                     DBL_MIN, 1e-3, 1e3, 1,   -DBL_MAX, 1e-300,   1 + 1e-15, 0.999999, 7};
    uint8_t kind = take_byte(bytes);
    if (kind < 16)
        return take_bits(bytes);
    if (kind < 128)
        return special[kind % (sizeof special / sizeof *special)];
    return (take_share(bytes) - (kind % 2 ? 0.5 : 0)) * ldexp(1, kind % 12);
}

/* One of the methods with any parameters; some combinations are invalid and must be refused. */
static temper_loss_spec take_loss(struct bytes *bytes)
{
    temper_loss_spec loss = {.method = (temper_method)(take_byte(bytes) % 6)};
    loss.t1 = take_number(bytes);
    loss.t2 = take_number(bytes);
    loss.smoothing = take_number(bytes);
    return loss;
}

/* Checks an SVG text: its length, its end, balanced brackets, and no NaN or infinity as a coordinate, which viewers
 * refuse. */
static void check_picture(const char *svg, size_t length)
{
    static const char end[] = "</svg>\n";
    REQUIRE(length == strlen(svg), "%zu bytes, but %zu up to the end", length, strlen(svg));
    REQUIRE(length > sizeof end && strcmp(svg + length - sizeof end + 1, end) == 0, "ends in %.20s",
            length > 20 ? svg + length - 20 : svg);
    /* Text in the picture is escaped, so that every bracket belongs to a tag. */
    size_t opened = 0, closed = 0;
    for (const char *at = svg; (at = strchr(at, '<')); at++)
        opened++;
    for (const char *at = svg; (at = strchr(at, '>')); at++)
        closed++;
    REQUIRE(opened == closed, "%zu < and %zu >", opened, closed);
    static const char *const none[] = {"\"nan", "\"-nan", "\"inf", "\"-inf", " nan", " inf",
                                       " -inf", ",nan",   ",inf",  ",-inf",  "Lnan", "Mnan"};
    /* A number is not followed by a letter: the description may contain "inflection". */
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        for (const char *at = svg; (at = strstr(at, none[i])); at++)
            REQUIRE(isalpha((unsigned char)at[strlen(none[i])]), "a coordinate that is no number: %.60s", at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    double temperatures[CURVES];
    temper_loss_spec losses[CURVES];
    char panels[5] = "abc";
    /* One byte chooses both numbers of curves. */
    uint8_t some = take_byte(&bytes);
    /* Mostly one to four curves, as figures have; sometimes none or very many. */
    temper_loss_figure figure = {.temperatures = temperatures,
                                 .losses = losses,
                                 .temperature_count = some % 16 < 12 ? some % 4 + 1 : some % CURVES,
                                 .loss_count = some / 16 < 12 ? some / 16 % 4 + 1 : some % CURVES,
                                 .panels = panels,
                                 .margin_from = take_number(&bytes),
                                 .margin_to = take_number(&bytes)};
    some = take_byte(&bytes);
    /* Panels beyond those that exist are among the choices. */
    if (some >= 128)
        snprintf(panels, sizeof panels, "%c%c", 'a' + some % 3, some % 8 == 0 ? '\0' : 'a' + some % 4);
    for (size_t i = 0; i < figure.temperature_count; i++)
        temperatures[i] = take_number(&bytes);
    for (size_t i = 0; i < figure.loss_count; i++)
        losses[i] = take_loss(&bytes);
    temper_text svg = {0};
    temper_error error = {0};
    temper_status status = temper_plot_losses(&figure, &svg, &error);
    if (status == TEMPER_OK) {
        check_picture(svg.bytes, svg.length);
    } else {
        REQUIRE(status == TEMPER_USAGE && error.status == status, "%s", error.message);
        REQUIRE(strstr(error.message, "; "), "no advice: %s", error.message);
        REQUIRE(!svg.bytes, "a picture and %s", error.message);
    }
    temper_text_free(&svg);
    return 0;
}
