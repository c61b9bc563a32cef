/* format: the list of formats, how each is recognised by the first bytes or the name of a file, and which files of
 * other programs are refused, with advice.
 *
 * The content decides before the name: magic bytes of binary formats, then the first lines of a text, where a blank,
 * digits and a colon are libsvm and a separator is a table. Only where the content could be anything does the extension
 * decide. Files of spreadsheets, archives, pickles, web pages and tables with decimal commas are recognised so that the
 * message can advise what to do with them. */
#include <stdbool.h>
#include <string.h>

#include "base/path.h"
#include "data/read/format.h"

/* The order does not matter: names and extensions are unique. */
static const struct format formats[] = {
    {"libsvm", read_libsvm, write_libsvm, " .libsvm .svm .svmlight .t .scale "},
    {"csv", read_csv, write_csv, " .csv .data "},
    {"tsv", read_csv, write_tsv, " .tsv .tab "},
    {"jsonl", read_jsonl, write_jsonl, " .jsonl .ndjson "},
    {"npy", read_npy, write_npy, " .npy "},
    {"idx", read_idx, write_idx, " .idx .idx1-ubyte .idx3-ubyte "},
    {"cifar", read_cifar, write_cifar, " .bin "},
    {"tmpr", read_tmpr, write_tmpr, " .tmpr "},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* For messages; in the order of the table above. */
const char format_names[] = "libsvm, csv, tsv, jsonl, npy, idx, cifar, tmpr";

/* Formats are few, so that a linear search will do. */
const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* ---- By name --------------------------------------------------------------------------------- */

/* Finds the extension [*from, *to) of the last part of a path, without .gz or .zst after it; empty if there is none.
 * Two rounds: the compression is removed first, then the extension before it is found. */
static void extension_of(const char *path, const char **from, const char **to)
{
    /* A dot in the name of a folder is no extension. */
    const char *slash = path_last_separator(path), *name = slash ? slash + 1 : path;
    *to = name + strlen(name);
    /* The second round sees the name without the compression. */
    for (int twice = 0; twice < 2; twice++) {
        const char *dot = *to > name ? *to - 1 : name;
        while (dot > name && *dot != '.')
            dot--;
        *from = *dot == '.' ? dot : *to;
        size_t length = (size_t)(*to - *from);
        bool packed = (length == 3 && memcmp(*from, ".gz", 3) == 0) || (length == 4 && memcmp(*from, ".zst", 4) == 0);
        if (!packed)
            return;
        *to = *from;
    }
}

/* MNIST's files are called train-images-idx3-ubyte: they have no extension, and are recognised by the end of the name.
 * */
static bool ends_in_idx(const char *from, const char *to)
{
    return to - from >= 11 && memcmp(to - 10, "idx", 3) == 0 && memcmp(to - 6, "-ubyte", 6) == 0;
}

/* Extensions are stored with blanks around them, so that one strstr compares whole extensions: ".t" must not match
 * ".tsv". The comparison is case-sensitive. */
const struct format *format_of_path(const char *path)
{
    const char *from, *to;
    char wanted[24] = " ";
    extension_of(path, &from, &to);
    if (ends_in_idx(path, to))
        return format_named("idx");
    size_t length = (size_t)(to - from);
    if (length < 2 || length + 3 > sizeof wanted)
        return NULL;
    memcpy(wanted + 1, from, length);
    memcpy(wanted + 1 + length, " ", 2);
    for (size_t i = 0; i < FORMATS; i++)
        if (strstr(formats[i].extensions, wanted))
            return &formats[i];
    return NULL;
}

/* ---- By content ------------------------------------------------------------------------------ */

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* An IDX file begins with 0 0 type dimensions: numbers of a known type, one to four dimensions. The smallest file has a
 * header of eight bytes, so that two zero bytes alone are not mistaken for one. */
static bool looks_like_idx(const unsigned char *b, size_t n)
{
    /* Type codes: unsigned and signed byte, then short, int, float, double. */
    bool known = n >= 8 && (b[2] == 0x08 || b[2] == 0x09 || (b[2] >= 0x0b && b[2] <= 0x0e));
    return known && b[0] == 0 && b[1] == 0 && b[3] >= 1 && b[3] <= 4;
}

/* Whether the line contains a blank, digits and a colon, as in "1 12:0.5". A comma before them makes it CSV, where a
 * cell may contain such text (a time of day). */
static bool line_is_libsvm(const unsigned char *p, const unsigned char *end)
{
    for (; p < end && *p != ','; p++) {
        /* Each blank may start an entry; the digits after it are its index. */
        const unsigned char *q = p + 1;
        if (!is_blank(*p))
            continue;
        while (q < end && is_digit(*q))
            q++;
        if (q > p + 1 && q < end && *q == ':')
            return true;
    }
    return false;
}

/* The format that one line suggests; NULL if it could be anything, such as a single column of numbers. libsvm is tested
 * first, since its lines may contain tabs. */
static const struct format *line_format(const unsigned char *line, const unsigned char *end)
{
    while (line < end && is_blank(*line))
        line++;
    size_t length = (size_t)(end - line);
    if (line_is_libsvm(line, end))
        return format_named("libsvm");
    if (memchr(line, ',', length) || memchr(line, ';', length))
        return format_named("csv");
    return memchr(line, '\t', length) ? format_named("tsv") : NULL;
}

/* The format of the first line that is neither blank nor a comment. A header line of words without a separator is
 * skipped in the same way. */
static const struct format *text_format(const unsigned char *p, const unsigned char *end)
{
    while (p < end) {
        const unsigned char *newline = memchr(p, '\n', (size_t)(end - p));
        const unsigned char *line_end = newline ? newline : end;
        /* Comments are skipped, since their text may contain any separator. */
        const struct format *format = *p == '#' ? NULL : line_format(p, line_end);
        if (format)
            return format;
        p = line_end + 1;
    }
    return NULL;
}

static bool is_space(unsigned char c)
{
    return is_blank(c) || c == '\n';
}

/* Whether the text begins with a JSON object or a list of JSON values, by its bracket and the first token after it. A
 * CSV header [x],[y] is neither. */
static bool json_begins(const unsigned char *bytes, size_t length, unsigned char bracket)
{
    const char *next = bracket == '{' ? "\"}" : "[{\"-0123456789";
    size_t i = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < length && is_space(bytes[i]))
        i++;
    if (i == length || bytes[i] != bracket)
        return false;
    for (i++; i < length && is_space(bytes[i]);)
        i++;
    return i < length && bytes[i] != '\0' && strchr(next, bytes[i]) != NULL;
}

/* Magic bytes of binary formats first, then the first lines of a text. NULL means that the name of the file has to
 * decide. */
const struct format *format_of_content(const unsigned char *bytes, size_t length)
{
    /* CIFAR has no magic number and is not among these. */
    if (length >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return format_named("npy");
    if (length >= 4 && memcmp(bytes, "TMPR", 4) == 0)
        return format_named("tmpr");
    if (looks_like_idx(bytes, length))
        return format_named("idx");
    if (bytes_are_binary(bytes, length))
        return NULL; /* CIFAR, for one: recognised by its name, and checked by its reader */
    if (json_begins(bytes, length, '{'))
        return format_named("jsonl");
    return text_format(bytes, bytes + length);
}

/* ---- Formats of other programs --------------------------------------------------------------- */

/* Whether the bytes contain control characters other than white space and escape, which do not occur in text. Bytes
 * above 127 may be UTF-8 or Latin-1 and count as text. */
bool bytes_are_binary(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] < 0x09 || (bytes[i] > 0x0d && bytes[i] < 0x20 && bytes[i] != 0x1b))
            return true;
    return false;
}

/* ---- Binary files ---------------------------------------------------------------------------- */

enum {
    TAR_AT = 257, /* behind the name, the owner and so on of the first file */
    HEAD = 128    /* of a file: its beginning, where a binary one is no text */
};

/* Magic numbers that no supported format begins with, at offset `at`, and the advice for each, which completes the
 * sentence "this is ...". */
static const struct {
    const char *magic;
    size_t length, at;
    const char *words;
} binary_files[] = {
    {"PAR1", 4, 0,
     "a Parquet file; let DuckDB read it: duckdb -csv -c \"FROM read_parquet('FILE')\" | temper train - (or in Python: "
     "temperlr.read)"},
    {"\x89HDF\r\n", 6, 0, "an HDF5 file; save its table as .npy or .csv"},
    {"ARROW1", 6, 0,
     "an Arrow file; let polars read it: python3 -c \"import polars; "
     "polars.read_ipc('FILE').write_csv('/dev/stdout')\" | "
     "temper train - (or in Python: temperlr.read)"},
    {"FEA1", 4, 0, "a Feather file of the first version; in Python: temperlr.read, with pyarrow"},
    {"ORC", 3, 0, "an ORC file; save its table as .csv or .npy"},
    {"Obj\x01", 4, 0, "an Avro file; save its table as .csv"},
    {"MATLAB 5.0", 10, 0, "a MATLAB file; save its table as .csv"},
    {"RDX", 3, 0, "an R file; save its table with write.csv"},
    {"X\n\0\0\0", 5, 0, "an R file; save its table with write.csv"},
    {"SQLite format 3", 15, 0, "an SQLite file; save a query as .csv"},
    {"\xd0\xcf\x11\xe0", 4, 0, "an Excel file; save its table as .csv"},
    {"%PDF-", 5, 0, "a PDF file; save its table as .csv"},
    {"\x89PNG", 4, 0, "a picture (PNG); save the pixels of all pictures with numpy.save, one a row"},
    {"\xff\xd8\xff", 3, 0, "a picture (JPEG); save the pixels of all pictures with numpy.save, one a row"},
    {"GIF8", 4, 0, "a picture (GIF); save the pixels of all pictures with numpy.save, one a row"},
    {"\x1f\x8b", 2, 0, "compressed twice; unpack it once"},
    {"\x28\xb5\x2f\xfd", 4, 0, "compressed twice; unpack it once"},
    {"BZh", 3, 0, "compressed by bzip2; unpack it first: bunzip2"},
    {"\xfd"
     "7zXZ",
     5, 0, "compressed by xz; unpack it first: unxz"},
    {"ustar", 5, TAR_AT, "a tar archive; unpack it, and give one of its files: tar xf"},
    {"\xff\xfe", 2, 0, "text in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff", 2, 0, "text in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"},
};

/* Whether the bytes begin with a magic number. */
static bool has(const unsigned char *bytes, size_t length, const char *magic, size_t size)
{
    return length >= size && memcmp(bytes, magic, size) == 0;
}

/* Whether a word occurs in the first bytes. */
static bool holds(const unsigned char *bytes, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++)
        if (memcmp(bytes + i, word, size) == 0)
            return true;
    return false;
}

/* A zip archive begins with the local header of its first file, which contains that file's name: enough to recognise
 * the office formats and NPZ, which are zip archives. */
static const char *zip_file(const unsigned char *bytes, size_t length)
{
    size_t head = length < HEAD ? length : HEAD;
    if (!has(bytes, length, "PK\x03\x04", 4))
        return NULL;
    /* The first entries of an Office Open XML file. */
    if (holds(bytes, head, "[Content_Types].xml") || holds(bytes, head, "_rels/"))
        return "an Excel file or the like; save its table as .csv";
    if (holds(bytes, head, ".npy"))
        return "an NPZ archive; save one of its arrays with numpy.save";
    return "a zip archive, as .npz and .xlsx are; unpack it, or save its table as .npy or .csv";
}

/* Pickle protocols 2 to 5 begin with 0x80 and the protocol number. */
static bool is_pickle(const unsigned char *bytes, size_t length)
{
    return length > 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

/* For magic numbers that are words; ASCII only. */
static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Recognises files with a magic number; returns the advice or NULL. A magic number that is a word ("ORC") must be
 * followed by binary bytes soon, because it could also be the first column name of a table. */
static const char *binary_file(const unsigned char *bytes, size_t length)
{
    bool binary = bytes_are_binary(bytes, length < HEAD ? length : HEAD);
    for (size_t i = 0; i < sizeof binary_files / sizeof *binary_files; i++) {
        size_t at = binary_files[i].at;
        const char *magic = binary_files[i].magic;
        if (length > at && (binary || !is_letter(magic[0])) &&
            has(bytes + at, length - at, magic, binary_files[i].length))
            return binary_files[i].words;
    }
    if (is_pickle(bytes, length))
        return "a Python pickle; save its array with numpy.save";
    return zip_file(bytes, length);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Whether the text begins with `word`, which is in lower case, in any case of the text. */
static bool begins(const unsigned char *bytes, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i < size && i < length; i++) {
        unsigned char c = bytes[i];
        if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != (unsigned char)word[i])
            return false;
    }
    return length >= size;
}

/* Recognises texts that are not tables: HTML, XML, ARFF, a JSON list. If a format was given, only a web page is
 * refused, the usual result of a failed download: a text that looks like JSON may still be an unusual CSV file. */
static const char *text_file(const unsigned char *bytes, size_t length, bool format_given)
{
    /* A byte order mark and blank lines may precede the first tag. */
    size_t skip = has(bytes, length, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (skip < length && is_space(bytes[skip]))
        skip++;
    bytes += skip;
    length -= skip;
    if (begins(bytes, length, "<!doctype html") || begins(bytes, length, "<html"))
        return "a web page, not data; fetch the file itself";
    if (format_given)
        return NULL;
    if (begins(bytes, length, "<?xml") || begins(bytes, length, "<!doctype"))
        return "an XML file; save its table as .csv";
    if (begins(bytes, length, "@relation") || begins(bytes, length, "@attribute"))
        return "an ARFF file; save it as .csv";
    if (json_begins(bytes, length, '['))
        return "a JSON file with one list; write its objects as JSON lines: jq -c '.[]' FILE > rows.jsonl";
    return NULL;
}

/* Binary files are tested first: their first bytes could also look like text. */
const char *unsupported_file(const unsigned char *bytes, size_t length, bool format_given)
{
    const char *words = binary_file(bytes, length);
    return words ? words : text_file(bytes, length, format_given);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Whether the cell [p, to) is a number with exactly one comma in it, as in -1,5. */
static bool has_decimal_comma(const unsigned char *p, const unsigned char *to)
{
    size_t commas = 0;
    p += p < to && (*p == '-' || *p == '+');
    if (p == to || !is_digit(*p) || !is_digit(to[-1]))
        return false;
    for (; p < to && (is_digit(*p) || *p == ','); p++)
        commas += *p == ',';
    return p == to && commas == 1;
}

/* Whether a line separated by semicolons or tabs has such a cell. In a line separated by commas 1,5 is two cells.
 * Reading such a file as CSV would split its numbers in two. */
static bool line_has_decimal_comma(const unsigned char *p, const unsigned char *to)
{
    if (!memchr(p, ';', (size_t)(to - p)) && !memchr(p, '\t', (size_t)(to - p)))
        return false;
    /* The end of the line ends the last cell. */
    for (const unsigned char *cell = p; p <= to; p++)
        if (p == to || *p == ';' || *p == '\t' || *p == '\r') {
            if (has_decimal_comma(cell, p))
                return true;
            cell = p + 1;
        }
    return false;
}

/* Whether the line consists of several words, the first of them a number. The caller has excluded all known separators.
 * */
static bool has_blanks_between(const unsigned char *p, const unsigned char *to)
{
    while (p < to && is_space(*p))
        p++;
    const unsigned char *word = p + (p < to && (*p == '-' || *p == '+'));
    bool number = word < to && (is_digit(*word) || *word == '.');
    while (p < to && *p != ' ')
        p++;
    while (p < to && is_space(*p))
        p++;
    return number && p < to;
}

/* The advice for one line of a table in an unsupported notation, or NULL if it may be valid. A line with a known
 * separator or a colon (libsvm) is left to the readers. */
static const char *table_line(const unsigned char *p, const unsigned char *to)
{
    size_t length = (size_t)(to - p);
    if (line_has_decimal_comma(p, to))
        return "a table with decimal commas; write 1.5 for 1,5";
    if (memchr(p, ',', length) || memchr(p, ';', length) || memchr(p, '\t', length) || memchr(p, ':', length))
        return NULL;
    if (memchr(p, '|', length))
        return "a table with bars between its columns; replace them by commas (tr '|' ',')";
    if (has_blanks_between(p, to))
        return "a table with spaces between its columns; replace them by commas (tr -s ' ' ',')";
    return NULL;
}

/* The first line may be a header, so the second is checked too. */
const char *unsupported_table(const unsigned char *bytes, size_t length)
{
    const unsigned char *p = bytes, *to = bytes + length;
    const char *words = NULL;
    for (int line = 0; line < 2 && p < to && !words; line++) {
        const unsigned char *newline = memchr(p, '\n', (size_t)(to - p));
        const unsigned char *end = newline ? newline : to;
        words = table_line(p, end);
        p = newline ? end + 1 : to;
    }
    return words;
}
