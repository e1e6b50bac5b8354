#include "core/playground/lab/labrun.h"

#include "core/foundation/base/logging.h"
#include "core/foundation/files/json.h"
#include "core/redis/exchange/blockingdriver.h"

#include <QJsonDocument>

#include <algorithm>
#include <csignal>

namespace latchkey::lab {

using base::ErrorKind;
using base::Text;
using privateserver::PrivateServer;
using process::Launch;
using KeyOutcomeKind = ExpiryMeter::KeyOutcome::Kind;
using namespace std::chrono_literals;

namespace {

constexpr auto reportInterval = 100ms;
constexpr auto cleanupTimeout = 2s;

} // namespace

LabRun::LabRun(QString writerProgram, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_writerProgram(std::move(writerProgram))
    , m_clock(clock)
    , m_random(random)
{
    m_reportTimer.setInterval(reportInterval);
    connect(&m_reportTimer, &QTimer::timeout, this, &LabRun::progressed);
}

LabRun::~LabRun()
{
    const bool mayHaveKeys = m_phase == Phase::Writing || m_phase == Phase::Waiting || m_phase == Phase::Cleaning;
    if (m_isOnOwnServer || !mayHaveKeys)
        return;
    // Killed at once, because no event loop is left for a deferred kill.
    if (m_writer)
        m_writer->kill();
    exchange::BlockingDriver driver({m_endpoint}, cleanupTimeout);
    if (const auto removed = driver.run(removeBelow(m_plan.prefix)); !removed)
        qCWarning(base::lcOperation).noquote()
            << "keys below" << base::printable(m_plan.prefix) << "may be left:" << removed.error().message();
}

void LabRun::setPhase(Phase phase)
{
    if (m_phase == phase)
        return;
    m_phase = phase;
    if (phase == Phase::Over) {
        m_reportTimer.stop();
        // Deferred, because a signal of these objects may be the caller.
        QMetaObject::invokeMethod(this, &LabRun::releaseAll, Qt::QueuedConnection);
    }
    Q_EMIT phaseChanged();
}

void LabRun::start(const Plan &plan, const std::optional<net::Endpoint> &server)
{
    Q_ASSERT(m_phase == Phase::Idle);
    m_plan = plan;
    m_reportTimer.start();
    setPhase(Phase::Starting);
    if (server)
        return begin(*server);
    m_isOnOwnServer = true;
    m_server = std::make_unique<PrivateServer>();
    connect(m_server.get(), &PrivateServer::ready, this, [this] { begin(m_server->endpoint()); });
    connect(m_server.get(), &PrivateServer::failed, this, &LabRun::fail);
    connect(m_server.get(), &PrivateServer::ended, this, &LabRun::fail);
    // Only notifications of expired keys.
    m_server->start({QStringLiteral("--notify-keyspace-events"), QStringLiteral("Ex")});
}

void LabRun::begin(const net::Endpoint &server)
{
    m_endpoint = server;
    m_meter = std::make_unique<ExpiryMeter>(server, m_plan, m_clock, m_random);
    connect(m_meter.get(), &ExpiryMeter::ready, this, &LabRun::launchWriter);
    connect(m_meter.get(), &ExpiryMeter::failed, this, &LabRun::fail);
    connect(m_meter.get(), &ExpiryMeter::finished, this, &LabRun::cleanUp);
    m_meter->start();
}

void LabRun::launchWriter()
{
    if (m_phase != Phase::Starting)
        return;
    m_writer = std::make_unique<process::Child>();
    connect(m_writer.get(), &process::Child::outputReceived, this, &LabRun::readWriter);
    connect(m_writer.get(), &process::Child::ended, this, &LabRun::writerEnded);
    Launch launch;
    launch.words = Launch::wordsFrom(m_writerProgram, {QStringLiteral("lab"), QStringLiteral("--write")});
    // The URL is passed in the environment, because other users can read a command line.
    launch.environment = {{"LATCHKEY_URL", m_endpoint.toUrlWithPassword().toUtf8()},
                          {"LATCHKEY_PASSWORD", std::nullopt}};
    launch.input = Launch::Channel::Piped;
    launch.output = Launch::Channel::Piped;
    launch.hasOwnGroup = true; // Ctrl-C must not reach the writer.
    if (const auto started = m_writer->start(launch); !started)
        return fail({ErrorKind::Local, Text(QT_TRANSLATE_NOOP("core", "cannot run %1: %2"), m_writerProgram,
                                            QString::fromStdString(started.error().message()))});
    m_writer->write(files::toLine(toJson(m_plan)) + '\n');
    setPhase(Phase::Writing);
}

void LabRun::readWriter()
{
    m_unread += m_writer->takeOutput();
    QByteArrayList lines = std::exchange(m_unread, {}).split('\n');
    m_unread = lines.takeLast();
    for (const QByteArray &line : lines)
        writerReported(QJsonDocument::fromJson(line).object());
}

void LabRun::writerReported(const QJsonObject &report)
{
    if (m_phase != Phase::Writing)
        return;
    if (report.contains(QStringLiteral("failed")))
        return fail({ErrorKind::Local, Text::fromJson(report[QStringLiteral("failed")])});
    if (const QJsonValue wrote = report[QStringLiteral("wrote")]; wrote.isDouble()) {
        m_written = wrote.toInt();
        m_meter->setWritten(m_written);
    }
    if (const QJsonValue stood = report[QStringLiteral("stood")]; stood.isDouble()) {
        m_killedWrites = stood.toInt();
        m_writer->signal(SIGKILL);
    }
}

void LabRun::writerEnded(int exitCode)
{
    if (m_phase != Phase::Writing)
        return;
    if (exitCode != 128 + SIGKILL)
        return fail({ErrorKind::Local,
                     Text(QT_TRANSLATE_NOOP("core", "the writer ended unexpectedly with exit code %1"), exitCode)});
    setPhase(Phase::Waiting);
    m_meter->setWriterGone();
}

void LabRun::cancel()
{
    if (m_phase == Phase::Idle || m_phase == Phase::Cleaning || m_phase == Phase::Over)
        return;
    m_isCancelled = true;
    cleanUp();
}

void LabRun::fail(const base::Error &error)
{
    if (m_phase == Phase::Cleaning || m_phase == Phase::Over)
        return;
    m_error = error;
    cleanUp();
}

void LabRun::cleanUp()
{
    setPhase(Phase::Cleaning);
    if (m_writer)
        m_writer->kill(); // The writer must not write after the cleanup.
    if (m_meter)
        m_meter->stop();
    if (m_server || !m_meter) {
        setPhase(Phase::Over);
        return;
    }
    m_cleanup = std::make_unique<PrefixCleanup>(m_endpoint, m_plan.prefix, m_clock, m_random);
    connect(m_cleanup.get(), &PrefixCleanup::finished, this, [this](const std::optional<base::Error> &error) {
        if (error && !m_error)
            m_error = error->during(
                Text(QT_TRANSLATE_NOOP("core", "keys below %1 may remain"), base::printable(m_plan.prefix)));
        setPhase(Phase::Over);
    });
    m_cleanup->start();
}

void LabRun::releaseAll()
{
    if (m_meter)
        m_meter->stop();
    m_cleanup.reset();
    m_server.reset();
}

std::vector<LabRun::RecipeCounts> LabRun::recipeCounts() const
{
    std::vector<RecipeCounts> recipeCounts;
    for (const QString &recipe : m_plan.recipes) {
        RecipeCounts counts;
        counts.recipe = recipe;
        recipeCounts.push_back(counts);
    }
    for (int key = 0; m_meter && key < m_plan.keyCount(); ++key) {
        RecipeCounts &counts = recipeCounts[static_cast<std::size_t>(key / m_plan.keysOfEach)];
        const KeyOutcomeKind kind = m_meter->outcomeOf(key).kind;
        counts.keys += kind != KeyOutcomeKind::NotRequested ? 1 : 0;
        counts.ending += kind == KeyOutcomeKind::Ending ? 1 : 0;
        counts.persistent += kind == KeyOutcomeKind::Persistent ? 1 : 0;
        counts.empty += kind == KeyOutcomeKind::Empty ? 1 : 0;
        counts.absent += kind == KeyOutcomeKind::Absent ? 1 : 0;
    }
    return recipeCounts;
}

std::vector<PromiseVerdict> verdictsOn(const LabRun::RecipeCounts &counts)
{
    const caches::Recipe &recipe = **caches::findRecipe(counts.recipe);
    std::vector<PromiseVerdict> verdicts;
    for (const auto promise : {catalogue::Promise::NoImmortalData, catalogue::Promise::NoImmortalKey}) {
        PromiseVerdict verdict;
        verdict.promise = promise;
        verdict.isClaimed = std::ranges::find(recipe.promises, promise) != recipe.promises.end();
        verdict.broken = counts.persistent + (promise == catalogue::Promise::NoImmortalKey ? counts.empty : 0);
        const qint64 keys = counts.keys;
        if (verdict.broken == 0)
            verdict.text = Text::counted(keys, QT_TRANSLATE_N_NOOP("core", "holds for all of %n keys"));
        else if (promise == catalogue::Promise::NoImmortalData)
            verdict.text =
                Text::counted(keys, QT_TRANSLATE_N_NOOP("core", "BROKEN: of %n keys %1 hold data and have no lifetime"),
                              verdict.broken);
        else
            verdict.text = Text::counted(
                keys, QT_TRANSLATE_N_NOOP("core", "BROKEN: of %n keys %1 are left without a lifetime"), verdict.broken);
        verdicts.push_back(verdict);
    }
    return verdicts;
}

} // namespace latchkey::lab
