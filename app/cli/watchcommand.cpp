// watch: lock events in real time.

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/watchednode.h"
#include "app/cli/watching.h"
#include "app/help/commandline.h"
#include "core/foundation/base/bytesize.h"
#include "core/inspect/inspection/commandallowlist.h"
#include "core/redis/net/dialer.h"

#include <QCoreApplication>

namespace latchkey::cli {

using help::CommandLine;

namespace {

constexpr auto watchHelp = QT_TRANSLATE_NOOP(
    "CommandLine",
    R"help(Watches the locks with keys that match a GLOB (as in SCAN: * ? [a-z]; default: all) and prints a line for each event, until it is stopped (Ctrl+C). Locks that exist at the start are printed first, as `seen`. A lock is recognised by the name and the value of its key. Nothing is written to the server, and no setting is changed.

{options}

Events: seen; acquired; extended; handed-over (value of another holder, without an end in between); changed; released (ended before its expiry: the server does not report whether its holder released it or another client deleted it); deleted (by this program); expired; evicted; flushed; lost (at a failover: the new primary does not know the lock, and its lease had not ended); ended (the observations fit more than one of these, or another holder was seen and not how the former hold ended).

With --json a JSON object per line: {at_ms, key, event, holder, source, late_ms, uncertain_ms}. at_ms is the time of the observation, in Unix milliseconds; the event may have happened up to uncertain_ms earlier. late_ms of an expired lock is the delay of its end after the deadline, plus or minus uncertain_ms. source is event (reported by the server), poll (seen by a read) or inferred. holder is null if the value does not name the holder.
Four events have no key: blind (nothing is seen since since_ms, with the reason), sees (the server answers again, after blind_ms), restarted (another process answers at the address: the server was restarted or replaced), and failed-over (the sentinels of the URL name another primary, to, instead of from). After a failover, a lock that was released while nothing was seen is shown as lost too.
With the URL of a cluster node, all primaries are watched. A lock that moves with its slot is neither released nor acquired. A replica that takes over gives the line failed-over, and blind, sees and restarted have the address of their primary, node. An alert continues when its lock moves, and blind is raised for each primary. With --record, the node of the URL is watched. In the metrics, latchkey_up, latchkey_source and what the watch costs have the label node, and all others are of the cluster.
With several --url, which name independent servers, all are watched at once, and each line has its server, in JSON as server. Another three events tell how the servers vote for the holder of a lock, as in latchkey-cli why:
  majority     a majority of the servers names this holder; after uncertain, it still does
  no-majority  no majority names this holder any more, nor another one
  uncertain    whether a majority names this holder depends on servers that are not seen
They are printed when the result changes, not for each vote, with the votes in place of the server, and with the time for which the holder may rely on the lock. JSON: {at_ms, key, event, holder, votes, servers}, the last two as in ls --locks, and since_ms for each server: since when it is not seen. A lock with a value that does not name its holder has none of these events.
A server that is not seen has no vote, and delays no other. The exit code is then 3, also for a server that was never reached. --alert, --exec, --metrics, --record and --acl need a single --url.

If the answer is incomplete at the end, standard error reports what is missing, with --json as an object: {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}, and server with several --url. missing contains these sentences; unreported_ms is the time in which the server did not report changes, although it had before and answered requests: its subscriber was killed, or notifications were switched off. Polls find most changes then, but a lock that came and went is missing.

Alerts: a RULE is a condition and, if it is not for all keys, a pattern of keys, such as 'older-than=20m job:*'. The conditions are:
  no-expiry        the lock has no expiry, and did not get one within a second
  older-than=TIME  the present hold lasts longer, renewed or not; a lock that exists at the start counts from then on
  two-holders      more clients hold the lock than it admits, or another client has taken it over from its holder
  finding=ID       the lock has this finding of ls and why, such as finding=holder-gone
  blind[=TIME]     nothing has been seen for TIME; without a pattern of keys
A line `alert` is printed once per lock and rule, and a line `over` at the end of the condition or of the hold. Nothing is raised or over while nothing is seen; the lines blind and sees show that. With --json: {at_ms, event, rule, key, holder, reason}, and held_ms for an alert, raised_ms and end for over; node for blind in a cluster. end is the event that ended the hold, or null.
COMMAND finds the data in LATCHKEY_ALERT_EVENT (alert or over), _RULE, _KEY, _HOLDER, _REASON, _AT_MS, _SERVER and, for a primary that is not seen, _NODE, and the JSON line in its standard input. The data are never a part of the command line. Its output goes to standard error. At most 4 run at once, and 100 may wait. Its processes end with watch; at the end by --for or --once watch waits for them.

In the metrics, latchkey_findings counts the locks with each finding; id and severity are those of ls and why.
Exit code: 0 stopped, or with --once an event; 1 with --once no event; 2 wrong usage; 3 error, something was not seen, or COMMAND failed.

Examples:
  latchkey-cli watch 'lock:*'
  latchkey-cli watch --json --for 10m
  latchkey-cli watch lock:orders --event released --event expired --once --for 1m && echo free
  latchkey-cli watch --metrics 9121
  latchkey-cli watch 'lock:*' -u redis://a -u redis://b -u redis://c
  latchkey-cli watch lock:orders --event no-majority --once -u redis://a -u redis://b -u redis://c && echo free
  latchkey-cli watch --alert no-expiry --alert 'older-than=20m job:*' --exec 'notify-send "$LATCHKEY_ALERT_KEY" "$LATCHKEY_ALERT_REASON"'
  latchkey-cli watch 'lock:*' --record bug.latchkey-recording --without-values --for 5m
  redis-cli ACL SETUSER … # what latchkey-cli watch --acl has printed, with a password and the keys
)help");

/// Handles --record and the options for recordings.
base::Result<void> record(Watching &watching, const Arguments &arguments)
{
    if (!arguments.isSet("record")) {
        for (const char *option : {"without-values", "record-limit"}) {
            if (arguments.isSet(option))
                return base::failure(
                    base::ErrorKind::Usage,
                    CommandLine::tr("--%1: of a recording, so with --record").arg(QLatin1String(option)));
        }
        return {};
    }
    recording::Recorder::Options options;
    options.hasValues = !arguments.isSet("without-values");
    options.globs = arguments.globs();
    if (arguments.isSet("record-limit")) {
        const auto limit = base::parseByteSize(arguments.text("record-limit"));
        if (!limit)
            return base::failure(limit.error().during(QStringLiteral("--record-limit")));
        if (*limit == 0)
            return base::failure(base::ErrorKind::Usage,
                                 CommandLine::tr("--record-limit: it must be larger than zero"));
        options.maxBytes = *limit;
    }
    if (auto recording = watching.record(arguments.text("record"), options); !recording)
        return base::failure(recording.error().during(QStringLiteral("--record")));
    return {};
}

/// Prints the line of --acl.
ExitCode printAcl(const net::Endpoint &endpoint, std::chrono::milliseconds timeout)
{
    const auto dialled = net::dialBlocking(endpoint, timeout);
    if (!dialled)
        return printError(dialled.error().during(QStringLiteral("watch")));
    const QString line =
        inspection::CommandAllowlist::aclLine(QStringLiteral("latchkey"), endpoint.database, dialled->server);
    printBytes(shellQuoted(line).toUtf8() + '\n');
    return ExitCode::Yes;
}

ExitCode watchServers(const std::vector<net::Endpoint> &endpoints, const Watching::Options &options,
                      std::optional<std::chrono::milliseconds> time, const Arguments &arguments)
{
    std::vector<Watching::Server> servers;
    for (const net::Endpoint &endpoint : endpoints) {
        const auto limits = Limits::from(arguments, endpoint);
        if (!limits)
            return printError(limits.error());
        servers.push_back({{{endpoint, {}}}, *limits});
    }
    Watching watching(servers, options);
    watching.start(time);
    QCoreApplication::exec();
    return watching.exitCode();
}

ExitCode watchServer(const net::Endpoint &endpoint, const Watching::Options &options,
                     std::optional<std::chrono::milliseconds> time, const Arguments &arguments)
{
    const auto limits = Limits::from(arguments, endpoint);
    if (!limits)
        return printError(limits.error());
    const auto node = findWatchedNode(endpoint, arguments.globs().all(), arguments.timeout());
    if (!node)
        return printError(node.error().during(QStringLiteral("watch")));
    const bool isOfOne = arguments.isSet("record"); // A recording supports one server only.
    const bool isPart = node->isPart && (isOfOne || node->primaries.empty());
    if (isPart)
        printError(CommandLine::tr("watch: the server is a cluster, and one node is watched, because %1: keys of the "
                                   "other nodes are not seen, and a lock that moves to another node ends here")
                       .arg(isOfOne ? CommandLine::tr("--record is of one node")
                                    : CommandLine::tr("the server does not name the others (CLUSTER SLOTS)")));
    const bool isCluster = node->isPart && !isPart;
    Watching watching({{isCluster ? node->primaries : std::vector {WatchedNode::Primary {node->endpoint, {}}}, *limits,
                        isCluster, node->unserved}},
                      options);
    if (const auto prepared = watching.prepareCommand(options.alerts); !prepared)
        return printError(prepared.error());
    if (arguments.isSet("metrics")) {
        const auto address = MetricsAddress::parse(arguments.text("metrics"));
        if (!address)
            return printError(address.error().during(QStringLiteral("--metrics")));
        if (const auto listening = watching.serveMetrics(*address); !listening)
            return printError(listening.error().during(QStringLiteral("watch")));
    }
    if (const auto recording = record(watching, arguments); !recording)
        return printError(recording.error());
    watching.start(time);
    QCoreApplication::exec();
    const ExitCode exitCode = watching.exitCode();
    const ExitCode ofPart = arguments.isSet("once") ? ExitCode::No : ExitCode::Yes; // The absence of events is known
                                                                                    // only with complete coverage.
    return isPart && exitCode == ofPart ? ExitCode::Error : exitCode;
}

/// Returns an error for an option that needs one server, if there are several, or several, if there is one.
std::optional<base::Error> whyNotOf(std::size_t servers, const Arguments &arguments)
{
    if (servers == 1) {
        for (const QString &event : arguments.texts("event")) {
            if (WatchPrinter::voteEvents().contains(event))
                return base::Error {
                    base::ErrorKind::Usage,
                    CommandLine::tr("--event %1: of the votes of several servers, so with several --url").arg(event)};
        }
        return std::nullopt;
    }
    for (const char *option :
         {"acl", "metrics", "record", "record-limit", "without-values", "alert", "exec", "exec-timeout"}) {
        if (arguments.isSet(option))
            return base::Error {base::ErrorKind::Usage,
                                CommandLine::tr("--%1: it needs a single --url").arg(QLatin1String(option))};
    }
    return std::nullopt;
}

ExitCode runWatch(const Arguments &arguments)
{
    if (const auto dialects = checkUserDialects(); !dialects)
        return printError(dialects.error());
    const auto endpoints = arguments.endpoints();
    if (!endpoints)
        return printError(endpoints.error());
    if (const auto why = whyNotOf(endpoints->size(), arguments))
        return printError(*why);
    if (arguments.isSet("acl"))
        return printAcl(endpoints->front(), arguments.timeout());
    const auto time = arguments.duration("for");
    if (!time)
        return printError(time.error());
    if (*time && (*time)->count() <= 0)
        return printError(base::Error {base::ErrorKind::Usage, CommandLine::tr("--for: it must be longer than zero")});
    const auto events = WatchPrinter::eventsFrom(arguments, WatchPrinter::lockEvents() + WatchPrinter::voteEvents());
    if (!events)
        return printError(events.error());
    const auto alerts = WatchAlerts::optionsFrom(arguments);
    if (!alerts)
        return printError(alerts.error());
    const Watching::Options options {arguments.globs(), *events, arguments.isSet("once"), arguments.wantsJson(),
                                     *alerts};
    return endpoints->size() > 1 ? watchServers(*endpoints, options, *time, arguments)
                                 : watchServer(endpoints->front(), options, *time, arguments);
}

} // namespace

Command watchCommand()
{
    return {
        "watch",
        {"[GLOB...]", 0, -1},
        QT_TRANSLATE_NOOP("CommandLine", "prints events of locks"),
        watchHelp,
        QList {
            makeOption("acl", "",
                       CommandLine::tr("print the ACL SETUSER line for a user who may watch but change "
                                       "nothing, for the version of that server; nothing is watched")),
            WatchPrinter::eventOption(WatchPrinter::lockEvents() + WatchPrinter::voteEvents(),
                                      CommandLine::tr("print only events of this kind; can be repeated. blind, sees, "
                                                      "restarted and failed-over are always printed")),
            makeOption("once", "",
                       CommandLine::tr("stop after the first printed event; seen counts only with --event seen")),
            makeOption("for", "DURATION", CommandLine::tr("stop after this time")),
            limitOption(CommandLine::tr("limit of the server's time: a share of its core like 1%, the "
                                        "default, or commands per second like 500/s")),
            makeOption(
                "metrics", "[ADDRESS:]PORT",
                CommandLine::tr("serve metrics for Prometheus at /metrics; without an address only to this machine")),
            makeOption("record", "FILE",
                       CommandLine::tr(
                           "also record the observations, into a new file for latchkey-cli replay and the window")),
            makeOption("record-limit", "SIZE",
                       CommandLine::tr("end the recording at this size, default 1GB; watch continues, and exits 3")),
            makeOption("without-values", "",
                       CommandLine::tr("record no values: keys, types and times remain, and a digest of each value")),
        } + WatchAlerts::options(),
        runWatch,
    };
}

} // namespace latchkey::cli
