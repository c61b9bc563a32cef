/* reencode: infers the encoding of a text from its first bytes, and converts the whole text in memory. Plain UTF-8 is
 * not touched. */
#include "data/read/reencode.h"

#include <string.h>

#include "base/memory.h"
#include "data/quote_text.h"
#include "data/read/format.h"

enum { ENCODING_PEEK = 65536, PIECE = 65536, REPLACEMENT = 0xfffd };

/* ---- Conversion -------------------------------------------------------------------------------- */

/* What Windows-1252 has for the bytes 0x80 to 0x9f; 0: nothing. */
static const unsigned short windows[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                           0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                           0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                           0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

static void put_code(struct text *out, unsigned long code)
{
    char bytes[4];
    text_append_bytes(out, bytes, utf8_encode(code, bytes));
}

static void from_latin1(const unsigned char *bytes, size_t length, struct text *out)
{
    for (size_t i = 0; i < length; i++) {
        unsigned long code = bytes[i];
        if (code >= 0x80 && code < 0xa0)
            code = windows[code - 0x80] ? windows[code - 0x80] : REPLACEMENT;
        put_code(out, code);
    }
}

/* A unit of UTF-16. */
static unsigned unit_at(const unsigned char *bytes, bool big)
{
    return big ? (unsigned)bytes[0] << 8 | bytes[1] : (unsigned)bytes[1] << 8 | bytes[0];
}

/* The byte order mark is left out, and so is an odd last byte. */
static void from_utf16(const unsigned char *bytes, size_t length, bool big, struct text *out)
{
    for (size_t i = 0; i + 1 < length; i += 2) {
        unsigned long code = unit_at(bytes + i, big);
        bool high = code >= 0xd800 && code < 0xdc00;
        unsigned low = high && i + 3 < length ? unit_at(bytes + i + 2, big) : 0;
        if (high && low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            i += 2;
        } else if (code >= 0xd800 && code < 0xe000) {
            code = REPLACEMENT;
        }
        if (code != 0xfeff || i > 0)
            put_code(out, code);
    }
}

void reencode_bytes(enum text_encoding encoding, const unsigned char *bytes, size_t length, struct text *out)
{
    if (encoding == ENCODING_LATIN1)
        from_latin1(bytes, length, out);
    else if (encoding == ENCODING_UTF8)
        text_append_bytes(out, (const char *)bytes, length);
    else
        from_utf16(bytes, length, encoding == ENCODING_UTF16_BE, out);
}

/* ---- Inference --------------------------------------------------------------------------------- */

/* Whether the bytes are UTF-8: at least as many characters beyond ASCII are valid as bytes are not. A stray byte makes
 * no text Latin-1, and the last character may be cut off. */
static bool is_utf8(const char *bytes, size_t length)
{
    const char *to = bytes + length;
    size_t valid = 0, invalid = 0;
    for (size_t step; bytes < to; bytes += step ? step : 1) {
        step = utf8_length(bytes, to);
        valid += step > 1;
        invalid += step == 0 && (to - bytes > 3 || length < ENCODING_PEEK);
    }
    return valid >= invalid;
}

/* By the byte order mark, else by whether it is valid UTF-8. */
static enum text_encoding infer_encoding(const unsigned char *bytes, size_t length)
{
    if (length >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe)
        return ENCODING_UTF16_LE;
    if (length >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff)
        return ENCODING_UTF16_BE;
    if (bytes_are_binary(bytes, length) || is_utf8((const char *)bytes, length))
        return ENCODING_UTF8;
    return ENCODING_LATIN1;
}

/* Lines of old systems: carriage returns, and no newline. */
static bool ends_in_returns(const unsigned char *bytes, size_t length)
{
    return memchr(bytes, '\r', length) && !memchr(bytes, '\n', length) && !bytes_are_binary(bytes, length);
}

/* ---- The source -------------------------------------------------------------------------------- */

/* The encoding of the option, with the byte order of the mark. */
static temper_status read_option(const char *option, const unsigned char *bytes, size_t length,
                                 enum text_encoding *encoding, temper_error *error)
{
    bool big = length >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff;
    if (strcmp(option, "utf-8") == 0)
        *encoding = ENCODING_UTF8;
    else if (strcmp(option, "latin-1") == 0)
        *encoding = ENCODING_LATIN1;
    else if (strcmp(option, "utf-16") == 0)
        *encoding = big ? ENCODING_UTF16_BE : ENCODING_UTF16_LE;
    else
        return error_set(error, TEMPER_USAGE,
                         "--encoding is none of auto, utf-8, utf-16 and latin-1; pass one of them");
    return TEMPER_OK;
}

/* Reads all bytes of the source. */
static temper_status read_all(struct source *source, struct text *bytes, temper_error *error)
{
    size_t got = PIECE;
    char *piece = mem_alloc(PIECE, 1);
    temper_status status = piece ? TEMPER_OK : error_no_memory(error);
    while (status == TEMPER_OK && got > 0) {
        status = source_read(source, piece, PIECE, &got, error);
        if (status == TEMPER_OK)
            text_append_bytes(bytes, piece, got);
    }
    mem_free(piece);
    if (status == TEMPER_OK && bytes->failed)
        status = error_no_memory(error);
    return status;
}

/* Carriage returns that no newline follows become newlines. */
static void end_lines(struct text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if (text->bytes[i] == '\r' && text->bytes[i + 1] != '\n')
            text->bytes[i] = '\n';
}

/* Replaces the source by its text in UTF-8. */
static temper_status replace_source(struct data_reader *reader, enum text_encoding encoding, bool returns)
{
    struct text bytes = {0}, text = {0};
    temper_status status = read_all(reader->source, &bytes, reader->error);
    if (status == TEMPER_OK && bytes.length > 0)
        reencode_bytes(encoding, (const unsigned char *)bytes.bytes, bytes.length, &text);
    text_free(&bytes);
    if (status == TEMPER_OK && text.failed)
        status = error_no_memory(reader->error);
    if (status != TEMPER_OK || text.length == 0) {
        text_free(&text);
        return status;
    }
    if (returns)
        end_lines(&text);
    data_reader_close_source(reader);
    reader->reencoded = true;
    return source_bytes(reader->path, text.bytes, text.length, &reader->source, reader->error);
}

/* NULL is no format. */
static bool is_binary_format(const struct format *format)
{
    return format && !format_is_table(format) && format->read != read_libsvm;
}

temper_status reencode_source(struct data_reader *reader, struct dataset *data)
{
    static const char *const names[] = {
        [ENCODING_UTF16_LE] = "UTF-16", [ENCODING_UTF16_BE] = "UTF-16", [ENCODING_LATIN1] = "Latin-1 (Windows-1252)"};
    const char *option = reader->options->encoding;
    const unsigned char *bytes;
    size_t length;
    bool given = option && strcmp(option, "auto") != 0;
    const struct format *format = reader->options->format ? format_named(reader->options->format) : NULL;
    if ((!given && !reader->options->automatic) || is_binary_format(format))
        return TEMPER_OK;
    TRY(source_peek(reader->source, ENCODING_PEEK, &bytes, &length, reader->error));
    if (!given && is_binary_format(format_of_content(bytes, length))) /* by its first bytes, however short it is */
        return TEMPER_OK;
    enum text_encoding encoding = infer_encoding(bytes, length);
    if (given)
        TRY(read_option(option, bytes, length, &encoding, reader->error));
    bool returns = encoding == ENCODING_UTF8 && ends_in_returns(bytes, length);
    if (encoding == ENCODING_UTF8 && !returns)
        return TEMPER_OK;
    if (!given && encoding != ENCODING_UTF8)
        dataset_note(data, "encoding: %s, inferred from the content; --encoding names another", names[encoding]);
    if (returns)
        dataset_note(data, "lines: they end in carriage returns");
    return replace_source(reader, encoding, true);
}
