// why: the recognition of one key, with its reasons.

#include "app/cli/command.h"
#include "app/cli/fieldexpiryreader.h"
#include "app/cli/fieldoutput.h"
#include "app/cli/historyoutput.h"
#include "app/cli/keyfollowing.h"
#include "app/cli/limits.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"
#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/detection/snapshotfindings.h"
#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/recognition/recognitiontexts.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/net/blockingconnection.h"

#include <cstdio>

namespace latchkey::cli {

using base::SystemClock;
using detection::KeyExamination;
using findings::Finding;
using help::CommandLine;
using recognition::Candidate;
using recognition::Question;
using recognition::Recogniser;
using recognition::RecognitionTexts;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

void printNamed(const QString &name, const QString &text)
{
    printBytes((help::padded(name, 10) + u' ' + text).toUtf8() + '\n');
}

/// Returns the refused data, as a limit of the answer.
QString refusedText(const Question &question)
{
    switch (question.kind) {
    case Question::Kind::Value:
        return CommandLine::tr("more of the value than is read");
    case Question::Kind::Companion:
        return CommandLine::tr("the key \"%1\"").arg(base::printable(question.subject, 100));
    case Question::Kind::Subscribers:
        return CommandLine::tr("the subscribers of the channel \"%1\"").arg(base::printable(question.subject, 100));
    case Question::Kind::Scripts:
        return CommandLine::tr("which scripts the server knows");
    }
    Q_UNREACHABLE();
}

/// The field expiries of a hash.
struct Fields
{
    keys::FieldDeadlines ends;
    std::optional<base::Error> refusal; ///< Why they are unknown; absent if they are known, or for another type.
};

base::Result<KeyExamination> examine(exchange::BlockingDriver &driver, const base::Key &key,
                                     const Recogniser &recogniser)
{
    if (const auto connected = driver.connect(); !connected)
        return base::failure(connected.error());
    using detection::AskIdleTime;
    const bool isTrue = events::areIdleTimesTrue(driver.serverInfo(0).value_or(resp::ServerInfo()));
    return driver.run(detection::examine(key, recogniser, isTrue ? AskIdleTime::Yes : AskIdleTime::No));
}

Fields fieldsOf(const base::Key &key, const KeyExamination &found, exchange::BlockingDriver &driver)
{
    if (found.type != keys::KeyType::Hash)
        return {};
    FieldExpiryReader asker([&driver](auto exchange) { return driver.run(std::move(exchange)); });
    const auto asked = asker.ask({key});
    return {asked.empty() ? keys::FieldDeadlines() : asked.front().ends, asker.whyNotKnown()};
}

/// Returns the questions that the server refused, as display texts.
QStringList deniedTexts(const KeyExamination &found, const Fields &fields)
{
    QStringList denied;
    for (const Question &question : found.refused) {
        if (question.kind != Question::Kind::Value)
            denied += refusedText(question);
    }
    if (fields.refusal)
        denied += CommandLine::tr("expiry of its fields: %1").arg(fields.refusal->message());
    return denied;
}

/// Returns the coverage for one key that was read completely; its companion keys may have been refused.
events::Coverage coverageOf(const KeyExamination &found)
{
    events::Coverage::Parts parts;
    parts.isAllLookedAt = true;
    parts.lookedAt = 1;
    parts.of = 1;
    for (const Question &question : found.refused) {
        if (question.kind == Question::Kind::Companion)
            parts.denied.push_back({events::KeyQuestion::Value,
                                    {base::ErrorKind::PermissionDenied, base::Text(refusedText(question))},
                                    true});
    }
    return events::Coverage(std::move(parts));
}

QString leftText(const KeyExamination &found)
{
    return found.deadline.isNever()
             ? CommandLine::tr("no expiry")
             : base::displayDuration(milliseconds(millisecondsLeft(found.deadline, SystemClock::instance().now())));
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

void printText(const base::Key &key, const KeyExamination &found, const Fields &fields,
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

void printHistory(const ObservedHolds &seen)
{
    for (const QString &line : textLines(seen))
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

QJsonObject toJson(const base::Key &key, const KeyExamination &found, const Fields &fields,
                   const std::vector<Finding> &wrong, const Recogniser &recogniser)
{
    QJsonObject row;
    files::insertBytes(row, QStringLiteral("key"), key.bytes());
    row[QStringLiteral("type")] = keys::keyTypeName(found.type);
    row[QStringLiteral("pttl_ms")] = millisecondsLeft(found.deadline, SystemClock::instance().now());
    insertFieldEnds(row, fields.ends, SystemClock::instance().now());
    insertRecognition(row, found.recognition, recogniser.dialects());
    QJsonArray listed;
    for (const Finding &finding : wrong)
        listed += toJson(finding, titleOf(found.recognition.best().dialect, recogniser.dialects()));
    row[QStringLiteral("findings")] = listed;
    row[QStringLiteral("denied")] = QJsonArray::fromStringList(deniedTexts(found, fields));
    return row;
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
    const QString name = nameOf(*key);
    exchange::BlockingDriver driver({*endpoint}, arguments.timeout(), SystemClock::instance(),
                                    base::SystemRandom::instance());
    const Recogniser recogniser(userDialects());
    auto found = examine(driver, *key, recogniser);
    if (!found)
        return printError(found.error().during(name));
    if (!found->exists) {
        note(name + CommandLine::tr(": there is no such key"));
        return ExitCode::No;
    }
    const Fields fields = fieldsOf(*key, *found, driver);
    found->sample.endsWithFields = found->deadline.isNever() && !fields.ends.wholeEnd().isNever();
    std::vector<Finding> wrong;
    if (found->recognition.isLock()) {
        const auto server = driver.run(detection::readServerProperties());
        if (!server)
            return printError(server.error().during(name));
        wrong = detection::snapshotFindings(found->recognition, found->sample, recogniser.dialects(), *server);
    }
    const events::Coverage coverage = coverageOf(*found);
    if (arguments.wantsJson()) {
        QJsonObject row = toJson(*key, *found, fields, wrong, recogniser);
        row[QStringLiteral("coverage")] = events::toJson(coverage);
        const auto print = [&](const ObservedHolds &seen, const events::Coverage &ofHistory) {
            if (!found->recognition.isLock() && seen.recognition.isLock())
                insertRecognition(row, seen.recognition, recogniser.dialects());
            row[QStringLiteral("history")] = toJson(seen);
            row[QStringLiteral("coverage")] = events::toJson(ofHistory);
        };
        const auto code = *time ? followKey(driver.placeOf(*key), *limits, *key, **time, name, print) : ExitCode::Yes;
        if (row.contains(QStringLiteral("history")) || !*time)
            printJson(row);
        return exitCodeFor(name, coverage, CoverageForm::Sentences, code);
    }
    printText(*key, *found, fields, wrong, recogniser);
    std::fflush(stdout); // The history is printed later.
    const auto print = [&](const ObservedHolds &seen, const events::Coverage &) {
        if (!found->recognition.isLock() && seen.recognition.isLock())
            printKind(seen.recognition, recogniser);
        printHistory(seen);
    };
    const auto code = *time ? followKey(driver.placeOf(*key), *limits, *key, **time, name, print) : ExitCode::Yes;
    return exitCodeFor(name, coverage, CoverageForm::Sentences, code);
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
Nothing is written to the server. With --for the key is watched for that time (Ctrl+C ends it earlier). Then the history of the lock is printed: each holder, the start and end of each hold, the cause and delay of each end, and which of these were inferred; and statistics of the holds: duration, contention, used share of the lease, causes of their ends.

{options}

If the server has lifetimes of hash fields, the fields of a hash that have one are printed, earliest end first.

JSON: an object as in ls, but with findings: [{id, severity, seen, title, evidence, meaning, advice}], and with "denied": the requests that the server refused, and coverage: {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms}: what was read, and how long nothing was seen. With --for also history:
{watched_ms, means, holds: [{holder, start, from_ms, from_uncertain_ms, held_ms, extensions, lease_ms, until_ms, until_uncertain_ms, end, late_ms, inferred, possibly_own_read}], gaps: [{from_ms, to_ms}], statistics: {holds, ended, mean_held_ms, longest_held_ms, lease_used, contended, handed_over, extensions, longest_late_ms, ends: {END: COUNT}}}. start is seen (the hold began earlier), acquired, handed-over or replaced; end is an event of watch, and null for the current hold. Held times are those of holds with observed start and end; lease_used is the share of their leases. A contended hold began within 100 ms of the end of the last one, with another holder.

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
