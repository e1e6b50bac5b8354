#pragma once

#include <QEventLoop>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTimer>

#include <chrono>

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

/// Waits on the event loop for the end of a process that has been started; aborts the test program where it does not
/// come.
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
