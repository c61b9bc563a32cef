/* The health of a data set on the page of an audit. */
#include "report/health_section.h"

#include <string.h>

#include "fixtures/fault_injection.h"
#include "fixtures/test.h"
#include "fixtures/xml_check.h"

/* Four rows of three classes, of which one is mislabelled, two are duplicates and one is far away. */
struct made_health {
    temper_audit_suspect suspects[4];
    double transition[9], overlap[9];
    temper_class_health classes[3];
    temper_near_duplicate duplicates[1];
    size_t outliers[1];
    double outlier_scores[1];
    temper_audit_health health;
    temper_audit_report report;
};

static const char *const names[] = {"a <b>", "c", "d"};

static void make_health(struct made_health *made)
{
    *made = (struct made_health){
        .suspects = {{.row = 2, .file_row = 2, .given = 1, .line = 9},
                     {.row = 0, .file_row = 0, .given = 0},
                     {.row = 3, .file_row = 30, .given = 2},
                     {.row = 1, .file_row = 1, .given = 0}},
        .transition = {1, 0.9, 0, 0, 0.1, 0, 0.2, 0, 1},
        .overlap = {0, 0.25, 0, 0.25, 0, 0.001, 0, 0.001, 0},
        .classes = {{.rows = 2, .wrong = 0.2, .missed = 0.9, .predicted = 0.5, .duplicates = 1},
                    {.rows = 1, .wrong = 0.9, .outliers = 1},
                    {.rows = 1, .predicted = 1, .conflicts = 1}},
        .duplicates = {{.row = 2, .other = 3, .distance = 0.0625, .across = 1}},
        .outliers = {3},
        .outlier_scores = {4.25},
    };
    made->health = (temper_audit_health){.classes = made->classes,
                                         .overlap = made->overlap,
                                         .duplicates = made->duplicates,
                                         .duplicate_count = 1,
                                         .duplicate_rows = 2,
                                         .across_rows = 2,
                                         .outliers = made->outliers,
                                         .outlier_scores = made->outlier_scores,
                                         .outlier_count = 1};
    made->report = (temper_audit_report){.suspects = made->suspects,
                                         .rows = 4,
                                         .classes = 3,
                                         .transition = made->transition,
                                         .health = &made->health,
                                         .neighbour_count = 1};
}

static void section_has(const struct text *section, const char *words)
{
    CHECKF(section->bytes && strstr(section->bytes, words), "no %s in %s", words, section->bytes ? section->bytes : "");
}

TEST(tables)
{
    struct made_health made;
    struct text text = {0};
    make_health(&made);
    text_append(&text, "<div>\n");
    health_section_write(&text, &made.report, names);
    text_append(&text, "</div>\n");
    CHECK(!text.failed && xml_is_well_formed(text.bytes));
    section_has(&text, "<th scope=\"row\">a &lt;b&gt;</th><td class=\"n\">2</td><td class=\"n\">0.2</td>"
                       "<td class=\"n\">0.9</td><td class=\"n\">50 %</td><td class=\"n\">1</td>");
    section_has(&text, "<th scope=\"row\">a &lt;b&gt;</th><td>c</td><td class=\"n\">0.9</td>");  /* mistakes */
    section_has(&text, "<th scope=\"row\">a &lt;b&gt;</th><td>c</td><td class=\"n\">25 %</td>"); /* overlap */
    section_has(&text, "2 rows have near duplicates, 2 of them with another label.");
    section_has(&text, "<th scope=\"row\">line 9</th><td>c</td><td>row 31</td><td>d</td><td class=\"n\">0.063</td>");
    section_has(&text, "<th scope=\"row\">row 31</th><td>d</td><td class=\"n\">4.3</td>");
    CHECK(!strstr(text.bytes, "0.1 %")); /* hardly any overlap */
    text_free(&text);
}

/* Nothing to tell, and nothing known. */
TEST(without_findings)
{
    struct made_health made;
    struct text text = {0};
    make_health(&made);
    made.health.duplicate_count = made.health.duplicate_rows = made.health.across_rows = made.health.outlier_count = 0;
    made.health.overlap = NULL;
    made.report.transition = NULL;
    health_section_write(&text, &made.report, names);
    section_has(&text, "No row has a near duplicate.");
    section_has(&text, "No row is far from all others.");
    CHECK(!strstr(text.bytes, "Classes that overlap") && !strstr(text.bytes, "Most frequent mistakes"));
    text_free(&text);
    made.report.neighbour_count = 0;
    health_section_write(&text, &made.report, names);
    section_has(&text, "near duplicates and outliers are not known");
    text_free(&text);
    made.report.health = NULL;
    health_section_write(&text, &made.report, names);
    CHECK(text.length == 0 && !text.failed);
}

TEST(memory_ends)
{
    struct made_health made;
    make_health(&made);
    for (size_t n = 1;; n++) {
        struct text text = {0};
        fault_arm(n);
        health_section_write(&text, &made.report, names);
        fault_disarm();
        bool failed = text.failed;
        text_free(&text);
        if (!fault_fired())
            break;
        CHECKF(failed, "allocation %zu", n);
    }
}

TEST_LIST(LISTED(tables), LISTED(without_findings), LISTED(memory_ends))
