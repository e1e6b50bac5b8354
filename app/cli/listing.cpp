#include "app/cli/listing.h"

#include "app/cli/missingparts.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/help/commandline.h"
#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/detection/snapshotfindings.h"

#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;
using keys::KeyId;
using keys::KeyRecord;

namespace {

/// Number of rows that are recognised, examined and printed together. It bounds the memory.
constexpr int rowsAtOnce = 500;

} // namespace

Listing::Listing(Options options, LsPrinter &printer)
    : m_options(std::move(options))
    , m_recogniser(userDialects())
    , m_keyListing(m_recogniser, {m_options.globs, m_options.onlyLocks, m_options.order.has_value(), m_options.limit,
                                  m_options.timeout})
    , m_store(m_keyListing.store())
    , m_rows(m_store)
    , m_progress([this] { return progress(); })
    , m_printer(printer)
{
    m_rows.setSortOrder({&rows::byKey, false});
    connect(&m_keyListing, &KeyListing::failed, this, [this](const base::Error &error) {
        m_failure = error;
        finish(ExitCode::Error);
    });
    connect(&m_keyListing, &KeyListing::partGathered, this, [this] { finish(ExitCode::Yes); });
    connect(&m_keyListing, &KeyListing::finished, this, [this] {
        m_isWhole = true;
        finish(ExitCode::Yes);
    });
}

ScanProgress::Counts Listing::progress() const
{
    return {static_cast<qint64>(m_keyListing.scan().keysTraversed()), m_keyListing.scan().databaseSize().value_or(0)};
}

void Listing::start(const net::Endpoint &endpoint)
{
    m_keyListing.start(endpoint);
    m_driver = std::make_unique<exchange::LoopDriver>(std::vector {m_keyListing.session()},
                                                      base::SystemClock::instance(), base::SystemRandom::instance());
    m_driver->setTimeout(m_options.timeout);
    m_driver->followClusters();
    m_driver->setListener(
        [this](const exchange::TranscriptEntry &entry) { m_keyListing.charge(entry.request.command()); });
    m_fieldExpiryReader.emplace([this](auto exchange) { return await(std::move(exchange)); });
    m_examinations.emplace(m_recogniser, *m_driver,
                           m_options.limit ? [this] { return m_keyListing.canAfford(); } : std::function<bool()>());
    connect(&*m_examinations, &LockExaminations::finished, this, [this] {
        m_isExamining = false;
        endLoop();
    });
}

ExitCode Listing::list()
{
    for (gather(); m_exitCode == ExitCode::Yes; gather()) {
        if (!std::exchange(m_isBegun, true))
            printBeginning();
        printPart();
        printSorted();
        std::fflush(stdout);
        if (m_isWhole || m_exitCode != ExitCode::Yes || isOutputLost())
            break;
        resume();
    }
    printEnd();
    return m_exitCode;
}

QString Listing::name() const
{
    if (!m_options.server.isEmpty() && (!m_failure || !m_failure->message().contains(m_options.server)))
        return CommandLine::tr("ls, %1").arg(m_options.server);
    return m_options.database ? CommandLine::tr("ls, database %1").arg(*m_options.database) : QStringLiteral("ls");
}

void Listing::gather()
{
    m_progress.show();
    while (!m_isGathered)
        QCoreApplication::exec();
    m_progress.erase();
}

void Listing::printBeginning()
{
    if (!isOneOfSeveral())
        m_printer.begin(m_rows.rowCount() > 0);
}

void Listing::printPart()
{
    readFields();
    for (int first = 0; first < m_rows.rowCount() && !isOutputLost(); first += rowsAtOnce)
        printRows(first, std::min(first + rowsAtOnce, m_rows.rowCount()));
}

void Listing::resume()
{
    m_isGathered = false;
    m_keyListing.resume();
}

std::vector<LsRow> Listing::readLocks()
{
    std::vector<LsRow> locks;
    readFields();
    for (int first = 0; first < m_rows.rowCount(); first += rowsAtOnce) {
        for (LsRow &row : read(first, std::min(first + rowsAtOnce, m_rows.rowCount()))) {
            if (row.recognition.isLock())
                locks.push_back(std::move(row));
        }
    }
    return locks;
}

void Listing::examine(const base::Key &key, std::function<void(base::Result<detection::KeyExamination>)> done)
{
    m_driver->run<detection::KeyExamination>(
        detection::examine(key, m_recogniser, detection::AskIdleTime::No, m_examinations->serverContext()),
        [this, done = std::move(done)](base::Result<detection::KeyExamination> found) {
            if (!found && !m_failure)
                noteUnread(found.error());
            done(std::move(found));
        });
}

/// Notes why a key was not read. After a lost connection no other key can be read.
void Listing::noteUnread(const base::Error &error)
{
    if (base::leavesOutcomeUnknown(error.kind) || error.kind == base::ErrorKind::Unreachable)
        m_failure = error;
    else if (!m_unread)
        m_unread = error;
}

std::vector<findings::Finding> Listing::findingsOf(const detection::KeyExamination &found)
{
    return detection::snapshotFindings(found.recognition, found.sample, m_recogniser.dialects(), serverProperties());
}

void Listing::printRows(int first, int end)
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
            m_printer.print(line);
    }
}

LsLine Listing::lineOf(const LsRow &row, base::MonotonicTime now) const
{
    const bool isTable = m_printer.isTable();
    return {isTable && !m_options.order ? QJsonObject() : row.toJson(m_recogniser.dialects(), now),
            isTable ? row.toCells(now) : LsCells()};
}

void Listing::printSorted()
{
    if (m_options.order)
        m_options.order->sort(m_unsorted);
    for (const LsLine &line : m_unsorted) {
        if (isOutputLost())
            break;
        m_printer.print(line);
    }
    m_unsorted.clear();
}

void Listing::printEnd()
{
    if (!m_isBegun && !isOneOfSeveral())
        m_printer.begin(false);
    if (!isOneOfSeveral())
        m_printer.end(); // Flushed before the missing parts are printed to standard error.
    m_exitCode = printMissingParts();
}

ExitCode Listing::printMissingParts()
{
    m_fieldExpiryReader->reportUnknown(name(), m_hashes);
    std::optional<base::Error> failure = m_failure ? m_failure : m_keyListing.verificationError();
    if (!failure)
        failure = m_unread ? m_unread : m_uncheckedSettings;
    return printMissing({name(), m_examinations->addedTo(m_keyListing.coverage()),
                         failure ? failure : m_examinations->error(), m_options.database, m_options.server},
                        m_printer.coverageForm());
}

void Listing::readFields()
{
    std::vector<base::Key> hashes;
    for (int row = 0; row < m_rows.rowCount(); ++row) {
        if (const KeyRecord record = m_rows.recordAt(row); record.type == keys::KeyType::Hash)
            hashes.push_back(record.key);
    }
    const std::size_t askedBefore = std::min(m_hashes, FieldExpiryReader::maxHashes);
    m_hashes += hashes.size();
    hashes.resize(std::min(hashes.size(), FieldExpiryReader::maxHashes - askedBefore));
    for (const watching::FieldLifetimes &hash : m_fieldExpiryReader->read(hashes))
        m_store.observeFieldEnds(hash.key.bytes(), hash.ends);
    m_keyListing.settle();
}

std::vector<LsRow> Listing::read(int first, int end)
{
    std::vector<LsRow> rows;
    std::vector<detection::KeyExamination> questionable;
    const auto now = base::SystemClock::instance().now();
    for (int index = first; index < end; ++index) {
        const KeyId id = m_rows.idAt(index);
        LsRow row {m_rows.recordAt(index), m_store.known().fieldEndsOf(id), {}, {}, {}, {}};
        row.isExpiryUnknown = m_keyListing.isExpiryUnknown(row.record.key.bytes());
        if (m_options.onlyExpiring && !row.isExpiryUnknown && row.record.deadline.isNever() && row.fieldEnds == nullptr)
            continue;
        if (const keys::RawValue *value = m_store.known().value(id)) {
            row.setSample(*value, now);
            const recognition::ServerContext &context = m_examinations->serverContext();
            row.recognition = m_recogniser.recognise(row.sample, context);
            if (!row.recognition.requests.empty())
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
            detection::snapshotFindings(row.recognition, row.sample, m_recogniser.dialects(), serverProperties());
    }
    return rows;
}

void Listing::examine(std::vector<detection::KeyExamination> examinations, std::vector<LsRow> &rows)
{
    if (examinations.empty())
        return;
    m_isExamining = true;
    m_examinations->begin(std::move(examinations));
    while (m_isExamining)
        QCoreApplication::exec();
    for (LsRow &row : rows) {
        detection::KeyExamination *found = m_examinations->examinationOf(row.record.key.bytes());
        if (found == nullptr)
            continue;
        row.recognition = std::move(found->recognition);
        row.sample = std::move(found->sample);
    }
}

const findings::ServerProperties &Listing::serverProperties()
{
    if (!m_serverProperties) {
        const auto properties = await(detection::readServerProperties());
        if (!properties) // Findings that do not depend on the settings are known.
            m_uncheckedSettings =
                base::Error {properties.error().kind,
                             CommandLine::tr("the settings of the server were not read, so findings may be missing: %1")
                                 .arg(properties.error().message())};
        m_serverProperties = properties.value_or(findings::ServerProperties());
    }
    return *m_serverProperties;
}

void Listing::finish(ExitCode exitCode)
{
    m_exitCode = exitCode;
    m_isGathered = true;
    endLoop();
}

void Listing::endLoop()
{
    QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
}

} // namespace latchkey::cli
