/* json_line: reads back a JSON object without nesting, as this program writes them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* What follows a backslash; false for what is not written by us. \u is kept below 128 only. */
static bool read_escape(const char **at, char *out)
{
    char digits[5] = "", *end;
    if (**at == '"' || **at == '\\' || **at == '/') {
        *out = *(*at)++;
        return true;
    }
    if (**at != 'u' || strlen(*at) < 5)
        return false;
    memcpy(digits, *at + 1, 4);
    unsigned long code = strtoul(digits, &end, 16);
    if (*end || code == 0 || code > 127)
        return false;
    *out = (char)code;
    *at += 5;
    return true;
}

/* A string from its quote on; false if it does not end, or does not fit. */
static bool read_text(const char **at, char *out, size_t room)
{
    size_t length = 0;
    if (**at != '"')
        return false;
    for ((*at)++; **at && **at != '"';) {
        if (length + 1 >= room)
            return false;
        if (**at != '\\') {
            out[length++] = *(*at)++;
            continue;
        }
        (*at)++;
        if (!read_escape(at, &out[length++]))
            return false;
    }
    out[length] = '\0';
    return *(*at)++ == '"';
}

static bool read_value(const char **at, struct json_member *member)
{
    char *end;
    member->is_text = **at == '"';
    member->is_null = strncmp(*at, "null", 4) == 0;
    if (member->is_text)
        return read_text(at, member->text, sizeof member->text);
    if (member->is_null) {
        *at += 4;
        return true;
    }
    if (!isdigit((unsigned char)**at) && **at != '-')
        return false;
    member->number = strtod(*at, &end);
    bool found = end != *at;
    *at = end;
    return found;
}

bool json_line_read(const char *line, json_member_fn *found, void *context)
{
    const char *at = skip_blanks(line);
    struct json_member member;
    if (*at++ != '{')
        return false;
    do {
        at = skip_blanks(at);
        if (!read_text(&at, member.name, sizeof member.name))
            return false;
        at = skip_blanks(at);
        if (*at++ != ':')
            return false;
        at = skip_blanks(at);
        if (!read_value(&at, &member))
            return false;
        found(context, &member);
        at = skip_blanks(at);
    } while (*at++ == ',');
    return at[-1] == '}' && *skip_blanks(at) == '\0';
}
