#include "core/stage/racesearch.h"

#include "core/stories/storyfile.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <csignal>

namespace latchkey::stage {

using base::ErrorKind;
using base::Text;
using namespace std::chrono_literals;

namespace {

/// How long a finder that is cancelled has to say what it has found so far.
constexpr auto cancelPatience = 2s;

RaceSearch::Verdict verdictFrom(const QString &id)
{
    return id == u"holds"  ? RaceSearch::Verdict::Holds
         : id == u"broken" ? RaceSearch::Verdict::Broken
                           : RaceSearch::Verdict::NotApplicable;
}

RaceSearch::Answer answerFrom(const QJsonObject &line)
{
    const QJsonObject told = line[QStringLiteral("answered")].toObject();
    RaceSearch::Answer answer;
    answer.promise = told[QStringLiteral("id")].toString();
    answer.clients = told[QStringLiteral("clients")].toInt();
    answer.isClaimed = told[QStringLiteral("claimed")].toBool();
    answer.verdict = verdictFrom(told[QStringLiteral("verdict")].toString());
    answer.isComplete = told[QStringLiteral("complete")].toBool();
    answer.schedules = told[QStringLiteral("schedules")].toDouble();
    answer.states = told[QStringLiteral("states")].toInteger();
    answer.complaint = told[QStringLiteral("complaint")].toString();
    if (const QJsonValue story = line[QStringLiteral("story")]; story.isObject()) {
        if (auto read = stories::fromFile(QJsonDocument(story.toObject()).toJson(QJsonDocument::Compact)))
            answer.story = *std::move(read);
    }
    return answer;
}

RaceSearch::Progress progressFrom(const QJsonObject &told)
{
    RaceSearch::Progress progress;
    progress.promise = told[QStringLiteral("promise")].toString();
    progress.clients = told[QStringLiteral("clients")].toInt();
    progress.states = told[QStringLiteral("states")].toInteger();
    progress.mostStates = told[QStringLiteral("most_states")].toInteger();
    progress.steps = told[QStringLiteral("steps")].toInteger();
    progress.seconds = told[QStringLiteral("seconds")].toDouble();
    return progress;
}

} // namespace

RaceSearch::RaceSearch(QString program, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(cancelPatience);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        if (m_process)
            m_process->signal(SIGKILL);
    });
}

RaceSearch::~RaceSearch() = default;

void RaceSearch::start(const QString &recipe, std::optional<int> clients, const QStringList &without)
{
    m_patience.stop();
    m_recipe = recipe;
    m_without = without;
    m_unread.clear();
    m_complaint.clear();
    m_progress = {};
    m_answers.clear();
    m_isCancelled = false;
    m_isAllSaid = false;
    m_error.reset();
    m_process = std::make_unique<children::Child>();
    connect(m_process.get(), &children::Child::outputCame, this, &RaceSearch::read);
    connect(m_process.get(), &children::Child::ended, this, &RaceSearch::ended);

    QStringList arguments {QStringLiteral("explore"), recipe, QStringLiteral("--json"), QStringLiteral("--progress")};
    if (clients)
        arguments += {QStringLiteral("--clients"), QString::number(*clients)};
    for (const QString &fault : without)
        arguments += {QStringLiteral("--without"), fault};
    children::Launch launch;
    launch.words = children::Launch::wordsFrom(m_program, arguments);
    launch.input = children::Launch::Channel::Nothing;
    launch.output = children::Launch::Channel::Piped;
    launch.errors = children::Launch::Errors::WithOutput;
    launch.hasOwnGroup = true; // Ctrl-C is for this program.
    m_state = State::Running;
    if (const auto started = m_process->start(launch); !started) {
        m_error = base::Error {ErrorKind::Local, Text(QT_TRANSLATE_NOOP("core", "cannot run %1: %2"), m_program,
                                                      QString::fromLocal8Bit(started.error().message().c_str()))};
        m_state = State::Over;
    }
    Q_EMIT stateChanged(m_state);
}

void RaceSearch::cancel()
{
    if (m_state != State::Running || m_isCancelled)
        return;
    m_isCancelled = true;
    m_process->signal(SIGINT);
    m_patience.start();
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
    } else if (object.contains(QStringLiteral("progress"))) {
        m_progress = progressFrom(object[QStringLiteral("progress")].toObject());
        Q_EMIT progressed();
    } else if (object.contains(QStringLiteral("promises"))) {
        m_isAllSaid = true;
    } else if (!line.trimmed().isEmpty()) {
        m_complaint = QString::fromUtf8(line).section(QStringLiteral("latchkey-cli:"), -1).trimmed();
    }
}

void RaceSearch::ended(int exitCode)
{
    m_patience.stop();
    read();
    if (!m_isAllSaid && !m_isCancelled)
        m_error = base::Error {
            ErrorKind::Local,
            m_complaint.isEmpty()
                ? Text(QT_TRANSLATE_NOOP("core", "the race finder has ended by itself, with code %1"), exitCode)
                : Text(m_complaint)};
    m_state = State::Over;
    Q_EMIT stateChanged(m_state);
}

} // namespace latchkey::stage
