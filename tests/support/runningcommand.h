#pragma once

#include <QJsonObject>
#include <QProcess>

#include <memory>

namespace latchkey::test {

/// A running latchkey-cli with its output: for `watch --json`, events. Killed with this object.
class RunningCommand final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RunningCommand)

public:
    explicit RunningCommand(const QProcessEnvironment &environment);
    ~RunningCommand() override;

    void start(const QStringList &arguments);
    /// Ends the command by SIGTERM. Returns its exit code; -1 if it has not ended within half a minute.
    int stop();
    [[nodiscard]] bool hasEnded() const { return m_process.state() == QProcess::NotRunning; }
    [[nodiscard]] int exitCode() const { return m_process.exitCode(); }

    /// Returns the printed lines that are JSON objects.
    [[nodiscard]] QList<QJsonObject> lines() const;
    /// Returns the keys of the printed events of this kind, sorted.
    [[nodiscard]] QStringList keysOf(const QString &event) const;
    /// Returns the words of the events of this key, in their order.
    [[nodiscard]] QStringList eventsOf(const QByteArray &key) const;
    [[nodiscard]] const QByteArray &output() const { return m_output; }
    [[nodiscard]] const QByteArray &errors() const { return m_errors; }

private:
    QProcess m_process;
    QByteArray m_output;
    QByteArray m_errors;
};

} // namespace latchkey::test
