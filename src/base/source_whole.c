/* source_whole: piece after piece, until the end. */
#include "base/source_whole.h"

#include "base/source.h"

static temper_status read_pieces(struct source *source, struct text *text, temper_error *error)
{
    char piece[16384];
    size_t got = 1;
    while (got) {
        temper_status status = source_read(source, piece, sizeof piece, &got, error);
        if (status != TEMPER_OK)
            return status;
        text_append_bytes(text, piece, got);
    }
    return text->failed ? error_no_memory(error) : TEMPER_OK;
}

temper_status source_whole(const char *path, struct text *text, temper_error *error)
{
    struct source *source;
    temper_status status = source_open(path, &source, error);
    if (status != TEMPER_OK)
        return status;
    status = read_pieces(source, text, error);
    source_close(source);
    return status;
}
