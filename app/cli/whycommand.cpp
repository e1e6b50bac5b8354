// why: the recognition of one key, with its reasons.

#include "app/cli/command.h"
#include "app/cli/fieldoutput.h"
#include "app/cli/historyoutput.h"
#include "app/cli/keyfollowing.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/whyanswer.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"
#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/recognition/recognitiontexts.h"

#include <cstdio>

namespace latchkey::cli {

using base::SystemClock;
using detection::KeyExamination;
using findings::Finding;
using help::CommandLine;
using recognition::Candidate;
using recognition::Recogniser;
using recognition::RecognitionTexts;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

void printNamed(const QString &name, const QString &text)
{
    printBytes((help::padded(name, 10) + u' ' + text).toUtf8() + '\n');
}

QString leftText(const KeyExamination &found)
{
    return found.deadline.isNever()
             ? CommandLine::tr("no expiry")
             : base::displayDuration(milliseconds(found.deadline.pttl(SystemClock::instance().now())));
}

/// Prints the findings: for each one line with the evidence, the consequence, and the advice.
void printFindings(const std::vector<Finding> &wrong, const QString &title)
{
    for (const Finding &finding : wrong) {
        printNamed(CommandLine::tr("finding"),
                   QStringLiteral("%1 (%2, %3): %4")
                       .arg(findings::FindingTexts::title(finding.kind), findings::kindId(finding.kind),
                            findings::severityId(finding.severity), findings::FindingTexts::evidence(finding, title)));
        printNamed(QString(), findings::FindingTexts::meaning(finding.kind));
        printNamed(QString(), findings::FindingTexts::advice(finding.kind));
    }
}

/// Prints the recognised kind of a lock, the evidence, and the other candidates.
void printKind(const recognition::Recognition &recognised, const Recogniser &recogniser)
{
    const Candidate &best = recognised.best();
    const QString title = titleOf(best.dialect, recogniser.dialects());
    printNamed(CommandLine::tr("kind"),
               QStringLiteral("%1 (%2, %3)").arg(title, best.dialect, RecognitionTexts::confidence(best.confidence)));
    for (const recognition::Evidence &piece : best.evidence)
        printNamed(CommandLine::tr("because"), RecognitionTexts::evidence(piece, title));
    for (std::size_t i = 1; i < recognised.candidates.size(); ++i) {
        const Candidate &other = recognised.candidates[i];
        printNamed(CommandLine::tr("or"), QStringLiteral("%1 (%2, %3)")
                                              .arg(titleOf(other.dialect, recogniser.dialects()), other.dialect,
                                                   RecognitionTexts::confidence(other.confidence)));
    }
}

void printText(const base::Key &key, const KeyExamination &found, const FieldEnds &fields,
               const std::vector<Finding> &wrong, const Recogniser &recogniser)
{
    printNamed(CommandLine::tr("key"), base::printable(key.bytes()));
    printNamed(CommandLine::tr("type"), keys::keyTypeName(found.type));
    printNamed(CommandLine::tr("time left"), leftText(found));
    for (const QString &line : fieldLines(fields.ends, SystemClock::instance().now()))
        printNamed(CommandLine::tr("field"), line);
    const recognition::Recognition &recognised = found.recognition;
    if (!recognised.isLock()) {
        printNamed(CommandLine::tr("kind"), CommandLine::tr("not recognised as a lock"));
    } else {
        printKind(recognised, recogniser);
        if (!recognised.decoded.isHolderRecorded)
            printNamed(CommandLine::tr("holder"), CommandLine::tr("not recorded"));
        for (const recognition::Holder &holder : recognised.decoded.holders) {
            printNamed(CommandLine::tr("holder"), RecognitionTexts::holder(holder));
            for (const QString &part : RecognitionTexts::parts(holder))
                printNamed(QString(), part);
        }
        for (const recognition::Waiter &waiter : recognised.decoded.waiters)
            printNamed(CommandLine::tr("waiting"), base::printable(waiter.bytes, 200));
        if (recognised.decoded.fencing)
            printNamed(CommandLine::tr("fencing"), QString::number(*recognised.decoded.fencing));
        printFindings(wrong, titleOf(recognised.best().dialect, recogniser.dialects()));
    }
    for (const QString &denied : deniedTexts(found, fields))
        printNamed(CommandLine::tr("denied"), denied);
}

void printHistory(const ObservedHolds &observed)
{
    for (const QString &line : textLines(observed))
        printNamed(CommandLine::tr("history"), line);
}

QString nameOf(const base::Key &key)
{
    return CommandLine::tr("why \"%1\"").arg(base::printable(key.bytes(), 100));
}

QJsonObject toJson(const Finding &finding, const QString &title)
{
    return {{QStringLiteral("id"), findings::kindId(finding.kind)},
            {QStringLiteral("severity"), findings::severityId(finding.severity)},
            {QStringLiteral("seen"), finding.isSeen},
            {QStringLiteral("title"), findings::FindingTexts::title(finding.kind)},
            {QStringLiteral("evidence"), findings::FindingTexts::evidence(finding, title)},
            {QStringLiteral("meaning"), findings::FindingTexts::meaning(finding.kind)},
            {QStringLiteral("advice"), findings::FindingTexts::advice(finding.kind)}};
}

/// Returns the answer as JSON. Null for an answer that is not known: the server did not reply.
QJsonObject toJson(const WhyRequest &request, const WhyAnswer *answer)
{
    const WhyAnswer none {};
    const auto &[found, fields, wrong, endpoint, staleness] = answer != nullptr ? *answer : none;
    const auto now = SystemClock::instance().now();
    QJsonObject row;
    files::insertBytes(row, QStringLiteral("key"), request.key.bytes());
    row[QStringLiteral("exists")] = answer != nullptr ? QJsonValue(found.exists) : QJsonValue();
    row[QStringLiteral("type")] = found.exists ? QJsonValue(keys::keyTypeName(found.type)) : QJsonValue();
    row[QStringLiteral("pttl_ms")] = found.exists ? QJsonValue(found.deadline.pttl(now)) : QJsonValue();
    insertFieldEnds(row, fields.ends, now);
    insertRecognition(row, found.recognition, request.recogniser.dialects());
    QJsonArray listed;
    for (const Finding &finding : wrong)
        listed += toJson(finding, titleOf(found.recognition.best().dialect, request.recogniser.dialects()));
    row[QStringLiteral("findings")] = listed;
    row[QStringLiteral("denied")] = QJsonArray::fromStringList(deniedTexts(found, fields));
    return row;
}

/// Inserts the recognition of a lock that was seen during the observation and is no lock at its end. A key that is gone
/// has no holder.
void insertSeen(QJsonObject &row, const WhyRequest &request, const recognition::Recognition &recognition, bool isThere)
{
    insertRecognition(row, recognition, request.recogniser.dialects());
    if (isThere)
        return;
    row.remove(QStringLiteral("holder_base64"));
    for (const char *ofValue : {"holder", "count", "waiters", "fencing"})
        row[QLatin1String(ofValue)] = QJsonValue::Null;
}

/// Prints how the key is at the end of the observation: time left and holder.
void printEnd(const KeyExamination &found)
{
    printNamed(CommandLine::tr("at the end"), found.exists ? leftText(found) : CommandLine::tr("no such key"));
    if (!found.exists || !found.recognition.isLock())
        return;
    for (const recognition::Holder &holder : found.recognition.decoded.holders)
        printNamed(CommandLine::tr("holder"), RecognitionTexts::holder(holder));
}

ExitCode exitCodeOf(const WhyRequest &request, const WhyAnswer &answer)
{
    if (!answer.found.exists)
        note(request.name + CommandLine::tr(": there is no such key"));
    const ExitCode known = exitCodeFor(request.name, coverageOf(answer), CoverageForm::Sentences);
    return known == ExitCode::Yes && !answer.found.exists ? ExitCode::No : known;
}

ExitCode printOnce(const WhyRequest &request)
{
    const auto answer = read(request, request.limits.timeout);
    if (!answer)
        return printError(answer.error().during(request.name));
    if (answer->found.exists && request.isJson) {
        QJsonObject row = toJson(request, &*answer);
        row[QStringLiteral("coverage")] = events::toJson(coverageOf(*answer));
        printJson(row);
    } else if (answer->found.exists) {
        printText(request.key, answer->found, answer->fields, answer->wrong, request.recogniser);
    }
    return exitCodeOf(request, *answer);
}

/// Prints the text at the end of the observation: the whole answer if the key did not exist before, and the history.
void printTextAtEnd(const WhyRequest &request, const KeyExamination &first, const WhyAnswer *last,
                    const ObservedHolds &observed)
{
    if (!first.exists && last != nullptr && last->found.exists)
        printText(request.key, last->found, last->fields, last->wrong, request.recogniser);
    const bool wasLock = first.recognition.isLock() || (last != nullptr && last->found.recognition.isLock());
    if (!wasLock && observed.recognition.isLock())
        printKind(observed.recognition, request.recogniser);
    printHistory(observed);
    if (first.exists && last != nullptr)
        printEnd(last->found);
}

/// Watches the key for some time. The answer is the state at the end; the text output shows the state at the start too.
ExitCode printWatched(const WhyRequest &request, milliseconds time)
{
    const auto first = read(request, request.limits.timeout);
    if (!first)
        return printError(first.error().during(request.name));
    if (!first->found.exists)
        note(request.name + CommandLine::tr(": there is no such key yet"));
    else if (!request.isJson)
        printText(request.key, first->found, first->fields, first->wrong, request.recogniser);
    std::fflush(stdout); // The history is printed later.
    std::optional<base::Result<WhyAnswer>> last;
    const auto print = [&](const ObservedHolds &observed, const events::Coverage &ofHistory, milliseconds timeout) {
        last = read(request, timeout);
        const WhyAnswer *known = *last ? &**last : nullptr;
        if (!request.isJson)
            return printTextAtEnd(request, first->found, known, observed);
        QJsonObject row = toJson(request, known);
        if (observed.recognition.isLock() && (known == nullptr || !known->found.recognition.isLock()))
            insertSeen(row, request, observed.recognition, known != nullptr && known->found.exists);
        row[QStringLiteral("history")] = toJson(observed);
        row[QStringLiteral("coverage")] = events::toJson(ofHistory);
        printJson(row);
    };
    const auto code =
        followKey({first->endpoint, request.key, time, first->found.exists, request.name}, request.limits, print);
    if (!last || code != ExitCode::Yes)
        return code;
    return *last ? exitCodeOf(request, **last) : printError(last->error().during(request.name));
}

ExitCode runWhy(const Arguments &arguments)
{
    if (const auto dialects = checkUserDialects(); !dialects)
        return printError(dialects.error());
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return printError(endpoint.error());
    const auto key = arguments.key(0);
    if (!key)
        return printError(key.error());
    const auto time = arguments.duration("for");
    if (!time)
        return printError(time.error());
    if (*time && (*time)->count() <= 0)
        return printError(base::Error {base::ErrorKind::Usage, CommandLine::tr("--for: it must be longer than zero")});
    const auto limits = Limits::from(arguments, *endpoint);
    if (!limits)
        return printError(limits.error());
    const WhyRequest request {
        *endpoint, *key, *limits, arguments.wantsJson(), nameOf(*key), Recogniser(userDialects())};
    return *time ? printWatched(request, **time) : printOnce(request);
}

} // namespace

Command whyCommand()
{
    return {
        "why",
        {"KEY", 1, 1},
        QT_TRANSLATE_NOOP("CommandLine", "explains the lock at a key, with evidence and findings"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Reads one key and related keys, and prints which library may have written it as a lock, the evidence, and the holder. If the kind is not certain, the other possible kinds are printed too. Findings follow:
certain or possible problems of the lock, from a single read. The window has a history and may find more.
Nothing is written to the server. With --for the key is watched for that time (Ctrl+C ends it earlier), even if it does not exist yet. The text begins with the state at the start; the JSON and the exit code are those of the end. Then the history of the lock is printed: each holder, the start and end of each hold, the cause and delay of each end, and which of these were inferred; and statistics of the holds: duration, contention, used share of the lease, causes of their ends.

{options}

If the server has lifetimes of hash fields, the fields of a hash that have one are printed, earliest end first.

JSON: an object as in ls, but with exists (false only with --for; then type, pttl_ms and holder are null), with findings: [{id, severity, seen, title, evidence, meaning, advice}], and with "denied": the requests that the server refused, and coverage: {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}: what was read, and how long nothing was seen. With --for also history:
{watched_ms, means, holds: [{holder, start, from_ms, from_uncertain_ms, held_ms, extensions, lease_ms, until_ms, until_uncertain_ms, end, late_ms, inferred, possibly_own_read}], gaps: [{from_ms, to_ms}], statistics: {holds, ended, mean_held_ms, longest_held_ms, lease_used, contended, handed_over, extensions, longest_late_ms, ends: {END: COUNT}}}. start is seen (the hold began earlier), acquired, handed-over or replaced; end is an event of watch, and null for the current hold. The statistics are those of the ended holds; holds and extensions count the current hold too. Held times are those of holds with observed start and end; lease_used is the share of their leases. A contended hold began within 100 ms of the end of the last one, with another holder.

Exit code: 0 the key exists, 1 it does not; 2 wrong usage; 3 error, or something was not seen.

Examples:
  latchkey-cli why lock:orders:42
  latchkey-cli why lock:orders:42 --for 1m
  latchkey-cli --url redis://127.0.0.1:6379/2 why bull:mail:1:lock --json
)help"),
        QList<QCommandLineOption> {
            makeOption("for", "DURATION",
                       CommandLine::tr("watch the key for this time, and print its history; default: a single read")),
            limitOption(CommandLine::tr("with --for, limit of the server's time: a share of its core "
                                        "like 1%, the default, or commands per second like 500/s"))}
            + Arguments::keyOptions(),
        &runWhy,
    };
}

} // namespace latchkey::cli
