#pragma once

#include "core/explore/races/externalprogram.h"
#include "core/explore/schedules/commandpattern.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <chrono>
#include <functional>
#include <vector>

namespace latchkey::programs {

/// A program to explore, with the settings of the exploration. A value.
struct Program
{
    QList<QByteArray> words; ///< The program and its arguments, as for process::Launch.
    QString label {};        ///< Name that the user has given; empty: none.
    QByteArray resource;     ///< Key on which all clients work; empty: unknown.
    QList<QByteArray> data;  ///< Patterns of keys that may stay forever, with * and ?.
    QList<QByteArray> locks; ///< Patterns of the keys that are locks, with * and ?; empty: inferred.
    /// Commands with which a client enters and leaves a critical section, in addition to those of CriticalSections; may
    /// be empty.
    std::vector<schedules::CommandPattern> entering {};
    std::vector<schedules::CommandPattern> leaving {};
    int servers = 1;       ///< Number of servers, 1 to races::maxServers.
    quint16 fixedPort = 0; ///< Port of 127.0.0.1 that the program always uses; 0: it reads its environment.
    schedules::FaultLimits limits;
    int maxCommands = 200;                      ///< Maximum number of commands of one client.
    std::chrono::milliseconds timeout {10'000}; ///< Timeout of Process::settle().
    /// Whether each history is observed at each time. Slower, with the same verdicts; for tests of the inference from
    /// one time to another.
    bool observesEachTime = false;
    /// Whether the processes may be forked from one that has started up, instead of each being started.
    bool forksProcesses = true;
    QString clockLibrary {};              ///< See shim::ProgramClock; empty: the machine's clock is used.
    std::function<bool()> isCancelled {}; ///< Cancellation check, called during waits; null: never cancelled.

    /// Returns the best guess of the file that the user wrote: `worker.py` for `python3 worker.py`.
    [[nodiscard]] QString fileName() const;
    /// Returns the label or, without one, the file name.
    [[nodiscard]] QString name() const { return label.isEmpty() ? fileName() : label; }
};

} // namespace latchkey::programs
