/* csv: quotes around what would be taken for something else. */
#include "csv.h"

#include <stdbool.h>
#include <string.h>

void csv_cell(FILE *out, const char *text)
{
    bool blank = *text == ' ' || (*text && text[strlen(text) - 1] == ' ');
    if (*text && !blank && !strpbrk(text, ",;\t\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
