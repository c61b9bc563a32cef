/* Pictures in pages: what is written must unpack to what was drawn. */
#include <string.h>
#include <zlib.h>

#include "fixtures/test.h"
#include "report/png.h"

static size_t from_base64(const char *text, unsigned char *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    unsigned group = 0, bits = 0;
    for (; *text && *text != '='; text++) {
        group = group << 6 | (unsigned)(strchr(digit, *text) - digit);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[length++] = (unsigned char)(group >> bits);
        }
    }
    return length;
}

static size_t get_u32(const unsigned char *at)
{
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* Checks all sums, and unpacks the lines. */
static size_t unpack(const unsigned char *file, size_t length, unsigned char *lines, size_t room)
{
    uLongf got = 0;
    for (size_t at = 8; at + 12 <= length;) {
        size_t bytes = get_u32(file + at);
        CHECK(crc32(crc32(0, NULL, 0), file + at + 4, (uInt)bytes + 4) == get_u32(file + at + 8 + bytes));
        if (memcmp(file + at + 4, "IDAT", 4) == 0) {
            got = (uLongf)room;
            CHECK(uncompress(lines, &got, file + at + 8, (uLong)bytes) == Z_OK);
        }
        at += 12 + bytes;
        if (at == length)
            CHECK(memcmp(file + at - 8, "IEND", 4) == 0);
    }
    return got;
}

static void check_picture(const struct picture *picture, const unsigned char *wanted, size_t length)
{
    static const char prefix[] = "data:image/png;base64,";
    unsigned char file[1024], lines[256];
    struct text out = {0};
    png_append(&out, picture);
    if (!CHECK(!out.failed && strncmp(out.bytes, prefix, strlen(prefix)) == 0))
        return;
    size_t size = from_base64(out.bytes + strlen(prefix), file);
    CHECK(memcmp(file, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK_EQ_SIZE(get_u32(file + 16), picture->width);
    CHECK_EQ_SIZE(get_u32(file + 20), picture->height);
    CHECK_EQ_SIZE(file[25], picture->colours == 3 ? 2 : 0);
    CHECK_EQ_SIZE(unpack(file, size, lines, sizeof lines), length);
    CHECK(memcmp(lines, wanted, length) == 0);
    text_free(&out);
}

TEST(grey)
{
    static const unsigned char pixels[] = {1, 2, 3, 4, 5, 6};
    static const unsigned char wanted[] = {0, 1, 2, 3, 0, 4, 5, 6};
    check_picture(&(struct picture){pixels, 2, 3, 1}, wanted, sizeof wanted);
}

TEST(colours)
{
    static const unsigned char pixels[] = {1, 2, 11, 12, 21, 22};
    static const unsigned char wanted[] = {0, 1, 11, 21, 2, 12, 22};
    check_picture(&(struct picture){pixels, 1, 2, 3}, wanted, sizeof wanted);
}

TEST_LIST(LISTED(grey), LISTED(colours))
