#pragma once

#include <QEventLoop>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTimer>

#include <chrono>

namespace latchkey::test {

/// The result of a program: its exit code and its output.
struct Outcome
{
    int exitCode = -1;
    QByteArray output;
    QByteArray errors;

    /// Returns the output as a JSON object; empty if the output is no JSON object.
    [[nodiscard]] QJsonObject object() const { return QJsonDocument::fromJson(output).object(); }
    /// Returns the member "outcome" of that JSON object.
    [[nodiscard]] QString outcome() const { return object()[QStringLiteral("outcome")].toString(); }
};

/// Waits on the event loop for the end of a started process. Aborts the test program if the process does not end.
[[nodiscard]] inline Outcome outcomeOf(QProcess &process)
{
    QEventLoop loop;
    QObject::connect(&process, &QProcess::stateChanged, &loop, [&loop](QProcess::ProcessState state) {
        if (state == QProcess::NotRunning)
            loop.quit();
    });
    QTimer::singleShot(std::chrono::minutes(2), &loop, &QEventLoop::quit);
    if (process.state() != QProcess::NotRunning)
        loop.exec();
    if (process.state() != QProcess::NotRunning)
        qFatal("%s did not end", qPrintable(process.program()));
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace latchkey::test
