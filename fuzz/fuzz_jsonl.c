/* Any bytes as JSON lines: a dataset that is right, or a refusal with a place and advice. */
#define _GNU_SOURCE /* memfd_create */
#include "data/jsonl/jsonl_line.h"
#include "read_fixture.h"

/* Members are within the line, and texts can be decoded. */
static void check_line(const char *from, const char *to)
{
    struct jsonl_line line;
    struct jsonl_member member;
    char *decoded = malloc((size_t)(to - from) + 1);
    REQUIRE(decoded, "no memory");
    jsonl_line_open(&line, from, to);
    while (jsonl_line_next(&line, &member)) {
        REQUIRE(member.key.from > from && member.key.to < member.from && member.to <= to, "a member beyond the line");
        REQUIRE(jsonl_decode(&member.key, decoded) <= (size_t)(member.key.to - member.key.from), "a longer key");
        if (member.kind == JSONL_TEXT)
            jsonl_decode(&member.text, decoded);
    }
    REQUIRE(!line.fault_at || (line.fault_at >= from && line.fault_at <= to && strstr(line.fault, "; ")), "%s",
            line.fault);
    free(decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const temper_read_options options = {.automatic = size % 2 ? 1 : 0, .missing = size % 3 ? NULL : "zero"};
    const char *newline = size ? memchr(input, '\n', size) : NULL;
    if (size > 0)
        check_line((const char *)input, newline ? newline : (const char *)input + size);
    struct dataset *data = fuzz_read(read_jsonl, input, size, options);
    dataset_free(data);
    return 0;
}
