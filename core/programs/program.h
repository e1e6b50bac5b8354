#pragma once

#include "core/races/foreign.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <chrono>
#include <functional>

namespace latchkey::programs {

/// A program whose races are sought, and what is asked of it. A value.
struct Program
{
    QList<QByteArray> words; ///< The program and its arguments, as for children::Launch.
    QByteArray resource;     ///< The key that all clients work on; empty: none is known.
    QList<QByteArray> data;  ///< Patterns of keys that may stay for ever, with * and ? in them.
    quint16 fixedPort = 0;   ///< It insists on this port of 127.0.0.1; 0: it goes where its environment says.
    races::FaultLimits limits;
    int mostCommands = 200;                      ///< That one client may send.
    std::chrono::milliseconds patience {10'000}; ///< For a process that sends nothing, and does not end either.
    QString clockLibrary {};                     ///< See shim::ProgramClock; empty: its clock is left alone.
    std::function<bool()> isToStop {};           ///< Asked while a process is waited for; null: nobody stops that.

    /// The file that the user has written, as far as that can be told: `worker.py` of `python3 worker.py`.
    [[nodiscard]] QString name() const;
};

} // namespace latchkey::programs
