/* xml: whether a text is well formed, as far as our writers go. */
#include "xml.h"

#include <ctype.h>
#include <string.h>

static const char *skip_name(const char *at)
{
    while (isalnum((unsigned char)*at) || *at == '-' || *at == ':')
        at++;
    return at;
}

/* After the name of an element: attributes with quoted values, then > or />. NULL if not so. */
static const char *skip_attributes(const char *at)
{
    while (*at == ' ') {
        const char *name = at + 1;
        at = skip_name(name);
        if (at == name || at[0] != '=' || at[1] != '"')
            return NULL;
        size_t length = strcspn(at + 2, "\"<");
        at += 2 + length;
        if (*at++ != '"')
            return NULL;
    }
    return at;
}

static bool is_entity(const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(at, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* Elements that are open now. */
struct open {
    const char *names[32];
    size_t lengths[32];
    size_t depth;
};

/* Takes in the tag at `at`; returns what follows it, or NULL if it is wrong. */
static const char *read_tag(struct open *open, const char *at)
{
    bool closing = at[1] == '/';
    const char *name = at + 1 + closing, *end = skip_name(name);
    size_t length = (size_t)(end - name);
    if (closing) {
        if (open->depth == 0 || *end != '>')
            return NULL;
        open->depth--;
        bool same = open->lengths[open->depth] == length &&
                    strncmp(open->names[open->depth], name, length) == 0;
        return same ? end + 1 : NULL;
    }
    end = skip_attributes(end);
    if (!end || length == 0 || open->depth == 32)
        return NULL;
    if (end[0] == '/' && end[1] == '>')
        return end + 2;
    open->names[open->depth] = name;
    open->lengths[open->depth++] = length;
    return *end == '>' ? end + 1 : NULL;
}

bool xml_is_well_formed(const char *svg)
{
    struct open open = {.depth = 0};
    const char *at = svg;
    while (at && *at) {
        if (*at == '<')
            at = read_tag(&open, at);
        else if (*at == '&' ? !is_entity(at) : (unsigned char)*at < ' ' && *at != '\n')
            return false;
        else if (open.depth == 0 && *at != '\n')
            return false;
        else
            at++;
    }
    return at && open.depth == 0 && !strstr(svg, "nan") && !strstr(svg, "inf ") &&
           !strstr(svg, "inf\"");
}
