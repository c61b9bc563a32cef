/* review_page: a review section from its embedded files and data.
 *
 * Cells of the data are foreign text and may be hostile: they are in a JSON element that no parser of HTML can leave,
 * the script makes text nodes of them, and the page's policy runs no other script. */
#include "report/review/review_page.h"

#include <string.h>

#include "report/html.h"

/* Made from the files beside this one by cmake/embed.cmake. */
extern const char review_html[], review_css[], review_js[];

static const char nonce_mark[] = "<script nonce=\"";

/* Appends one character of a JSON string; `length` is that of its UTF-8 form, 0 if it has none. */
static void append_character(struct text *out, const char *p, size_t length)
{
    unsigned char c = (unsigned char)*p;
    /* U+2028 and U+2029 end lines of JavaScript; DEL and the controls of Latin-1 are not allowed in XML. */
    bool line_end = length == 3 && (memcmp(p, "\xe2\x80\xa8", 3) == 0 || memcmp(p, "\xe2\x80\xa9", 3) == 0);
    if (length == 0)
        text_append(out, "\xef\xbf\xbd");
    else if (line_end)
        text_format(out, "\\u202%c", p[2] == '\xa8' ? '8' : '9');
    else if (c < 0x20 || c == 0x7f || strchr("<>&\"\\'", c))
        text_format(out, "\\u%04x", c);
    else
        text_append_bytes(out, p, length);
}

/* Runs of harmless ASCII, which nearly all text consists of, are appended at once. */
void review_string(struct text *out, const char *string, size_t length, size_t limit)
{
    const char *to = string + length, *end = length > limit ? string + limit : to;
    text_append(out, "\"");
    for (const char *p = string; p < end;) {
        const char *plain = p;
        while (plain < end && *plain >= ' ' && *plain < 0x7f && !strchr("<>&\"\\'", *plain))
            plain++;
        text_append_bytes(out, p, (size_t)(plain - p));
        p = plain;
        if (p < end) {
            size_t bytes = utf8_length(p, to);
            append_character(out, p, bytes);
            p += bytes ? bytes : 1;
        }
    }
    text_append(out, length > limit ? "\xe2\x80\xa6\"" : "\"");
}

/* The script is in a CDATA section behind a comment, which makes the page well formed as XML too. */
void review_section(struct text *out, const char *id, const struct text *json)
{
    text_append(out, review_html);
    text_append(out, "<script type=\"application/json\" id=\"review-data\">");
    text_append_bytes(out, json->bytes ? json->bytes : "", json->length);
    text_format(out, "</script>\n%s%s\">\n//<![CDATA[\n", nonce_mark, id);
    text_append(out, review_js);
    text_append(out, "//]]>\n</script>\n");
    out->failed |= json->failed;
}

void review_begin(struct text *out, const char *title, const char *section)
{
    const char *nonce = section ? strstr(section, nonce_mark) : NULL;
    struct text policy = {0};
    if (nonce) {
        nonce += strlen(nonce_mark);
        text_append(&policy, "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'nonce-");
        text_append_bytes(&policy, nonce, strcspn(nonce, "\""));
        text_append(&policy, "'");
    }
    html_begin_with(out, title, review_css, policy.bytes);
    out->failed |= policy.failed;
    text_free(&policy);
}
