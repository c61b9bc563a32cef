/* cmd_version: temper version. */
#include "output.h"
#include "parse.h"

/* Has no options but those that every command has; main calls it for --version too. */
temper_status cmd_version(const struct arguments *arguments)
{
    (void)arguments;
    struct page page;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    fprintf(page.stream, "temper %s\n", temper_version());
    return page_print(&page);
}
