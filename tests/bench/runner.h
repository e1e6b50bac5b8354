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

/// The shared parts of the benchmarks: pinned processes, medians, and the lines of the report.
namespace bench {

/// True for fewer keys and rounds.
extern bool isQuick;

/// Pins the process to this core; -1: the scheduler chooses the core.
void pin(pid_t process, int core);
/// Runs a program on a core and returns its standard output. A name without a path means a program beside this one.
/// Aborts if the program takes longer than `atMost` or fails.
[[nodiscard]] QByteArray run(const QString &program, const QStringList &arguments, int core,
                             std::chrono::milliseconds atMost = std::chrono::minutes(5));
/// Runs a program like run() and returns the JSON object that the program prints.
[[nodiscard]] QJsonObject runForJson(const QString &program, const QStringList &arguments, int core,
                                     std::chrono::milliseconds atMost = std::chrono::minutes(5));
[[nodiscard]] double median(std::vector<double> values);
void report(const char *what, double value, const char *unit);
/// Writes `count` keys that expire hours later. Their names are those of locks.
void fill(latchkey::test::TestServer &server, int count);

// Benchmarks of the window, see windowparts.cpp.
void benchFirstPaint(QJsonObject &result);
void benchIdle(QJsonObject &result);
void benchLive(QJsonObject &result);
void benchPlayground(QJsonObject &result);
/// Runs the Playground for ten minutes. Runs only if the command line names it.
void benchPlaygroundMemory(QJsonObject &result);
/// Runs the Expiry lab with a hundred thousand expiring keys.
void benchLab(QJsonObject &result);
/// Opens a window on a server with each fault of tests/support/faults.
void benchFaults(QJsonObject &result);
void benchMillion(QJsonObject &result);

/// Compares ls on a cluster with ls on one server, see clusterparts.cpp.
void benchCluster(QJsonObject &result);

// Benchmarks under load, see loadparts.cpp.
/// Measures the reporting delay of bursts of renewals.
void benchBursts(QJsonObject &result);
/// Measures ls on five million keys.
void benchListing(QJsonObject &result);
/// Measures a scrape of watch --metrics.
void benchScrape(QJsonObject &result);

/// Measures the connection types TLS and ssh, see connectiontypes.cpp.
void benchWays(QJsonObject &result);

} // namespace bench
