/* cmd_version: temper version. */
#include <stdlib.h>

#include "message.h"
#include "output.h"
#include "parse.h"

/* Has no options but those that every command has; main calls it for --version too. */
temper_status cmd_version(const struct arguments *arguments)
{
    (void)arguments;
    struct page page;
    const char *kernel = temper_kernel_name();
    if (!kernel)
        return complain(TEMPER_USAGE,
                        "TEMPER_KERNEL: there is no kernel '%s' for this processor; "
                        "unset it, or give plain",
                        getenv("TEMPER_KERNEL"));
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    fprintf(page.stream, "temper %s\nkernel %s\n", temper_version(), kernel);
    return page_print(&page);
}
