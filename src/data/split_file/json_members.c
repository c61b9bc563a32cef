/* json_members: passes over values by their brackets and quotes. */
#include "data/split_file/json_members.h"

static void skip_blanks(struct json_members *members)
{
    while (members->at < members->to &&
           (*members->at == ' ' || *members->at == '\t' || *members->at == '\r' || *members->at == '\n'))
        members->at++;
}

/* Whether the next byte is this one, which is passed over. */
static bool take(struct json_members *members, char byte)
{
    skip_blanks(members);
    if (members->at == members->to || *members->at != byte)
        return false;
    members->at++;
    return true;
}

static bool fail(struct json_members *members)
{
    members->malformed = true;
    return false;
}

/* Passes over a string, from its first quote; false if it does not end. */
static bool skip_string(struct json_members *members)
{
    for (members->at++; members->at < members->to && *members->at != '"'; members->at++)
        if (*members->at == '\\' && members->at + 1 < members->to)
            members->at++;
    if (members->at == members->to)
        return false;
    members->at++;
    return true;
}

/* Passes over an object or an array, whose brackets may be nested. */
static bool skip_nested(struct json_members *members)
{
    size_t depth = 0;
    while (members->at < members->to) {
        char byte = *members->at;
        if (byte == '"') {
            if (!skip_string(members))
                return false;
            continue;
        }
        members->at++;
        depth += byte == '{' || byte == '[';
        if ((byte == '}' || byte == ']') && --depth == 0)
            return true;
    }
    return false;
}

/* Passes over a number, true, false or null. */
static bool skip_word(struct json_members *members)
{
    const char *from = members->at;
    while (members->at < members->to && *members->at > ' ' && *members->at != ',' && *members->at != '}')
        members->at++;
    return members->at > from;
}

static bool skip_value(struct json_members *members)
{
    if (members->at == members->to)
        return false;
    if (*members->at == '"')
        return skip_string(members);
    return *members->at == '{' || *members->at == '[' ? skip_nested(members) : skip_word(members);
}

/* After the last member only blanks may follow. */
bool json_members_next(struct json_members *members)
{
    bool first = !members->begun;
    if (first && !take(members, '{'))
        return fail(members);
    members->begun = true;
    if (take(members, '}')) {
        skip_blanks(members);
        return members->at == members->to ? false : fail(members);
    }
    if (!first && !take(members, ','))
        return fail(members);
    skip_blanks(members);
    if (members->at == members->to || *members->at != '"')
        return fail(members);
    members->key = members->at + 1;
    if (!skip_string(members))
        return fail(members);
    members->key_length = (size_t)(members->at - 1 - members->key);
    if (!take(members, ':'))
        return fail(members);
    skip_blanks(members);
    members->value = members->at;
    if (!skip_value(members))
        return fail(members);
    members->value_length = (size_t)(members->at - members->value);
    return true;
}
