// why: the recognition of one key, with its reasons.

#include "app/cli/command.h"
#include "app/cli/historyoutput.h"
#include "app/cli/keyfollowing.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/whyoutput.h"
#include "app/cli/whyvotes.h"
#include "app/help/commandline.h"
#include "core/inspect/recognition/recognitiontexts.h"

#include <cstdio>

namespace latchkey::cli {

using detection::KeyExamination;
using help::CommandLine;
using recognition::Recogniser;
using recognition::RecognitionTexts;
using std::chrono::milliseconds;

namespace {

void printHistory(const ObservedHolds &observed)
{
    for (const QString &line : textLines(observed))
        printNamed(CommandLine::tr("history"), line);
}

QString nameOf(const base::Key &key)
{
    return CommandLine::tr("why \"%1\"").arg(base::printable(key.bytes(), 100));
}

/// Inserts the recognition of a lock that was seen during the observation and is no lock at its end. A key that is gone
/// has no holder.
void insertSeen(QJsonObject &row, const WhyRequest &request, const recognition::Recognition &recognition, bool exists)
{
    insertRecognition(row, recognition, request.recogniser.dialects());
    if (exists)
        return;
    row.remove(QStringLiteral("holder_base64"));
    for (const char *ofValue : {"holder", "count", "waiters", "fencing"})
        row[QLatin1String(ofValue)] = QJsonValue::Null;
}

/// Prints the state of the key at the end of the observation: time left and holder.
void printEnd(const KeyExamination &found)
{
    printNamed(CommandLine::tr("at the end"), found.exists ? timeLeftText(found) : CommandLine::tr("no such key"));
    if (!found.exists || !found.recognition.isLock())
        return;
    for (const recognition::Holder &holder : found.recognition.decoded.holders)
        printNamed(CommandLine::tr("holder"), RecognitionTexts::holder(holder));
}

ExitCode exitCodeOf(const WhyRequest &request, const WhyAnswer &answer)
{
    if (!answer.found.exists)
        note(request.name + CommandLine::tr(": there is no such key"));
    const bool isUnchecked = printUnchecked(request, answer);
    const ExitCode known = exitCodeFor(request.name, coverageOf(answer), CoverageForm::Sentences,
                                       isUnchecked ? ExitCode::Error : ExitCode::Yes);
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
        printText(request.key, *answer, request.recogniser);
    }
    return exitCodeOf(request, *answer);
}

/// Prints the text at the end of the observation: the whole answer if the key did not exist before, and the history.
void printTextAtEnd(const WhyRequest &request, const KeyExamination &first, const WhyAnswer *last,
                    const ObservedHolds &observed)
{
    if (!first.exists && last != nullptr && last->found.exists)
        printText(request.key, *last, request.recogniser);
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
        printText(request.key, *first, request.recogniser);
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
    const auto servers = arguments.endpoints();
    if (!servers)
        return printError(servers.error());
    const auto key = arguments.key(0);
    if (!key)
        return printError(key.error());
    const auto time = arguments.duration("for");
    if (!time)
        return printError(time.error());
    if (*time && (*time)->count() <= 0)
        return printError(base::Error {base::ErrorKind::Usage, CommandLine::tr("--for: it must be longer than zero")});
    if (*time && servers->size() > 1)
        return printError(base::Error {base::ErrorKind::Usage, CommandLine::tr("--for: it needs a single --url")});
    const auto limits = Limits::from(arguments, servers->front());
    if (!limits)
        return printError(limits.error());
    const WhyRequest request {servers->front(),      *key,         *limits,
                              arguments.wantsJson(), nameOf(*key), Recogniser(userDialects())};
    if (servers->size() > 1)
        return explainVotes(request, *servers);
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

With several --url, which name independent servers, the key is read on each, and the servers vote for its holder as for a redlock: how many vote for one holder, whether they are a majority, when the majority ends, and how long the holder may rely on the lock.

If the server has lifetimes of hash fields, the fields of a hash that have one are printed, earliest end first.

JSON: an object as in ls, but with exists (false only with --for; then type, pttl_ms and holder are null), with findings: [{id, severity, seen, title, evidence, meaning, advice}], and with "denied": the requests that the server refused, and coverage: {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}: what was read, and how long nothing was seen. With --for also history:
{watched_ms, means, holds: [{holder, start, from_ms, from_uncertain_ms, held_ms, extensions, lease_ms, until_ms, until_uncertain_ms, end, late_ms, inferred, possibly_own_read}], gaps: [{from_ms, to_ms}], statistics: {holds, ended, mean_held_ms, mean_held_uncertain_ms, longest_held_ms, longest_held_uncertain_ms, lease_used, contended, handed_over, extensions, longest_late_ms, ends: {END: COUNT}}}. start is seen (the hold began earlier), acquired, handed-over or replaced; end is an event of watch, and null for the current hold. The statistics are those of the ended holds; holds and extensions count the current hold too. Held times are those of holds with observed start and end; lease_used is the share of their leases. A contended hold began within 100 ms of the end of the last one, with another holder.
With several --url also votes: {votes, servers, quorum, majority, valid_ms} and servers: [{server, vote: "holds"|"other-holder"|"no-key"|"unknown", pttl_ms, holder, why}]. pttl_ms is then the time until the majority ends, and null without one; majority is null if it depends on a server that did not reply, or if the value names no holder.

Exit code: 0 the key exists, 1 it does not; 2 wrong usage; 3 error, or something was not seen. With several --url: 0 a majority of the servers has one holder, 1 none has.

Examples:
  latchkey-cli why lock:orders:42
  latchkey-cli why lock:orders:42 --for 1m
  latchkey-cli why lock:orders:42 -u redis://a -u redis://b -u redis://c
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
