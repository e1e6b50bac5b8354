#include "core/explore/racesearch/racesearch.h"

#include "core/explore/schedules/schedulefile.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <csignal>

namespace latchkey::racesearch {

using base::ErrorKind;
using base::Text;
using namespace std::chrono_literals;

namespace {

/// Time in which a cancelled finder may report its results so far.
constexpr auto cancelTimeout = 2s;

RaceSearch::Answer answerFrom(const QJsonObject &line)
{
    const QJsonObject object = line[QStringLiteral("answered")].toObject();
    RaceSearch::Answer answer;
    answer.promise = object[QStringLiteral("id")].toString();
    answer.clients = object[QStringLiteral("clients")].toInt();
    answer.isClaimed = object[QStringLiteral("claimed")].toBool();
    answer.verdict = schedules::verdictFrom(object[QStringLiteral("verdict")].toString());
    answer.isComplete = object[QStringLiteral("complete")].toBool();
    answer.schedules = object[QStringLiteral("schedules")].toDouble();
    answer.states = object[QStringLiteral("states")].toInteger();
    answer.violation = object[QStringLiteral("complaint")].toString();
    answer.reason = Text::fromJson(line[QStringLiteral("reason")]);
    if (const QJsonValue schedule = line[QStringLiteral("story")]; schedule.isObject()) {
        if (auto read = schedules::fromFile(QJsonDocument(schedule.toObject()).toJson(QJsonDocument::Compact)))
            answer.schedule = *std::move(read);
    }
    return answer;
}

RaceSearch::Progress progressFrom(const QJsonObject &object)
{
    RaceSearch::Progress progress;
    progress.promise = object[QStringLiteral("promise")].toString();
    progress.clients = object[QStringLiteral("clients")].toInt();
    progress.states = object[QStringLiteral("states")].toInteger();
    progress.maxStates = object[QStringLiteral("most_states")].toInteger();
    progress.depth = object[QStringLiteral("depth")].toInt();
    progress.starts = object[QStringLiteral("starts")].toInt();
    progress.steps = object[QStringLiteral("steps")].toInteger();
    progress.seconds = object[QStringLiteral("seconds")].toDouble();
    return progress;
}

QStringList textsFrom(const QJsonValue &array)
{
    QStringList texts;
    for (const auto &each : array.toArray())
        texts += each.toString();
    return texts;
}

RaceSearch::Conditions conditionsFrom(const QJsonObject &object)
{
    RaceSearch::Conditions conditions;
    conditions.clock = schedules::clockControlFrom(object[QStringLiteral("clock")].toString());
    conditions.isStopped = object[QStringLiteral("stopped")].toBool();
    conditions.steps = object[QStringLiteral("steps")].toInteger();
    conditions.starts = object[QStringLiteral("starts")].toInt();
    conditions.seconds = object[QStringLiteral("seconds")].toDouble();
    for (const auto &end : object[QStringLiteral("failed_ends")].toArray())
        conditions.failedEnds.push_back(
            {end[QStringLiteral("exit_code")].toInt(), end[QStringLiteral("printed")].toString()});
    if (const QJsonValue retries = object[QStringLiteral("livelock")]; retries.isDouble())
        conditions.livelockRepetitions = retries.toInt();
    if (const QJsonValue retries = object[QStringLiteral("late_retries")]; retries.isDouble())
        conditions.lateRetries = retries.toInt();
    conditions.hasBusyWait = object[QStringLiteral("busy_wait")].toBool();
    conditions.hasEndedClient = object[QStringLiteral("clients_ended")].toBool(true);
    conditions.soloLivelockCommand = object[QStringLiteral("livelock_alone")].toString();
    if (const auto waits = object[QStringLiteral("deadlock")][QStringLiteral("counterexample")].toArray();
        !waits.isEmpty())
        conditions.deadlockStep = waits.last()[QStringLiteral("note")].toString();
    conditions.unanswered = textsFrom(object[QStringLiteral("unanswered")]);
    conditions.notes = textsFrom(object[QStringLiteral("notes")]);
    return conditions;
}

QStringList promiseArguments(const QStringList &promises, const schedules::ServerFaultLimits &serverFaults)
{
    QStringList arguments;
    for (const QString &promise : promises)
        arguments += {QStringLiteral("--promise"), promise};
    return arguments + serverFaults.argumentsFor(promises);
}

} // namespace

QStringList ProgramToExplore::arguments() const
{
    QStringList arguments {QStringLiteral("--clients"),      QString::number(clients),
                           QStringLiteral("--crashes"),      QString::number(limits.crashes),
                           QStringLiteral("--expirations"),  QString::number(limits.expirations),
                           QStringLiteral("--timer-steps"),  QString::number(limits.timerSteps),
                           QStringLiteral("--lost-replies"), QString::number(limits.lostReplies)};
    // With "=", because values may begin with a dash.
    if (!resource.isEmpty())
        arguments += QStringLiteral("--resource=") + resource;
    for (const auto &[option, patterns] :
         {std::pair("--data=", &data), {"--lock=", &locks}, {"--inside=", &inside}, {"--outside=", &outside}}) {
        for (const QString &pattern : *patterns)
            arguments += QLatin1String(option) + pattern;
    }
    if (servers > 1)
        arguments += {QStringLiteral("--servers"), QString::number(servers)};
    if (fixedPort > 0)
        arguments += {QStringLiteral("--fixed-port"), QString::number(fixedPort)};
    if (limits.preemptions)
        arguments += {QStringLiteral("--preemptions"), QString::number(*limits.preemptions)};
    arguments += promiseArguments(promises, serverFaults);
    if (longest)
        arguments += {QStringLiteral("--for"), QStringLiteral("%1s").arg(longest->count())};
    return arguments + QStringList {QStringLiteral("--")} + words;
}

RaceSearch::RaceSearch(QString program, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
{
    m_timeout.setSingleShot(true);
    m_timeout.setInterval(cancelTimeout);
    connect(&m_timeout, &QTimer::timeout, this, [this] {
        if (m_process)
            m_process->signal(SIGKILL);
    });
}

RaceSearch::~RaceSearch() = default;

void RaceSearch::start(const QString &recipe, std::optional<int> clients, const QStringList &without,
                       const QStringList &promises, const schedules::ServerFaultLimits &serverFaults)
{
    m_recipe = recipe;
    m_without = without;
    m_programToExplore = {};
    QStringList arguments {recipe};
    if (clients)
        arguments += {QStringLiteral("--clients"), QString::number(*clients)};
    for (const QString &fault : without)
        arguments += {QStringLiteral("--without"), fault};
    run(arguments + promiseArguments(promises, serverFaults));
}

void RaceSearch::start(const ProgramToExplore &program)
{
    m_recipe.clear();
    m_without.clear();
    m_programToExplore = program;
    run(program.arguments());
}

void RaceSearch::run(const QStringList &arguments)
{
    m_timeout.stop();
    m_unread.clear();
    m_lastError.clear();
    m_progress = {};
    m_answers.clear();
    m_conditions.reset();
    m_isCancelled = false;
    m_isOutputComplete = false;
    m_error.reset();
    m_process = std::make_unique<process::Child>();
    connect(m_process.get(), &process::Child::outputReceived, this, &RaceSearch::read);
    connect(m_process.get(), &process::Child::ended, this, &RaceSearch::ended);

    process::Launch launch;
    launch.words = process::Launch::wordsFrom(
        m_program.contains(u'/') ? QFileInfo(m_program).absoluteFilePath() : m_program,
        QStringList {QStringLiteral("explore"), QStringLiteral("--json"), QStringLiteral("--progress")} + arguments);
    launch.input = process::Launch::Channel::Nothing;
    launch.output = process::Launch::Channel::Piped;
    launch.hasOwnGroup = true; // Ctrl-C must not reach the finder.
    launch.folder = QFile::encodeName(m_programToExplore.folder);
    m_error = startChild(launch);
    m_state = m_error ? State::Over : State::Running;
    Q_EMIT stateChanged(m_state);
}

std::optional<base::Error> RaceSearch::startChild(const process::Launch &launch)
{
    if (!m_programToExplore.folder.isEmpty() && !QFileInfo(m_programToExplore.folder).isDir())
        return base::Error {ErrorKind::Usage,
                            Text(QT_TRANSLATE_NOOP("core", "there is no folder %1"), m_programToExplore.folder)};
    if (const auto started = m_process->start(launch); !started)
        return base::Error {ErrorKind::Local, Text(QT_TRANSLATE_NOOP("core", "cannot run %1: %2"), m_program,
                                                   QString::fromLocal8Bit(started.error().message().c_str()))};
    return {};
}

void RaceSearch::cancel()
{
    if (m_state != State::Running || m_isCancelled)
        return;
    m_isCancelled = true;
    m_process->signal(SIGINT);
    m_timeout.start();
}

void RaceSearch::read()
{
    m_unread += m_process->takeOutput();
    for (qsizetype end = m_unread.indexOf('\n'); end >= 0; end = m_unread.indexOf('\n')) {
        const QByteArray line = m_unread.first(end);
        m_unread.remove(0, end + 1);
        readLine(line);
    }
}

void RaceSearch::readLine(const QByteArray &line)
{
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    if (object.contains(QStringLiteral("answered"))) {
        m_answers.push_back(answerFrom(object));
        Q_EMIT answered();
    } else if (object.contains(QStringLiteral("restarted"))) {
        m_answers.clear();
        Q_EMIT answered();
    } else if (object.contains(QStringLiteral("progress"))) {
        m_progress = progressFrom(object[QStringLiteral("progress")].toObject());
        Q_EMIT progressed();
    } else if (object.contains(QStringLiteral("promises"))) {
        m_isOutputComplete = true;
        sortAnswers(object[QStringLiteral("promises")].toArray());
        if (object.contains(QStringLiteral("program")))
            m_conditions = conditionsFrom(object);
    } else if (object.contains(QStringLiteral("error"))) {
        m_lastError = object[QStringLiteral("error")].toString();
    }
}

/// Sorts the answers as in the whole result. A search that was suspended is answered after later promises.
void RaceSearch::sortAnswers(const QJsonArray &promises)
{
    QStringList order;
    for (const auto &promise : promises)
        order += promise[QStringLiteral("id")].toString();
    std::ranges::stable_sort(m_answers, {}, [&](const Answer &answer) { return order.indexOf(answer.promise); });
}

void RaceSearch::ended(int exitCode)
{
    m_timeout.stop();
    read();
    if (!m_isOutputComplete && !m_isCancelled)
        m_error = base::Error {
            ErrorKind::Local,
            m_lastError.isEmpty()
                ? Text(QT_TRANSLATE_NOOP("core", "the race finder ended unexpectedly with exit code %1"), exitCode)
                : Text(m_lastError)};
    m_state = State::Over;
    Q_EMIT stateChanged(m_state);
}

} // namespace latchkey::racesearch
