/* main_windows: the arguments of the command in UTF-8; Windows converts those of main() to the code page of the user.
 */
#include <wchar.h>
#include <windows.h>

int temper_main(int count, char **words);
int wmain(int count, wchar_t **wide);

/* The copy is never freed, as main's own arguments are not. */
static char *utf8_word(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *word = size > 0 ? malloc((size_t)size) : NULL;
    if (word)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, word, size, NULL, NULL);
    return word;
}

int wmain(int count, wchar_t **wide)
{
    char **words = (char **)calloc((size_t)count + 1, sizeof *words);
    for (int i = 0; words && i < count; i++)
        if (!(words[i] = utf8_word(wide[i])))
            return 1;
    return words ? temper_main(count, words) : 1;
}
