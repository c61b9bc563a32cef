/* model_load: is it a model, is it whole, is it damaged; then its keys are read. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/source.h"
#include "data/read/format.h"
#include "model/model_file.h"

enum { FIRST_LOOK = 16384, PIECE = 1 << 16 }; /* bytes */

/* The file on its way; the text is all of it, with a '\0' behind. */
struct loading {
    struct source *source;
    const char *name;
    struct text text;
    temper_error *error;
};

/* ---- Something else -------------------------------------------------------------------------- */

/* By its first bytes, as far as they are like those of a model. */
static bool begins_like_model(const char *bytes, size_t length)
{
    size_t head = strlen(MODEL_HEAD);
    return memcmp(bytes, MODEL_HEAD, length < head ? length : head) == 0;
}

/* Says what the file is, if that can be told. */
static temper_status refuse_stranger(const struct loading *loading, const unsigned char *bytes, size_t length)
{
    const char *name = loading->name;
    if (length == 0)
        return error_set(loading->error, TEMPER_BAD_DATA,
                         "%s: the file is empty, and no model; train one: temper train", name);
    if (strstr((const char *)bytes, MODEL_FORMAT))
        return error_at(loading->error, TEMPER_BAD_DATA, 1, 1,
                        "%s:1:1: a model, but not as temper wrote it; take the file as it was, or "
                        "train again",
                        name);
    const struct format *format = format_of_content(bytes, length);
    if (format && bytes[0] != '{' && bytes[0] != '[')
        return error_set(loading->error, TEMPER_BAD_DATA,
                         "%s: no model, but data, %s as it seems; name a model file, or train one: "
                         "temper train",
                         name, format->name);
    return error_set(loading->error, TEMPER_BAD_DATA,
                     "%s: this is no model of temper; name a file that temper train wrote", name);
}

/* Before anything is read: a data file may be larger than the memory. */
static temper_status look(const struct loading *loading)
{
    const unsigned char *bytes;
    char first[FIRST_LOOK + 1];
    size_t length;
    temper_status status = source_peek(loading->source, FIRST_LOOK, &bytes, &length, loading->error);
    if (status != TEMPER_OK)
        return status;
    if (length > 0 && begins_like_model((const char *)bytes, length))
        return TEMPER_OK;
    memcpy(first, bytes, length);
    first[length] = '\0';
    return refuse_stranger(loading, (const unsigned char *)first, length);
}

/* ---- Whole and undamaged --------------------------------------------------------------------- */

static temper_status read_all(struct loading *loading)
{
    struct text *text = &loading->text;
    temper_status status = TEMPER_OK;
    char *piece = mem_alloc(PIECE, 1);
    if (!piece)
        return error_no_memory(loading->error);
    for (size_t got = 1; status == TEMPER_OK && got > 0 && !text->failed;) {
        status = source_read(loading->source, piece, PIECE, &got, loading->error);
        if (status == TEMPER_OK)
            text_append_bytes(text, piece, got);
    }
    mem_free(piece);
    return status == TEMPER_OK && text->failed ? error_no_memory(loading->error) : status;
}

/* At the end of what there is: its line and column. */
static temper_status refuse_cut(const struct loading *loading)
{
    const struct text *text = &loading->text;
    size_t line = 1, column = 1;
    for (size_t i = 0; i < text->length; i++) {
        bool newline = text->bytes[i] == '\n';
        line += newline;
        column = newline ? 1 : column + 1;
    }
    return error_at(loading->error, TEMPER_BAD_DATA, line, column,
                    "%s:%zu:%zu: the file ends without its checksum: it was cut off or changed; "
                    "take a whole copy, or train again",
                    loading->name, line, column);
}

/* The second line, `"version": 1,`: a newer one may be different from there on. */
static temper_status check_version(const struct loading *loading)
{
    const char *bytes = loading->text.bytes, *from = bytes + strlen(MODEL_HEAD);
    const char *to = bytes + loading->text.length, key[] = "\"version\": ";
    unsigned long long version;
    if ((size_t)(to - from) < sizeof key || memcmp(from, key, sizeof key - 1) != 0)
        return TEMPER_OK; /* damaged: the checksum tells */
    from += sizeof key - 1;
    const char *end = memchr(from, ',', (size_t)(to - from));
    if (!end || !number_u64(from, end, &version) || version <= MODEL_VERSION)
        return TEMPER_OK;
    return error_at(loading->error, TEMPER_BAD_DATA, 3, 12,
                    "%s:3:12: the model was written by a newer temper, in version %llu of the "
                    "format, and this one reads up to version %d; update temper",
                    loading->name, version, (int)MODEL_VERSION);
}

/* Every file ends in the checksum of what is before it. */
static temper_status check_sum(const struct loading *loading)
{
    char tail[MODEL_TAIL + 1];
    size_t length = loading->text.length;
    const char *bytes = loading->text.bytes, *found = bytes + length - MODEL_TAIL;
    if (length < strlen(MODEL_HEAD) + MODEL_TAIL || memcmp(found, "\"checksum\": \"", 13) != 0 ||
        memcmp(found + 13 + MODEL_DIGEST, "\"\n}\n", 4) != 0)
        return refuse_cut(loading);
    model_tail(bytes, length - MODEL_TAIL, tail);
    if (memcmp(found, tail, MODEL_TAIL) == 0)
        return TEMPER_OK;
    return error_set(loading->error, TEMPER_BAD_DATA,
                     "%s: the checksum is not that of the content: the file was damaged, or changed "
                     "by hand; take an undamaged copy, or train again",
                     loading->name);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static temper_status parse_checked(const struct loading *loading, struct model **out)
{
    temper_status status = check_version(loading);
    if (status == TEMPER_OK)
        status = check_sum(loading);
    if (status == TEMPER_OK)
        status = model_parse(loading->name, loading->text.bytes, loading->text.length, out, loading->error);
    return status;
}

static temper_status load(struct loading *loading, struct model **out)
{
    temper_status status = look(loading);
    if (status == TEMPER_OK)
        status = read_all(loading);
    return status == TEMPER_OK ? parse_checked(loading, out) : status;
}

/* A copy: what reads it wants a '\0' behind. */
temper_status model_read_text(const char *bytes, size_t length, struct model **out, temper_error *error)
{
    struct loading loading = {.name = "model", .error = error};
    text_append_bytes(&loading.text, bytes, length);
    temper_status status = loading.text.failed ? error_no_memory(error) : TEMPER_OK;
    if (status == TEMPER_OK && (length == 0 || !begins_like_model(bytes, length)))
        status = error_set(error, TEMPER_BAD_DATA, "these bytes are no model of temper");
    if (status == TEMPER_OK)
        status = parse_checked(&loading, out);
    text_free(&loading.text);
    return status;
}

temper_status model_load(const char *path, struct model **out, temper_error *error)
{
    struct loading loading = {.error = error};
    temper_status status = source_open(path, &loading.source, error);
    if (status != TEMPER_OK)
        return status;
    loading.name = source_name(loading.source);
    status = load(&loading, out);
    text_free(&loading.text);
    source_close(loading.source);
    return status;
}
