/* cell_words: words in cells: those for "no value", for true and false, and the words of a text, hashed to features. */
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "data/table/table_cells.h"

enum { WORD_LONGEST = 64 }; /* bytes of a word that count */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether [from, to) is the word, which is in lower case, in any case of its ASCII letters. */
static bool is_word(const char *from, const char *to, const char *word)
{
    for (; from < to && *word && lower(*from) == *word; from++)
        word++;
    return from == to && *word == '\0';
}

/* ---- Gaps -------------------------------------------------------------------------------------- */

/* The words of the second list may be values: a class "none", a sign "-". A label is never one of them. */
bool cell_is_gap(const char *from, const char *to, const struct names *more, bool certain)
{
    static const char *const words[] = {"na",   "n/a",      "#n/a", "#na",  "<na>",   "nan", "-nan",
                                        "null", "#n/a n/a", "?",    "n.a.", "#null!", "nat", "\\n"};
    static const char *const weak[] = {"none", "-", "--", "---", ".", "..", "...", "missing"};
    if (from == to)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(from, to, words[i]))
            return true;
    for (size_t i = 0; !certain && i < sizeof weak / sizeof *weak; i++)
        if (is_word(from, to, weak[i]))
            return true;
    size_t length = (size_t)(to - from);
    for (size_t i = 0; more && i < more->count; i++)
        if (strlen(more->name[i]) == length && memcmp(more->name[i], from, length) == 0)
            return true;
    return false;
}

/* ---- True and false ---------------------------------------------------------------------------- */

unsigned cell_boolean_pairs(const char *from, const char *to, double *value)
{
    static const char *const pairs[BOOLEAN_PAIRS][2] = {{"false", "true"}, {"no", "yes"}, {"f", "t"},
                                                        {"n", "y"},        {"off", "on"}, {".false.", ".true."}};
    if (to - from == 1 && (*from == '0' || *from == '1')) {
        *value = *from - '0';
        return (1u << BOOLEAN_PAIRS) - 1;
    }
    for (unsigned i = 0; i < BOOLEAN_PAIRS; i++)
        for (int side = 0; side < 2; side++)
            if (is_word(from, to, pairs[i][side])) {
                *value = side;
                return 1u << i;
            }
    return 0;
}

/* ---- Texts ------------------------------------------------------------------------------------- */

/* Letters, digits and everything beyond ASCII; an apostrophe ends a word. */
static bool is_letter(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || (unsigned char)c >= 0x80;
}

/* The next word of the text, in lower case; its length, 0 at the end. */
static size_t next_word(const char **at, const char *to, char out[WORD_LONGEST])
{
    size_t length = 0;
    const char *p = *at;
    while (p < to && !is_letter(*p))
        p++;
    for (; p < to && is_letter(*p); p++)
        if (length < WORD_LONGEST)
            out[length++] = lower(*p);
    *at = p;
    return length;
}

size_t cell_count_words(const char *from, const char *to)
{
    char word[WORD_LONGEST];
    size_t count = 0;
    while (next_word(&from, to, word) > 0)
        count++;
    return count;
}

/* Counts of words are damped by their square root when the row gets unit length: a long text is not a loud one. A pair
 * is hashed from the hashes of its words, in order. */
void cell_words(const char *from, const char *to, double *out, size_t count)
{
    char word[WORD_LONGEST];
    size_t length;
    uint64_t before = 0;
    double squares = 0;
    memset(out, 0, count * sizeof *out);
    while ((length = next_word(&from, to, word)) > 0) {
        uint64_t hash = XXH3_64bits(word, length);
        out[hash % count]++;
        if (before) {
            const uint64_t pair[2] = {before, hash};
            out[XXH3_64bits(pair, sizeof pair) % count]++;
        }
        before = hash | 1;
    }
    for (size_t i = 0; i < count; i++)
        squares += out[i] * out[i];
    for (size_t i = 0; squares > 0 && i < count; i++)
        out[i] /= sqrt(squares);
}
