#include "tests/support/runningcommand.h"

#include <QJsonDocument>

#include <csignal>

namespace latchkey::test {

RunningCommand::RunningCommand(const QProcessEnvironment &environment)
{
    m_process.setProcessEnvironment(environment);
    connect(&m_process, &QProcess::readyReadStandardOutput, this,
            [this] { m_output += m_process.readAllStandardOutput(); });
    connect(&m_process, &QProcess::readyReadStandardError, this,
            [this] { m_errors += m_process.readAllStandardError(); });
}

RunningCommand::~RunningCommand()
{
    m_process.disconnect(this);
}

void RunningCommand::start(const QStringList &arguments)
{
    m_process.start(QStringLiteral(LATCHKEY_CLI), arguments);
}

int RunningCommand::stop()
{
    ::kill(static_cast<pid_t>(m_process.processId()), SIGTERM);
    return m_process.waitForFinished(30'000) ? m_process.exitCode() : -1;
}

QList<QJsonObject> RunningCommand::lines() const
{
    QList<QJsonObject> all;
    for (const QByteArray &line : m_output.split('\n')) {
        if (const QJsonObject object = QJsonDocument::fromJson(line).object(); !object.isEmpty())
            all += object;
    }
    return all;
}

QStringList RunningCommand::keysOf(const QString &event) const
{
    QStringList keys;
    for (const QJsonObject &line : lines()) {
        if (line[QLatin1String("event")].toString() == event)
            keys += line[QLatin1String("key")].toString();
    }
    keys.sort();
    return keys;
}

QStringList RunningCommand::eventsOf(const QByteArray &key) const
{
    QStringList events;
    for (const QJsonObject &line : lines()) {
        if (line[QLatin1String("key")].toString() == QString::fromUtf8(key))
            events += line[QLatin1String("event")].toString();
    }
    return events;
}

} // namespace latchkey::test
