/* cmd_audit: temper audit. */
#include <math.h>
#include <string.h>

#include "auditing.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "parse.h"
#include "progress.h"
#include "reading.h"
#include "team.h"
#include "training.h"
#include "writing.h"

/* All that an audit has to give back at its end. */
struct session {
    const struct arguments *arguments;
    struct auditing auditing;
    temper_audit_options options;
    temper_data *data;
    temper_data *whole; /* all rows, for pages and files that need them; NULL: not in this process */
};

/* ---- Options --------------------------------------------------------------------------------- */

static bool is_auto(const struct arguments *arguments, enum option_id id)
{
    return strcmp(text_of(arguments, id), "auto") == 0;
}

/* Temperatures that are given leave nothing to choose but what the data says. */
static temper_status read_options(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_audit_options *options = &session->options;
    temper_train_options *train = &options->train;
    *options = temper_audit_defaults();
    solving_options(arguments, train);
    train->tolerance = is_auto(arguments, OPT_AUDIT_TOL) ? (double)NAN : number_of(arguments, OPT_AUDIT_TOL);
    options->kind = text_of(arguments, OPT_AUDIT_KIND);
    options->folds = (size_t)number_of(arguments, OPT_AUDIT_FOLDS);
    options->grid = text_of(arguments, OPT_AUDIT_GRID);
    options->choose = is_auto(arguments, OPT_AUDIT_T1) && is_auto(arguments, OPT_AUDIT_T2);
    if (!is_auto(arguments, OPT_AUDIT_T1))
        train->loss.t1 = number_of(arguments, OPT_AUDIT_T1);
    if (!is_auto(arguments, OPT_AUDIT_T2))
        train->loss.t2 = number_of(arguments, OPT_AUDIT_T2);
    if (!is_auto(arguments, OPT_AUDIT_L2))
        train->l2 = number_of(arguments, OPT_AUDIT_L2);
    if (was_given(arguments, OPT_TOP) && was_given(arguments, OPT_THRESHOLD))
        return complain(TEMPER_USAGE, "audit: --top and --threshold both say how many rows to "
                                      "list; drop one of them");
    if (options->grid && !options->choose)
        return complain(TEMPER_USAGE, "audit: --grid means nothing where temperatures are given; "
                                      "drop it, or them");
    if (was_given(arguments, OPT_FIX_HOW) && !was_given(arguments, OPT_FIX))
        return complain(TEMPER_USAGE, "audit: --fix-how means nothing without --fix; give that "
                                      "too, or drop it");
    if (was_given(arguments, OPT_TO) && !was_given(arguments, OPT_FIX))
        return complain(TEMPER_USAGE, "audit: --to means nothing without --fix; give that too, or drop it");
    return TEMPER_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static temper_audit_fixing fixing_of(const struct arguments *arguments)
{
    return (temper_audit_fixing){.how = text_of(arguments, OPT_FIX_HOW),
                                 .path = text_of(arguments, OPT_FIX),
                                 .format = text_of(arguments, OPT_TO)};
}

/* Better now than after the fits. */
static temper_status check_files(const struct session *session)
{
    static const enum option_id targets[] = {OPT_FIX, OPT_AUDIT_REPORT, OPT_AUDIT_OUTPUT};
    const struct arguments *arguments = session->arguments;
    temper_status status = TEMPER_OK;
    temper_error error;
    temper_audit_fixing fixing = fixing_of(arguments);
    if (was_given(arguments, OPT_FIX) && temper_audit_fix_check(&fixing, &error) != TEMPER_OK)
        return complain_error(&error);
    for (size_t i = 0; status == TEMPER_OK && i < sizeof targets / sizeof *targets; i++) {
        const char *path = was_given(arguments, targets[i]) ? text_of(arguments, targets[i]) : NULL;
        if (path && strcmp(path, "-") != 0)
            status = check_target(arguments, path);
    }
    return status;
}

static temper_status write_list(const struct session *session)
{
    const struct arguments *arguments = session->arguments;
    struct page page;
    if (!was_given(arguments, OPT_AUDIT_OUTPUT))
        return TEMPER_OK;
    temper_status status = page_open(&page);
    if (status != TEMPER_OK)
        return status;
    audit_csv(page.stream, &session->auditing);
    return page_save(&page, text_of(arguments, OPT_AUDIT_OUTPUT));
}

/* Several processes have a part of the rows each: the first reads them all, to write of them. */
static temper_status read_whole(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_read_options options = reading_options(arguments);
    temper_error error;
    if (!was_given(arguments, OPT_FIX) && !was_given(arguments, OPT_AUDIT_REPORT))
        return TEMPER_OK;
    if (!options.comm || options.comm->size == 1) {
        session->whole = session->data;
        return TEMPER_OK;
    }
    options.comm = NULL;
    if (team_is_first() &&
        temper_data_read(session->auditing.data_path, &options, &session->whole, &error) != TEMPER_OK)
        return complain_error(&error);
    return TEMPER_OK;
}

static void say_where(const struct arguments *arguments, const char *what, const char *path)
{
    if (!was_given(arguments, OPT_QUIET) && strcmp(path, "-") != 0)
        note("%s is %s", what, path);
}

static temper_status write_page(const struct session *session)
{
    const struct auditing *auditing = &session->auditing;
    temper_error error;
    char *html;
    size_t length;
    if (!was_given(session->arguments, OPT_AUDIT_REPORT) || !session->whole)
        return TEMPER_OK;
    if (temper_audit_page(session->whole, &auditing->report, auditing->listed, &html, &length, &error) != TEMPER_OK)
        return complain_error(&error);
    temper_status status = output_write(text_of(session->arguments, OPT_AUDIT_REPORT), html, length);
    temper_free(html);
    if (status == TEMPER_OK)
        say_where(session->arguments, "the page", text_of(session->arguments, OPT_AUDIT_REPORT));
    return status;
}

static void say_fixed(const struct session *session, const temper_audit_fixing *fixing)
{
    say_where(session->arguments, "the data put right", fixing->path);
    if (fixing->weights[0] && !was_given(session->arguments, OPT_QUIET))
        note("the listed rows weigh less there; train with --weights %s", fixing->weights);
}

static temper_status write_fixed(const struct session *session)
{
    const struct auditing *auditing = &session->auditing;
    temper_audit_fixing fixing = fixing_of(session->arguments);
    temper_error error;
    if (!was_given(session->arguments, OPT_FIX) || !session->whole)
        return TEMPER_OK;
    if (temper_audit_fix_write(session->whole, &auditing->report, auditing->listed, &fixing, &error) != TEMPER_OK)
        return complain_error(&error);
    say_fixed(session, &fixing);
    return TEMPER_OK;
}

/* ---- The steps ------------------------------------------------------------------------------- */

static void count_listed(struct session *session)
{
    const struct arguments *arguments = session->arguments;
    temper_audit_report *report = &session->auditing.report;
    unsigned long long listed = report->supported;
    if (was_given(arguments, OPT_TOP)) {
        double top = number_of(arguments, OPT_TOP);
        listed = top < (double)report->rows ? (unsigned long long)top : report->rows;
    } else if (was_given(arguments, OPT_THRESHOLD)) {
        double threshold = number_of(arguments, OPT_THRESHOLD);
        for (listed = 0; listed < report->rows && report->suspects[listed].score >= threshold;)
            listed++;
    }
    session->auditing.listed = listed;
}

static temper_status find(struct session *session)
{
    struct progress progress;
    temper_error error;
    progress_begin(&progress, was_given(session->arguments, OPT_QUIET), false);
    session->options.follow = progress_follow_tuning;
    session->options.follow_context = &progress;
    interrupt_defer();
    temper_status status = temper_audit(session->data, &session->options, NULL, &session->auditing.report, &error);
    progress_end(&progress);
    if (status != TEMPER_OK)
        return complain_error(&error);
    print_sentences(session->arguments, session->auditing.report.notes);
    print_warnings(session->auditing.report.warnings);
    count_listed(session);
    return TEMPER_OK;
}

static temper_status report(const struct session *session)
{
    bool json = was_given(session->arguments, OPT_AUDIT_JSON);
    struct page page;
    if (page_open(&page) == TEMPER_OK)
        (json ? audit_json : audit_table)(page.stream, &session->auditing);
    return page_print(&page);
}

static temper_status run(struct session *session)
{
    static temper_status (*const steps[])(const struct session *) = {write_list, write_page, write_fixed, report};
    temper_status status = check_files(session);
    if (status == TEMPER_OK)
        status =
            read_data(session->arguments, session->auditing.data_path, &session->data, &session->auditing.seconds_read);
    if (status != TEMPER_OK)
        return status;
    session->auditing.data = session->data;
    print_notes(session->arguments, session->data);
    status = find(session);
    if (status == TEMPER_OK)
        status = read_whole(session);
    for (size_t i = 0; status == TEMPER_OK && i < sizeof steps / sizeof *steps; i++)
        status = steps[i](session);
    return team_agree(status);
}

temper_status cmd_audit(const struct arguments *arguments)
{
    struct session session = {.arguments = arguments};
    interrupt_prepare();
    session.auditing.data_path = arguments->operand[0];
    temper_status status = read_options(&session);
    if (status == TEMPER_OK)
        status = run(&session);
    temper_audit_report_free(&session.auditing.report);
    if (session.whole != session.data)
        temper_data_free(session.whole);
    temper_data_free(session.data);
    return status;
}
