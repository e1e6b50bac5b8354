// ls: one row per key.

#include "app/cli/command.h"
#include "app/cli/fieldasker.h"
#include "app/cli/fieldoutput.h"
#include "app/cli/keygathering.h"
#include "app/cli/limits.h"
#include "app/cli/lsprinter.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/scanprogress.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"
#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/detection/snapshotfindings.h"
#include "core/inspect/recognition/recogniser.h"
#include "core/keyspace/rows/rowlist.h"
#include "core/redis/exchange/blockingdriver.h"

#include <QCoreApplication>

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;
using keys::KeyId;
using keys::KeyRecord;
using recognition::Recognition;
using namespace std::chrono_literals;

namespace {

/// Limit of locks for which companions are read: each lock needs a few round trips.
constexpr int mostExamined = 1000;

/// A listing: scans, reads the values of possible locks, and prints. Then it ends the event loop.
class Listing final : public QObject
{
public:
    struct Options
    {
        base::Globs globs;
        bool onlyExpiring = false;
        bool onlyLocks = false;
        bool isSorted = false;
        LsPrinter::Options output;
        std::optional<budget::CommandLimit> limit; ///< Absent: no limit.
        std::chrono::milliseconds timeout {};
    };

    explicit Listing(Options options)
        : m_options(std::move(options))
        , m_gathering(m_recogniser,
                      {m_options.globs, m_options.onlyLocks, m_options.isSorted, m_options.limit, m_options.timeout})
        , m_store(m_gathering.store())
        , m_rows(m_store)
        , m_progress([this] {
            return ScanProgress::Counts {static_cast<qint64>(m_gathering.keysWalked()),
                                         m_gathering.databaseSize().value_or(0)};
        })
        , m_printer(m_options.output)
    {
        m_rows.setSortOrder({&rows::byKey, false});
        connect(&m_gathering, &KeyGathering::failed, this,
                [this](const base::Error &error) { finish(complain(error.during(QStringLiteral("ls")))); });
        connect(&m_gathering, &KeyGathering::partGathered, this, [this] { finish(ExitCode::Yes); });
        connect(&m_gathering, &KeyGathering::finished, this, [this] {
            m_isWhole = true;
            finish(ExitCode::Yes);
        });
    }

    void start(const net::Endpoint &endpoint)
    {
        m_driver = std::make_unique<exchange::BlockingDriver>(
            std::vector {endpoint}, m_options.timeout, base::SystemClock::instance(), base::SystemRandom::instance());
        m_fieldAsker.emplace(*m_driver);
        m_gathering.start(endpoint);
    }

    /// Prints the keys part by part. Called after the event loop, because printing may block on further reads.
    [[nodiscard]] ExitCode list()
    {
        for (gather(); m_exitCode == ExitCode::Yes; gather()) {
            if (!std::exchange(m_isBegun, true))
                printBeginning();
            printPart();
            if (m_isWhole || isOutputLost())
                break;
            m_gathering.goOn();
        }
        if (m_isBegun)
            printEnd();
        return m_exitCode;
    }

private:
    /// Runs the event loop until a part is gathered.
    void gather()
    {
        m_progress.show();
        QCoreApplication::exec();
        m_progress.erase();
    }

    void printBeginning()
    {
        if (const auto &part = m_gathering.part(); part && part->of > 1)
            complain(CommandLine::tr("this is node %1 of %2 of a cluster; the keys of the other nodes are not listed")
                         .arg(part->number)
                         .arg(part->of));
        m_printer.begin(m_rows.rowCount() > 0);
    }

    void printPart()
    {
        readFields();
        const auto now = base::SystemClock::instance().now();
        for (int row = 0; row < m_rows.rowCount() && !isOutputLost(); ++row) {
            const KeyId id = m_rows.idAt(row);
            const KeyRecord record = m_rows.recordAt(row);
            if (m_options.onlyExpiring && record.deadline.isNever() && m_store.known().fieldEndsOf(id) == nullptr)
                continue;
            const keys::RawValue *value = m_store.known().value(id);
            const Looked looked = value == nullptr ? Looked() : look(id, *value, now);
            if (m_options.onlyLocks && !looked.recognition.isLock())
                continue;
            if (m_printer.isTable())
                m_printer.print(cellsOf(id, looked, now));
            else
                m_printer.print(toJson(id, looked, now));
        }
        std::fflush(stdout);
    }

    void printEnd()
    {
        m_printer.end(); // Flushed before the missing parts are printed to standard error.
        complainOfFields();
        if (m_examineError)
            m_exitCode = complain(m_examineError->during(QStringLiteral("ls")));
        m_exitCode = exitCodeFor(QStringLiteral("ls"), m_gathering.coverage(), m_printer.coverageForm(), m_exitCode);
    }

    /// Reads the field expiries of the listed hashes, if the server supports them.
    void readFields()
    {
        std::vector<base::Key> hashes;
        for (int row = 0; row < m_rows.rowCount(); ++row) {
            if (const KeyRecord record = m_rows.recordAt(row); record.type == keys::KeyType::Hash)
                hashes.push_back(record.key);
        }
        const std::size_t askedBefore = std::min(m_hashes, FieldAsker::mostHashes);
        m_hashes += hashes.size();
        hashes.resize(std::min(hashes.size(), FieldAsker::mostHashes - askedBefore));
        for (const watching::FieldLifetimes &hash : m_fieldAsker->ask(hashes))
            m_store.observeFieldEnds(hash.key.bytes(), hash.ends);
        m_gathering.settle();
    }

    void complainOfFields() const
    {
        if (const auto why = m_fieldAsker->whyNotKnown())
            complain(CommandLine::tr("expiry of hash fields unknown: %1").arg(why->message()));
        if (m_hashes > FieldAsker::mostHashes && !m_fieldAsker->isRefused())
            complain(CommandLine::tr("of %1 hashes, only the first %2 were checked for expiring fields")
                         .arg(m_hashes)
                         .arg(FieldAsker::mostHashes));
    }

    /// The recognition of a key, and its findings.
    struct Looked
    {
        Recognition recognition;
        std::vector<findings::Finding> findings;
    };

    [[nodiscard]] Looked look(KeyId id, const keys::RawValue &value, base::MonotonicTime now)
    {
        const KeyRecord record = m_store.known().table.at(id);
        recognition::KeySample sample;
        sample.key = record.key.bytes();
        sample.type = value.type;
        sample.value = value;
        sample.isExpiryKnown = true;
        if (!record.deadline.isNever())
            sample.left = std::chrono::milliseconds(millisecondsLeft(record.deadline, now));
        sample.now = base::SystemClock::instance().wallNow();
        Looked looked {m_recogniser.recognise(sample), {}};
        if (!looked.recognition.questions.empty() && m_examined < mostExamined) {
            // The companions have more data.
            ++m_examined;
            auto found = m_driver->run(detection::examine(record.key, m_recogniser));
            if (found && found->exists) {
                looked.recognition = std::move(found->recognition);
                sample = std::move(found->sample);
            } else if (!found && found.error().kind != base::ErrorKind::PermissionDenied) {
                m_examineError = found.error();
            }
        }
        sample.endsWithFields = !sample.left && !m_store.known().endOf(id).isNever();
        if (looked.recognition.isLock())
            looked.findings =
                detection::snapshotFindings(looked.recognition, sample, m_recogniser.dialects(), serverFacts());
        return looked;
    }

    /// Returns facts about the server, which are read for the first lock.
    [[nodiscard]] const findings::ServerFacts &serverFacts()
    {
        if (!m_serverFacts)
            m_serverFacts = m_driver->run(detection::askServerFacts()).value_or(findings::ServerFacts());
        return *m_serverFacts;
    }

    [[nodiscard]] QJsonObject toJson(KeyId id, const Looked &looked, base::MonotonicTime now) const
    {
        const KeyRecord record = m_store.known().table.at(id);
        QJsonObject row;
        files::insertBytes(row, QStringLiteral("key"), record.key.bytes());
        row[QStringLiteral("type")] = keys::keyTypeName(record.type);
        row[QStringLiteral("pttl_ms")] = millisecondsLeft(record.deadline, now);
        if (const keys::FieldEnds *fields = m_store.known().fieldEndsOf(id))
            insertFieldEnds(row, *fields, now);
        QJsonArray ids;
        for (const findings::Finding &finding : looked.findings)
            ids += findings::kindId(finding.kind);
        row[QStringLiteral("findings")] = ids;
        insertRecognition(row, looked.recognition, m_recogniser.dialects());
        return row;
    }

    /// Returns the remaining time. For a hash without a TTL, it is that of the first field, and the text says so.
    [[nodiscard]] QString leftText(KeyId id, const KeyRecord &record, base::MonotonicTime now) const
    {
        if (!record.deadline.isNever())
            return base::spokenDuration(std::chrono::milliseconds(millisecondsLeft(record.deadline, now)));
        const keys::FieldEnds *fields = m_store.known().fieldEndsOf(id);
        return fields == nullptr ? CommandLine::tr("no expiry") : firstFieldText(*fields, now);
    }

    LsCells cellsOf(KeyId id, const Looked &looked, base::MonotonicTime now) const
    {
        const KeyRecord record = m_store.known().table.at(id);
        const Recognition &recognised = looked.recognition;
        const auto holder = firstHolder(recognised);
        const QString none = QStringLiteral("-");
        const auto number = [&](std::optional<qint64> value) { return value ? QString::number(*value) : none; };
        const bool isLock = recognised.isLock();
        const auto ofLock = [&](qint64 value) { return isLock ? QString::number(value) : none; };
        return {keys::keyTypeName(record.type),
                leftText(id, record, now),
                isLock ? recognised.best().dialect : none,
                ofLock(recognised.decoded.holdCount()),
                isLock ? number(waiterCount(recognised)) : none,
                isLock ? number(recognised.decoded.fencing) : none,
                ofLock(static_cast<qint64>(looked.findings.size())),
                holder ? base::printable(*holder) : none,
                base::printable(record.key.bytes())};
    }

    void finish(ExitCode exitCode)
    {
        m_exitCode = exitCode;
        // Queued, because the dialer may fail before the event loop runs.
        QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
    }

    const Options m_options;
    const recognition::Recogniser m_recogniser {userDialects()};
    KeyGathering m_gathering;
    keys::KeyStore &m_store; ///< Owned by m_gathering.
    rows::RowList m_rows;
    ScanProgress m_progress;
    LsPrinter m_printer;
    std::unique_ptr<exchange::BlockingDriver> m_driver; ///< For the companions of a lock.
    std::optional<FieldAsker> m_fieldAsker;
    std::size_t m_hashes = 0; ///< Number of hashes found so far.
    std::optional<findings::ServerFacts> m_serverFacts;
    bool m_isBegun = false; ///< Printing has begun.
    bool m_isWhole = false; ///< The last part has been gathered.
    int m_examined = 0;
    std::optional<base::Error> m_examineError; ///< Why companions of a lock were not read.
    ExitCode m_exitCode = ExitCode::Error;
};

ExitCode runLs(const Arguments &arguments)
{
    if (const auto dialects = checkUserDialects(); !dialects)
        return complain(dialects.error());
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return complain(endpoint.error());
    const auto limits = Limits::from(arguments, *endpoint);
    if (!limits)
        return complain(limits.error());
    const auto output = LsPrinter::optionsFrom(arguments);
    if (!output)
        return complain(output.error());
    Listing listing({arguments.globs(), arguments.isSet("expiring"), arguments.isSet("locks"), arguments.isSet("sort"),
                     *output, limits->firstScan, arguments.timeout()});
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
Up to 20000 keys are sorted by name. More keys are printed in the order of the server, while they are read.

{options}

--json is -o json: an array of {key, type, pttl_ms, kind: {id, confidence, evidence}|null, holder, count, waiters, fencing, findings: [ID]}, and candidates: [{id, confidence}] if the kind is not certain.
pttl_ms is -1 without expiry. A key that is not UTF-8 is printed also as key_base64.
A hash with expiring fields has fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}: the number of fields, how many were read, whether that was all, how many expire, and the first hundred that expire.
A cluster node lists only its own keys, and reports on standard error which part of the cluster they are.
Exit code: 0, also if no key matches; 2 wrong usage; 3 error, or not everything could be read.
Standard error reports what is missing, for json and jsonl as one object: {complete, looked_at, of, denied:
[{question, some_keys, why}], unread, blind_ms, lag_ms}.

Examples:
  latchkey-cli ls 'lock:*' 'job:*:lock'
  latchkey-cli ls --locks -o csv > locks.csv
  latchkey-cli ls --locks --json
  latchkey-cli ls --locks --json | jq -r '.[] | select(.findings | index("no-expiry")) | .key'
)help"),
        QList<QCommandLineOption> {
            makeOption("expiring", "", CommandLine::tr("only keys with an expiry, or with fields that have one")),
            limitOption(CommandLine::tr(
                "limit of the server's time: a share of its core like 5%, or commands per second like 500/s. Default: "
                "5% for a server on another machine or saved as production, otherwise no limit")),
            makeOption("locks", "", CommandLine::tr("only keys that look like locks, sorted")),
            makeOption("sort", "", CommandLine::tr("all keys sorted, which takes memory for all of them")),
        } + LsPrinter::options(),
        runLs,
    };
}

} // namespace latchkey::cli
