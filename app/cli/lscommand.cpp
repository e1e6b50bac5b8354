// ls: one row per key.

#include "app/cli/command.h"
#include "app/cli/databases.h"
#include "app/cli/grouplisting.h"
#include "app/cli/limits.h"
#include "app/cli/recognitionoutput.h"
#include "app/help/commandline.h"

namespace latchkey::cli {

using help::CommandLine;

namespace {

ExitCode listAll(const net::Endpoint &endpoint, const Listing::Options &options, LsPrinter &printer)
{
    return listDatabases(endpoint, options.timeout, printer, [&options, &printer](const net::Endpoint &one) {
        Listing::Options ofOne = options;
        ofOne.database = one.database;
        Listing listing(std::move(ofOne), printer);
        listing.start(one);
        return listing.list();
    });
}

Listing::Options optionsFrom(const Arguments &arguments, const std::optional<LsOrder> &order, const Limits &limits)
{
    Listing::Options options;
    options.globs = arguments.globs();
    options.onlyExpiring = arguments.isSet("expiring");
    options.onlyLocks = arguments.isSet("locks");
    options.order = order;
    options.limit = limits.firstScan;
    options.timeout = arguments.timeout();
    return options;
}

ExitCode listServers(const std::vector<GroupListing::Server> &servers, LsPrinter::Options output)
{
    if (output.hasDatabases)
        return printError(
            base::Error {base::ErrorKind::Usage, CommandLine::tr("--all-databases: it needs a single --url")});
    for (const GroupListing::Server &server : servers)
        output.servers += server.endpoint.display();
    output.hasVotes = servers.front().options.onlyLocks;
    LsPrinter printer(output);
    return GroupListing(servers, printer).list();
}

ExitCode runLs(const Arguments &arguments)
{
    if (const auto dialects = checkUserDialects(); !dialects)
        return printError(dialects.error());
    const auto servers = arguments.endpoints();
    if (!servers)
        return printError(servers.error());
    const auto output = LsPrinter::optionsFrom(arguments);
    if (!output)
        return printError(output.error());
    const auto order = LsOrder::from(arguments);
    if (!order)
        return printError(order.error());
    std::vector<GroupListing::Server> listed;
    for (const net::Endpoint &server : *servers) {
        const auto limits = Limits::from(arguments, server);
        if (!limits)
            return printError(limits.error());
        listed.push_back({server, optionsFrom(arguments, *order, *limits)});
    }
    if (listed.size() > 1)
        return listServers(listed, *output);
    LsPrinter printer(*output);
    const auto &[endpoint, options] = listed.front();
    if (output->hasDatabases)
        return listAll(endpoint, options, printer);
    Listing listing(options, printer);
    listing.start(endpoint);
    return listing.list();
}

} // namespace

Command lsCommand()
{
    return {
        "ls",
        {"[GLOB...]", 0, -1},
        QT_TRANSLATE_NOOP("CommandLine", "lists keys and how long they have left"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Lists the keys that match a GLOB (as in SCAN: * ? [a-z]; default: all) with their type, time left, kind of lock, number of holds, number of waiters, fencing number, number of findings, holder and name. A - means none or unknown. On a terminal the columns have titles and colours, and kind and holder are cut to its width. The kind is derived from the name and the value of the key, and may be wrong; the JSON contains the evidence. Findings are certain or possible problems of a lock, found by a single read; latchkey-cli why KEY describes them.
If the server has lifetimes of hash fields, a hash without a lifetime shows the time left of its first field, as "field 4.213 s".
In a file or a pipe nothing is cut, so that the line has the whole holder; COLUMNS=100 in the environment fits the columns there too, and -o csv is for programs.
Up to 20000 keys are sorted by name. More keys are printed in the order of the server, while they are read.

{options}

--json is -o json: an array of {key, type, pttl_ms, kind: {id, confidence, evidence}|null, holder, count, waiters, fencing, findings: [ID]}, and candidates: [{id, confidence}] if the kind is not certain.
pttl_ms is -1 without expiry, and null if the server refused to tell it. A key that is not UTF-8 is printed also as key_base64.
A hash with expiring fields has fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}: the number of fields, how many were read, whether that was all, how many expire, and the first hundred that expire.
With the URL of any cluster node, the keys of all primaries are listed. A primary that cannot be reached is named on standard error.
With --all-databases each row has db, the number of its database, and so has the coverage; --sort sorts within a database. A cluster has one database.

With several --url, which name independent servers, all are read at once, and each row has server, the address. With --locks too, each lock is one row with the votes of the servers for its holder, as in latchkey-cli why: votes, time left, kind, holder, the servers that have another holder, no such key or no reply, and key. The holder is that of a majority; - without one.
The time left is that until the majority ends, if no vote is renewed: of five votes for the holder, the third expiry decides. valid_ms is the time for which the holder may rely on the lock: the first expiry less the drift of the clocks.
A lock on which the servers do not agree is read again on all of them at once, so that a change during the scan is no disagreement. A server that cannot be read is named on standard error, with server in the JSON, and counts as not known.
JSON: also votes: {votes, servers, quorum, majority, valid_ms} and servers: [{server, vote: "holds"|"other-holder"|"no-key"|"unknown", pttl_ms, holder, why}]. pttl_ms and holder are null without a majority. findings are those of all servers. CSV has the columns votes, servers, quorum, majority, valid_ms, other_holder, no_key and unknown, the last three with addresses.

Exit code: 0, also if no key matches; 2 wrong usage; 3 error, or not everything could be read.
Standard error reports what is missing, for json and jsonl as one object: {complete, looked_at, of, denied:
[{question, some_keys, why}], unread, blind_ms, unreported_ms, lag_ms, missing: [SENTENCE]}, after a failure also error, and of a cluster also cluster:
{nodes: [{node, looked_at, why}], slots_moved, unserved_slots, why}.

Examples:
  latchkey-cli ls 'lock:*' 'job:*:lock'
  latchkey-cli ls --locks --sort findings --reverse
  latchkey-cli ls --locks -o csv > locks.csv
  latchkey-cli ls --all-databases --locks
  latchkey-cli ls --locks -u redis://a -u redis://b -u redis://c
  latchkey-cli ls --locks --sort votes -u redis://a -u redis://b -u redis://c
  latchkey-cli ls --locks --json
  latchkey-cli ls --locks --json | jq -r '.[] | select(.findings | index("no-expiry")) | .key'
)help"),
        QList<QCommandLineOption> {
            makeOption("expiring", "", CommandLine::tr("only keys with an expiry, or with fields that have one")),
            limitOption(CommandLine::tr(
                "limit of the server's time: a share of its core like 5%, or commands per second like 500/s. Default: "
                "5% for a server on another machine or saved as production, otherwise no limit")),
            makeOption("locks", "", CommandLine::tr("only keys that look like locks, sorted")),
        } + LsOrder::options()
            + LsPrinter::options(),
        runLs,
    };
}

} // namespace latchkey::cli
