// ls: one row per key.

#include "app/cli/command.h"
#include "app/cli/databases.h"
#include "app/cli/fieldexpiryreader.h"
#include "app/cli/keylisting.h"
#include "app/cli/limits.h"
#include "app/cli/lockexaminations.h"
#include "app/cli/lsorder.h"
#include "app/cli/lsprinter.h"
#include "app/cli/lsrow.h"
#include "app/cli/output.h"
#include "app/cli/scanprogress.h"
#include "app/help/commandline.h"
#include "core/inspect/detection/findingsevaluator.h"
#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/detection/snapshotfindings.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/rows/rowlist.h"
#include "core/redis/exchange/loopdriver.h"

#include <QCoreApplication>

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;
using keys::KeyId;
using keys::KeyRecord;
using namespace std::chrono_literals;

namespace {

/// Number of rows that are recognised, examined and printed together. It bounds the memory.
constexpr int rowsAtOnce = 500;

/// A listing: scans, reads the values of possible locks, and prints. Then it ends the event loop.
class Listing final : public QObject
{
public:
    struct Options
    {
        base::Globs globs;
        bool onlyExpiring = false;
        bool onlyLocks = false;
        std::optional<LsOrder> order; ///< Absent for the order of the server if there are many keys.
        std::optional<int> database;  ///< Database of the keys, if it is one of several. Absent: that of the URL.
        std::optional<budget::CommandLimit> limit; ///< Absent: no limit.
        std::chrono::milliseconds timeout {};
    };

    /// Creates a listing. The caller begins and ends the output, because there may be several databases.
    Listing(Options options, LsPrinter &printer)
        : m_options(std::move(options))
        , m_gathering(m_recogniser, {m_options.globs, m_options.onlyLocks, m_options.order.has_value(), m_options.limit,
                                     m_options.timeout})
        , m_store(m_gathering.store())
        , m_rows(m_store)
        , m_progress([this] {
            return ScanProgress::Counts {static_cast<qint64>(m_gathering.scan().keysWalked()),
                                         m_gathering.scan().databaseSize().value_or(0)};
        })
        , m_printer(printer)
    {
        m_rows.setSortOrder({&rows::byKey, false});
        connect(&m_gathering, &KeyListing::failed, this,
                [this](const base::Error &error) { finish(printError(error.during(name()))); });
        connect(&m_gathering, &KeyListing::partGathered, this, [this] { finish(ExitCode::Yes); });
        connect(&m_gathering, &KeyListing::finished, this, [this] {
            m_isWhole = true;
            finish(ExitCode::Yes);
        });
    }

    void start(const net::Endpoint &endpoint)
    {
        m_gathering.start(endpoint);
        m_driver = std::make_unique<exchange::LoopDriver>(
            std::vector {m_gathering.session()}, base::SystemClock::instance(), base::SystemRandom::instance());
        m_driver->setTimeout(m_options.timeout);
        m_driver->followClusters();
        m_driver->setListener(
            [this](const exchange::TranscriptEntry &entry) { m_gathering.charge(entry.ask.command()); });
        m_fieldAsker.emplace([this](auto exchange) { return await(std::move(exchange)); });
        m_examinations.emplace(m_recogniser, *m_driver,
                               m_options.limit ? [this] { return m_gathering.canAfford(); } : std::function<bool()>());
        connect(&*m_examinations, &LockExaminations::finished, this, [this] {
            m_isExamining = false;
            endLoop();
        });
    }

    /// Prints the keys part by part. Called outside of the event loop, which it runs while it waits for the server.
    [[nodiscard]] ExitCode list()
    {
        for (gather(); m_exitCode == ExitCode::Yes; gather()) {
            if (!std::exchange(m_isBegun, true))
                printBeginning();
            printPart();
            if (m_isWhole || m_exitCode != ExitCode::Yes || isOutputLost())
                break;
            m_gathering.resume();
        }
        if (m_isBegun)
            printEnd();
        return m_exitCode;
    }

private:
    /// Returns the operation, for messages.
    [[nodiscard]] QString name() const
    {
        return m_options.database ? CommandLine::tr("ls, database %1").arg(*m_options.database) : QStringLiteral("ls");
    }

    /// Runs the event loop until a part is gathered.
    void gather()
    {
        m_progress.show();
        QCoreApplication::exec();
        m_progress.erase();
    }

    /// Runs an exchange, and the event loop until its result is known.
    template<typename T>
    [[nodiscard]] base::Result<T> await(exchange::Exchange<T> exchange)
    {
        std::optional<base::Result<T>> result;
        m_driver->run<T>(std::move(exchange), [&](base::Result<T> arrived) {
            result.emplace(std::move(arrived));
            endLoop();
        });
        while (!result)
            QCoreApplication::exec();
        return std::move(*result);
    }

    void printBeginning()
    {
        if (!m_options.database)
            m_printer.begin(m_rows.rowCount() > 0);
    }

    void printPart()
    {
        readFields();
        for (int first = 0; first < m_rows.rowCount() && !isOutputLost(); first += rowsAtOnce)
            printRows(first, std::min(first + rowsAtOnce, m_rows.rowCount()));
        printSorted();
        std::fflush(stdout);
    }

    void printRows(int first, int end)
    {
        const std::vector<LsRow> rows = read(first, end);
        const auto now = base::SystemClock::instance().now();
        for (const LsRow &row : rows) {
            if (m_options.onlyLocks && !row.recognition.isLock())
                continue;
            LsLine line = lineOf(row, now);
            if (m_options.order)
                m_unsorted.push_back(std::move(line));
            else
                print(line);
        }
    }

    [[nodiscard]] LsLine lineOf(const LsRow &row, base::MonotonicTime now) const
    {
        const bool isTable = m_printer.isTable();
        return {isTable && !m_options.order ? QJsonObject() : row.toJson(m_recogniser.dialects(), now),
                isTable ? row.toCells(now) : LsCells()};
    }

    void print(const LsLine &line)
    {
        if (m_printer.isTable())
            m_printer.print(line.cells);
        else
            m_printer.print(line.json);
    }

    /// Prints the lines that waited for the sort. With an order, all keys are in one part.
    void printSorted()
    {
        if (m_options.order)
            m_options.order->sort(m_unsorted);
        for (const LsLine &line : m_unsorted) {
            if (isOutputLost())
                break;
            print(line);
        }
        m_unsorted.clear();
    }

    void printEnd()
    {
        if (!m_options.database)
            m_printer.end(); // Flushed before the missing parts are printed to standard error.
        m_fieldAsker->complainOfUnknown(name(), m_hashes);
        if (const auto &error = m_examinations->error())
            m_exitCode = printError(error->during(name()));
        m_exitCode = exitCodeFor(name(), m_examinations->addedTo(m_gathering.coverage()), m_printer.coverageForm(),
                                 m_exitCode, m_options.database);
    }

    /// Reads the field expiries of the listed hashes, if the server supports them.
    void readFields()
    {
        std::vector<base::Key> hashes;
        for (int row = 0; row < m_rows.rowCount(); ++row) {
            if (const KeyRecord record = m_rows.recordAt(row); record.type == keys::KeyType::Hash)
                hashes.push_back(record.key);
        }
        const std::size_t askedBefore = std::min(m_hashes, FieldExpiryReader::mostHashes);
        m_hashes += hashes.size();
        hashes.resize(std::min(hashes.size(), FieldExpiryReader::mostHashes - askedBefore));
        for (const watching::FieldLifetimes &hash : m_fieldAsker->ask(hashes))
            m_store.observeFieldEnds(hash.key.bytes(), hash.ends);
        m_gathering.settle();
    }

    /// Recognises the keys of these rows. Locks with open questions of the recognition are examined.
    [[nodiscard]] std::vector<LsRow> read(int first, int end)
    {
        std::vector<LsRow> rows;
        std::vector<detection::KeyExamination> questionable;
        const auto now = base::SystemClock::instance().now();
        for (int index = first; index < end; ++index) {
            const KeyId id = m_rows.idAt(index);
            LsRow row {m_rows.recordAt(index), m_store.known().fieldEndsOf(id), {}, {}, {}};
            if (m_options.onlyExpiring && row.record.deadline.isNever() && row.fieldEnds == nullptr)
                continue;
            if (const keys::RawValue *value = m_store.known().value(id)) {
                row.takeSample(*value, now);
                const recognition::ServerContext &context = m_examinations->serverContext();
                row.recognition = m_recogniser.recognise(row.sample, context);
                if (!row.recognition.questions.empty())
                    questionable.push_back(
                        {true, row.sample.type, base::Deadline::never(), row.sample, context, row.recognition, {}});
            }
            rows.push_back(std::move(row));
        }
        examine(std::move(questionable), rows);
        for (LsRow &row : rows) {
            if (!row.recognition.isLock())
                continue;
            row.sample.endsWithFields =
                !row.sample.left && row.fieldEnds != nullptr && !row.fieldEnds->wholeEnd().isNever();
            row.findings =
                detection::snapshotFindings(row.recognition, row.sample, m_recogniser.dialects(), serverFacts());
        }
        return rows;
    }

    /// Reads the companion keys of these locks, and updates their rows.
    void examine(std::vector<detection::KeyExamination> examinations, std::vector<LsRow> &rows)
    {
        if (examinations.empty())
            return;
        m_isExamining = true;
        m_examinations->begin(std::move(examinations));
        while (m_isExamining)
            QCoreApplication::exec();
        for (LsRow &row : rows) {
            detection::KeyExamination *found = m_examinations->of(row.record.key.bytes());
            if (found == nullptr)
                continue;
            row.recognition = std::move(found->recognition);
            row.sample = std::move(found->sample);
        }
    }

    /// Returns facts about the server, which are read with the first lock.
    [[nodiscard]] const findings::ServerProperties &serverFacts()
    {
        if (!m_serverFacts)
            m_serverFacts = await(detection::readServerProperties()).value_or(detection::serverPropertiesFrom({}, {}));
        return *m_serverFacts;
    }

    void finish(ExitCode exitCode)
    {
        m_exitCode = exitCode;
        endLoop();
    }

    /// Ends the current event loop, or the next one if none runs: the dialer may fail before the event loop starts.
    static void endLoop()
    {
        QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
    }

    const Options m_options;
    const recognition::Recogniser m_recogniser {userDialects()};
    KeyListing m_gathering;
    keys::KeyStore &m_store; ///< Owned by m_gathering.
    rows::RowList m_rows;
    ScanProgress m_progress;
    LsPrinter &m_printer;                           // Not owned.
    std::unique_ptr<exchange::LoopDriver> m_driver; ///< Reads over the session of m_gathering.
    std::optional<FieldExpiryReader> m_fieldAsker;
    std::optional<LockExaminations> m_examinations;
    bool m_isExamining = false;
    std::vector<LsLine> m_unsorted; ///< Rows that wait to be sorted.
    std::size_t m_hashes = 0;       ///< Number of hashes found so far.
    std::optional<findings::ServerProperties> m_serverFacts;
    bool m_isBegun = false; ///< Printing has begun.
    bool m_isWhole = false; ///< The last part has been gathered.
    ExitCode m_exitCode = ExitCode::Error;
};

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

ExitCode runLs(const Arguments &arguments)
{
    if (const auto dialects = checkUserDialects(); !dialects)
        return printError(dialects.error());
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return printError(endpoint.error());
    const auto limits = Limits::from(arguments, *endpoint);
    if (!limits)
        return printError(limits.error());
    const auto output = LsPrinter::optionsFrom(arguments);
    if (!output)
        return printError(output.error());
    const auto order = LsOrder::from(arguments);
    if (!order)
        return printError(order.error());
    LsPrinter printer(*output);
    const Listing::Options options {
        arguments.globs(), arguments.isSet("expiring"), arguments.isSet("locks"), *order, {},
        limits->firstScan, arguments.timeout()};
    if (output->hasDatabases)
        return listAll(*endpoint, options, printer);
    Listing listing(options, printer);
    listing.start(*endpoint);
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
pttl_ms is -1 without expiry. A key that is not UTF-8 is printed also as key_base64.
A hash with expiring fields has fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}: the number of fields, how many were read, whether that was all, how many expire, and the first hundred that expire.
With the URL of any cluster node, the keys of all primaries are listed. A primary that cannot be reached is named on standard error.
With --all-databases each row has db, the number of its database, and so has the coverage; --sort sorts within a database. A cluster has one database.
Exit code: 0, also if no key matches; 2 wrong usage; 3 error, or not everything could be read.
Standard error reports what is missing, for json and jsonl as one object: {complete, looked_at, of, denied:
[{question, some_keys, why}], unread, blind_ms, unreported_ms, lag_ms}, and of a cluster also cluster:
{nodes: [{node, looked_at, why}], slots_moved, unserved_slots, why}.

Examples:
  latchkey-cli ls 'lock:*' 'job:*:lock'
  latchkey-cli ls --locks --sort findings --reverse
  latchkey-cli ls --locks -o csv > locks.csv
  latchkey-cli ls --all-databases --locks
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
