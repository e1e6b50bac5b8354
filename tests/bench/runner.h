#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <chrono>
#include <sys/types.h>
#include <vector>

namespace latchkey::test {
class TestServer;
}

/// What all parts of the benchmarks use: processes on cores of their own, medians, and the lines of the report.
namespace bench {

/// Fewer keys and rounds.
extern bool isQuick;

/// On this core only; -1: wherever the scheduler puts it.
void pin(pid_t process, int core);
/// Runs a program, one of those beside this one unless it is a path, on a core; its standard output. Fails where it
/// takes longer than atMost.
[[nodiscard]] QByteArray run(const QString &program, const QStringList &arguments, int core,
                             std::chrono::milliseconds atMost = std::chrono::minutes(5));
/// The same, of a program that prints a JSON object.
[[nodiscard]] QJsonObject runForJson(const QString &program, const QStringList &arguments, int core,
                                     std::chrono::milliseconds atMost = std::chrono::minutes(5));
[[nodiscard]] double median(std::vector<double> values);
void report(const char *what, double value, const char *unit);
/// So many keys that expire much later, and whose names are those of locks.
void fill(latchkey::test::TestServer &server, int count);

// The parts of the window, see windowparts.cpp.
void benchFirstPaint(QJsonObject &result);
void benchIdle(QJsonObject &result);
void benchLive(QJsonObject &result);
void benchPlayground(QJsonObject &result);
/// Ten minutes of it; only where it is asked for by name.
void benchPlaygroundMemory(QJsonObject &result);
/// A hundred thousand keys that end.
void benchLab(QJsonObject &result);
void benchMillion(QJsonObject &result);

/// The ways to a server, see ways.cpp.
void benchWays(QJsonObject &result);

} // namespace bench
