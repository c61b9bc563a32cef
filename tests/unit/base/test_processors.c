/* Quotas of control groups, from files as Linux has them. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/processors.h"
#include "base/thread.h"
#include "fixtures/scratch_folder.h"
#include "fixtures/test.h"

static void put(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

/* The quota with such a /proc/self/cgroup, and the scratch folder as the mount. */
static double quota(const char *membership)
{
    put("membership", membership);
    return control_group_processors(&(struct control_group_files){.membership = "membership", .mount = "."});
}

TEST(version_2_has_the_least_quota_of_the_groups_above)
{
    scratch_enter();
    CHECK(mkdir("a", 0700) == 0 && mkdir("a/b", 0700) == 0);
    CHECK(quota("0::/a/b\n") == (double)INFINITY); /* no files */
    put("a/b/cpu.max", "max 100000\n");
    CHECK(quota("0::/a/b\n") == (double)INFINITY);
    put("a/cpu.max", "150000 100000\n");
    CHECK(quota("0::/a/b\n") == 1.5);
    put("a/b/cpu.max", "400000 100000\n");
    CHECK(quota("0::/a/b\n") == 1.5);
    put("a/b/cpu.max", "20000 50000\n");
    CHECK(quota("0::/a/b\n") == 0.4);
    CHECK(quota("0::/a\n") == 1.5);
    CHECK(unlink("a/b/cpu.max") == 0 && unlink("a/cpu.max") == 0 && rmdir("a/b") == 0);
    scratch_leave();
}

/* A container without a name space of groups: the name is that of the host, only its own folder is mounted. */
TEST(a_group_that_is_not_mounted_has_the_quota_of_the_mount)
{
    scratch_enter();
    put("cpu.max", "200000 100000\n");
    CHECK(quota("0::/docker/0123abc\n") == 2);
    CHECK(quota("0::/\n") == 2);
    scratch_leave();
}

TEST(version_1_has_a_file_for_each_number)
{
    scratch_enter();
    CHECK(mkdir("cpu", 0700) == 0 && mkdir("cpu/a", 0700) == 0);
    put("cpu/cpu.cfs_quota_us", "-1\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    CHECK(quota("5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n") == (double)INFINITY);
    put("cpu/a/cpu.cfs_quota_us", "250000\n");
    put("cpu/a/cpu.cfs_period_us", "100000\n");
    CHECK(quota("5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n") == 2.5);
    CHECK(quota("4:cpuacct,cpu:/a\n") == 2.5);
    CHECK(quota("4:cpuset,cpuacct:/a\n") == (double)INFINITY); /* other controllers */
    CHECK(unlink("cpu/a/cpu.cfs_quota_us") == 0 && unlink("cpu/a/cpu.cfs_period_us") == 0 && rmdir("cpu/a") == 0);
    CHECK(unlink("cpu/cpu.cfs_quota_us") == 0 && unlink("cpu/cpu.cfs_period_us") == 0);
    scratch_leave();
}

TEST(what_cannot_be_read_is_no_quota)
{
    static const char *const texts[] = {"", "word 7\n", "100000\n", "100000 0\n"};
    scratch_enter();
    CHECK(control_group_processors(&(struct control_group_files){"none", "."}) == (double)INFINITY);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put("cpu.max", texts[i]);
        CHECKF(quota("0::/\n") == (double)INFINITY, "'%s'", texts[i]);
    }
    put("cpu.max", "100000 100000\n");
    CHECK(quota("") == (double)INFINITY);
    CHECK(quota("no colons\none:colon\n") == (double)INFINITY);
    scratch_leave();
}

TEST(there_is_at_least_one_processor)
{
    CHECK(processor_count() >= 1 && (long)processor_count() <= sysconf(_SC_NPROCESSORS_ONLN));
    CHECK(thread_count_default() == processor_count());
}

TEST_LIST(LISTED(version_2_has_the_least_quota_of_the_groups_above),
          LISTED(a_group_that_is_not_mounted_has_the_quota_of_the_mount), LISTED(version_1_has_a_file_for_each_number),
          LISTED(what_cannot_be_read_is_no_quota), LISTED(there_is_at_least_one_processor))
