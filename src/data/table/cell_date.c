/* cell_date: days and times of day as tables have them: 2024-05-01, 1.5.2024, 5/1/24, 1 May 2024, May 1, 2024,
 * 2024-05-01T12:30:00Z, 12:30, 1:05 PM.
 *
 * A date is split into numbers and words, which are then assigned: the name of a month, a year of four digits, and
 * what is left by the order of the column. */
#include <string.h>

#include "data/table/table_cells.h"

enum { FIELDS_MOST = 3, CELL_LONGEST = 40, YEAR_LEAST = 1000, YEAR_MOST = 2999 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* ---- The calendar ------------------------------------------------------------------------------ */

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to this day of the Gregorian calendar; years are at least 1. */
static int days_since_1970(int year, int month, int day)
{
    int before = year - 1, days = day - 1;
    for (int m = 1; m < month; m++)
        days += days_of_month(year, m);
    return before * 365 + before / 4 - before / 100 + before / 400 + days - 719162;
}

/* The month of an English name, whole or of three letters; 0 if it is none. */
static int month_named(const char *from, const char *to)
{
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
    size_t length = (size_t)(to - from);
    if (length < 3)
        return 0;
    for (int m = 0; m < 12; m++) {
        size_t i = 0;
        while (i < length && names[m][i] && (from[i] | 0x20) == names[m][i])
            i++;
        if (i == length && (length == 3 || names[m][i] == '\0'))
            return m + 1;
    }
    return length == 4 && (from[0] | 0x20) == 's' && month_named(from, from + 3) ? 9 : 0; /* Sept */
}

/* ---- Days -------------------------------------------------------------------------------------- */

/* The fields of a day in the order of the cell. */
struct day_fields {
    int value[FIELDS_MOST];
    int digits[FIELDS_MOST];
    int count;
    int month;    /* by name; 0: none */
    int month_at; /* numbers before the name */
};

/* Takes a run of digits; false if there are too many fields or digits. */
static bool take_digits(const char **p, const char *to, struct day_fields *fields)
{
    int value = 0, digits = 0;
    for (; *p < to && is_digit(**p); ++*p) {
        if (++digits > 4)
            return false;
        value = value * 10 + (**p - '0');
    }
    if (fields->count == FIELDS_MOST)
        return false;
    fields->value[fields->count] = value;
    fields->digits[fields->count++] = digits;
    return true;
}

/* Takes a run of letters: a month, a day of the week, "st" and the like after a number. */
static bool take_letters(const char **p, const char *to, struct day_fields *fields)
{
    static const char weekdays[] = "mon tue wed thu fri sat sun";
    const char *from = *p;
    while (*p < to && is_letter(**p))
        ++*p;
    int month = month_named(from, *p);
    if (month > 0 && fields->month == 0) {
        fields->month = month;
        fields->month_at = fields->count;
        return true;
    }
    char word[4] = {0};
    for (int i = 0; i < 3 && from + i < *p; i++)
        word[i] = (char)(from[i] | 0x20);
    if (*p - from == 2)
        return fields->count > 0 && (strcmp(word, "st") == 0 || strcmp(word, "nd") == 0 || strcmp(word, "rd") == 0 ||
                                     strcmp(word, "th") == 0);
    return *p - from >= 3 && strstr(weekdays, word) != NULL;
}

/* Splits [from, to) into fields. Marks between them are - / . , and blanks. */
static bool split_day(const char *from, const char *to, struct day_fields *fields)
{
    *fields = (struct day_fields){.count = 0};
    bool joined = true; /* a field may follow */
    for (const char *p = from; p < to;) {
        if (is_digit(*p)) {
            if (!joined || !take_digits(&p, to, fields))
                return false;
            joined = false;
        } else if (is_letter(*p)) {
            if (!take_letters(&p, to, fields))
                return false;
            joined = true;
        } else if (strchr("-/., ", *p)) {
            joined = true;
            p++;
        } else {
            return false;
        }
    }
    return true;
}

/* Assigns day, month and year of three numbers by the order; a year of four digits has its own place. */
static void assign_numbers(const struct day_fields *fields, enum date_order order, int *year, int *month, int *day)
{
    static const int places[DATE_ORDERS][3] = {
        /* of year, month, day */ [DATE_YMD] = {0, 1, 2}, [DATE_DMY] = {2, 1, 0}, [DATE_MDY] = {2, 0, 1}};
    const int *place = places[fields->digits[0] == 4 ? DATE_YMD : order];
    *year = place[0];
    *month = fields->value[place[1]];
    *day = fields->value[place[2]];
}

/* Finds year (as an index of the fields), month and day. Two numbers are year and month, or, beside the name of a
 * month, day and year. */
static bool assign_fields(const struct day_fields *fields, enum date_order order, int *year, int *month, int *day)
{
    if (fields->month > 0 && fields->count == 2) {
        *month = fields->month;
        *year = fields->digits[0] == 4 ? 0 : 1;
        *day = fields->value[1 - *year];
        return true;
    }
    if (fields->month > 0 && fields->count == 1) { /* May 2024 */
        *month = fields->month;
        *year = 0;
        *day = 1;
        return fields->digits[0] == 4;
    }
    if (fields->month == 0 && fields->count == 2 && fields->digits[0] == 4) {
        *year = 0;
        *month = fields->value[1];
        *day = 1;
        return fields->digits[1] == 2;
    }
    if (fields->month > 0 || fields->count != FIELDS_MOST)
        return false;
    assign_numbers(fields, order, year, month, day);
    return true;
}

/* Reads a day. A year has four digits, or two: those up to 69 are of this century, as in POSIX. */
static bool read_day(const char *from, const char *to, enum date_order order, struct cell_date *out)
{
    struct day_fields fields;
    int at, day;
    if (!split_day(from, to, &fields) || !assign_fields(&fields, order, &at, &out->month, &day))
        return false;
    int year = fields.value[at];
    if (fields.digits[at] == 2)
        year += year < 70 ? 2000 : 1900;
    else if (fields.digits[at] != 4)
        return false;
    if (year < YEAR_LEAST || year > YEAR_MOST || out->month < 1 || out->month > 12 || day < 1 ||
        day > days_of_month(year, out->month))
        return false;
    int days = days_since_1970(year, out->month, day);
    out->year = year;
    out->days = days;
    out->weekday = ((days + 3) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
    out->day = true;
    return true;
}

/* ---- Times ------------------------------------------------------------------------------------- */

/* One or two digits at *p; -1 if there are none. */
static int two_digits(const char **p, const char *to)
{
    int value = 0, count = 0;
    for (; *p < to && is_digit(**p) && count < 2; ++*p, count++)
        value = value * 10 + (**p - '0');
    return count > 0 ? value : -1;
}

/* AM or PM after blanks; changes the hour. False for other letters. */
static bool read_half(const char **p, const char *to, int *hour)
{
    while (*p < to && **p == ' ')
        ++*p;
    if (to - *p < 2 || ((*p)[1] | 0x20) != 'm' || !strchr("aApP", **p))
        return true;
    bool after_noon = (**p | 0x20) == 'p';
    if (*hour < 1 || *hour > 12)
        return false;
    *hour = *hour % 12 + (after_noon ? 12 : 0);
    *p += 2;
    return true;
}

/* A time zone: Z, UTC, +02:00, +0200, or nothing. */
static bool is_zone(const char *p, const char *to)
{
    size_t length = (size_t)(to - p);
    if (length == 0 || (length == 1 && *p == 'Z') || (length == 3 && memcmp(p, "UTC", 3) == 0))
        return true;
    if (*p != '+' && *p != '-')
        return false;
    for (p++; p < to; p++)
        if (!is_digit(*p) && *p != ':')
            return false;
    return length >= 3 && length <= 6;
}

/* Seconds and their fraction after a colon. */
static bool read_seconds(const char **p, const char *to, double *seconds)
{
    double unit = 1;
    if (*p == to || **p != ':')
        return true;
    ++*p;
    int whole = two_digits(p, to);
    if (whole < 0 || whole > 60)
        return false;
    *seconds = whole;
    if (*p < to && (**p == '.' || **p == ','))
        for (++*p; *p < to && is_digit(**p); ++*p)
            *seconds += (**p - '0') * (unit /= 10);
    return true;
}

static bool read_time(const char *p, const char *to, struct cell_date *out)
{
    double seconds = 0;
    int hour = two_digits(&p, to);
    if (hour < 0 || p == to || *p != ':')
        return false;
    p++;
    int minute = two_digits(&p, to);
    if (minute < 0 || minute > 59 || !read_seconds(&p, to, &seconds) || !read_half(&p, to, &hour) || hour > 24)
        return false;
    while (p < to && *p == ' ')
        p++;
    if (!is_zone(p, to))
        return false;
    out->hour = hour + minute / 60.0 + seconds / 3600;
    out->time = true;
    return true;
}

/* ---- Both -------------------------------------------------------------------------------------- */

/* Where the time of day begins: at the word that has the first colon; `to` if there is none. */
static const char *find_time(const char *from, const char *to)
{
    const char *colon = memchr(from, ':', (size_t)(to - from));
    if (!colon)
        return to;
    while (colon > from && is_digit(colon[-1]))
        colon--;
    return colon;
}

bool cell_date(const char *from, const char *to, enum date_order order, struct cell_date *out)
{
    *out = (struct cell_date){.day = false};
    if (to - from < 4 || to - from > CELL_LONGEST)
        return false;
    const char *time = find_time(from, to), *day_end = time;
    if (time < to && !read_time(time, to, out))
        return false;
    while (day_end > from && (day_end[-1] == ' ' || (day_end == time && time < to && day_end[-1] == 'T')))
        day_end--;
    if (day_end == from)
        return time < to; /* a time alone */
    if (!read_day(from, day_end, order, out))
        return false;
    out->days += out->hour / 24;
    return true;
}
