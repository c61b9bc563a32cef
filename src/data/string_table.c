/* string_table: open addressing with linear probing; strings of up to eight bytes are compared as one word. A new seed
 * at each growth, and growth at long probe sequences, defend against inputs that collide on purpose.
 *
 * Most labels and categories are short: such a string is packed into a word, which is both its hash input and its
 * identity, so that a hit reads one slot and no text. Longer strings have a 64-bit hash in that place, and their texts
 * are compared when the hashes are equal. */
#include "data/string_table.h"

#include <string.h>
#include <xxhash.h>

#include "base/memory.h"

enum {
    FIRST_SLOTS = 64,
    SHORT = 8,           /* bytes that fit in a word */
    LONGEST_PROBE = 128, /* far more than chance gives in a half-full table */
    SPARSEST = 16        /* slots for each string, up to which long probes make the table grow */
};

/* A slot of the table. */
struct string_slot {
    uint64_t key; /* the bytes themselves if they are at most SHORT, else a hash of them */
    char *text;   /* of a longer one */
    size_t length;
    uint32_t number_plus; /* the number + 1; 0: the slot is empty */
};

/* Packs up to eight bytes into a word without reading behind them. Overlapping reads are one to one for a given
 * length, and slot_is compares lengths. */
static uint64_t pack_short(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    uint32_t low, high;
    if (length == 0)
        return 0;
    /* One to three bytes: first, middle and last cover all of them. */
    if (length < sizeof low)
        return (uint64_t)byte[0] | (uint64_t)byte[length / 2] << 8 | (uint64_t)byte[length - 1] << 16;
    memcpy(&low, text, sizeof low);
    memcpy(&high, text + length - sizeof high, sizeof high);
    return low | (uint64_t)high << 32;
}

/* The key of a string, in the form of a slot; its text is borrowed. */
static struct string_slot wanted_slot(const struct string_table *table, const char *text, size_t length)
{
    if (length <= SHORT)
        return (struct string_slot){.key = pack_short(text, length), .length = length};
    return (struct string_slot){
        .key = XXH3_64bits_withSeed(text, length, table->seed), .text = (char *)text, .length = length};
}

/* The first slot to probe: the finaliser of MurmurHash3 on key, length and seed. Short strings are not hashed
 * otherwise. */
static size_t home_of(const struct string_table *table, const struct string_slot *wanted)
{
    uint64_t h = wanted->key ^ table->seed ^ (uint64_t)wanted->length * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
    h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
    return (size_t)(h ^ h >> 33) & (table->slots - 1);
}

/* Compares words first; bytes only of long strings with equal hashes. */
static bool slot_is(const struct string_slot *slot, const struct string_slot *wanted)
{
    return slot->key == wanted->key && slot->length == wanted->length &&
           (slot->length <= SHORT || memcmp(slot->text, wanted->text, slot->length) == 0);
}

/* The slot that holds the string, or the empty one where it belongs; *probes: the number of slots that were passed.
 * The table is never full, so the loop ends. */
static struct string_slot *slot_of(const struct string_table *table, const struct string_slot *wanted, size_t *probes)
{
    size_t i = home_of(table, wanted);
    *probes = 0;
    while (table->slot[i].number_plus && !slot_is(&table->slot[i], wanted)) {
        i = (i + 1) & (table->slots - 1);
        ++*probes;
    }
    return &table->slot[i];
}

/* Moves all strings into `slots` slots with another seed, so that strings that collided probably no longer do. false
 * without memory, with the table unchanged. */
static bool table_resize(struct string_table *table, size_t slots)
{
    struct string_table old = *table;
    struct string_slot *slot = mem_zeroed(slots, sizeof *slot);
    if (!slot)
        return false;
    table->slot = slot;
    table->slots = slots;
    /* A linear congruential step: another seed at each growth. */
    table->seed = table->seed * 6364136223846793005u + 1442695040888963407u;
    for (size_t i = 0; i < old.slots; i++) {
        struct string_slot moved = old.slot[i];
        size_t probes;
        if (!moved.number_plus)
            continue;
        if (moved.text) /* the hash of a long string depends on the seed */
            moved.key = wanted_slot(table, moved.text, moved.length).key;
        *slot_of(table, &moved, &probes) = moved;
    }
    mem_free(old.slot);
    return true;
}

/* Makes sure that a slot is free: keeps the table at most half full, and sparser where strings collide more than
 * chance allows. */
static bool reserve_slot(struct string_table *table, const char *text, size_t length)
{
    size_t probes;
    if (table->slots == 0)
        return table_resize(table, FIRST_SLOTS);
    if (table->used >= table->slots / 2)
        return table_resize(table, table->slots * 2);
    struct string_slot wanted = wanted_slot(table, text, length);
    slot_of(table, &wanted, &probes);
    if (probes > LONGEST_PROBE && table->used > table->slots / SPARSEST)
        return table_resize(table, table->slots * 2);
    return true;
}

/* Adds a string that is not in the table, with a copy of its text; false without memory. */
bool string_table_add(struct string_table *table, const char *text, size_t length, uint32_t number)
{
    size_t probes;
    if (!reserve_slot(table, text, length))
        return false;
    struct string_slot slot = wanted_slot(table, text, length), *place;
    place = slot_of(table, &slot, &probes);
    if (length > SHORT) {
        slot.text = mem_alloc(length, 1);
        if (!slot.text)
            return false;
        memcpy(slot.text, text, length);
    }
    slot.number_plus = number + 1;
    *place = slot;
    table->used++;
    return true;
}

/* The number of a string, or UINT32_MAX. */
uint32_t string_table_find(const struct string_table *table, const char *text, size_t length)
{
    size_t probes;
    if (table->slots == 0)
        return UINT32_MAX;
    struct string_slot wanted = wanted_slot(table, text, length);
    return slot_of(table, &wanted, &probes)->number_plus - 1; /* an empty slot: 0 - 1 */
}

/* Replaces every number n by new_number[n]. */
void string_table_renumber(struct string_table *table, const uint32_t *new_number)
{
    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i].number_plus)
            table->slot[i].number_plus = new_number[table->slot[i].number_plus - 1] + 1;
}

void string_table_free(struct string_table *table)
{
    for (size_t i = 0; i < table->slots; i++)
        mem_free(table->slot[i].text);
    mem_free(table->slot);
    *table = (struct string_table){0};
}
