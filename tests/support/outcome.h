#pragma once

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

namespace latchkey::test {

/// What a program has come to: its exit code, and what it has written.
struct Outcome
{
    int exitCode = -1;
    QByteArray output;
    QByteArray errors;

    /// The output as a JSON object; empty where it is none.
    [[nodiscard]] QJsonObject object() const { return QJsonDocument::fromJson(output).object(); }
    /// The object's "outcome".
    [[nodiscard]] QString outcome() const { return object()[QStringLiteral("outcome")].toString(); }
};

/// Waits for the end of a process that has been started; aborts the test program where it does not come.
[[nodiscard]] inline Outcome outcomeOf(QProcess &process)
{
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(120'000))
        qFatal("%s did not end", qPrintable(process.program()));
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace latchkey::test
