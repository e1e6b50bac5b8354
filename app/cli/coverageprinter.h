#pragma once

#include "app/cli/output.h"
#include "core/keyspace/watching/watchstatus.h"

#include <QSet>
#include <QTimer>

#include <functional>

namespace latchkey::cli {

/// A printer of the lines of `watch` and `replay` about their coverage. It prints `blind` with the reason when
/// observation stops, and `sees` when the server replies again. Other gaps are printed once each to standard error; one
/// of them is a time in which the server answered, but did not report changes.
/// Owned by the command. Watcher and clock are not owned.
class CoveragePrinter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CoveragePrinter)

public:
    /// `printed`: called after each line. `origin`: the server, if it is one of several.
    CoveragePrinter(QString command, const watching::WatchStatus &watcher, const base::Clock &clock, bool json,
                    std::function<void()> printed, EventOrigin origin = {});

    /// Prints a change that was not printed yet. A server that was never reached emits no change.
    void printChange();
    /// Prints the final state: an unprinted change, or `blind` again if nothing is observed at the end. Later changes
    /// are not printed.
    void printLast();

private:
    [[nodiscard]] events::Coverage coverage() const;
    [[nodiscard]] QString name() const;
    void update(base::MonotonicTime at);
    void printDenials();
    void updateTypeRefusal(const events::Coverage &known);
    void noteUnreported();
    void printUnreported();
    [[nodiscard]] std::optional<events::Coverage::Gap> lastUnreported() const;
    void print(const char *event, const events::Coverage::Gap &gap, base::MonotonicTime time);
    void printLine(const char *event, const events::Coverage::Gap &gap, base::MonotonicTime time, const QString &text);

    const QString m_command;
    const watching::WatchStatus &m_watcher; // Not owned.
    const base::Clock &m_clock;             // Not owned.
    const bool m_json;
    const std::function<void()> m_printed;
    const EventOrigin m_origin;
    bool m_isClosed = false;
    std::optional<events::Coverage::Gap> m_gap;         ///< Current gap; absent without one.
    std::optional<events::Coverage::Gap> m_typeRefusal; ///< Refusal of all values of one type; absent: none.
    QSet<QString> m_printedRefusals;                    ///< Refusals that were printed.
    QTimer m_unreportedTimer;                           ///< Active at the beginning of a time without reported changes.
    base::MonotonicTime m_printedUnreported;            ///< Start of the last such time whose end was printed.
};

} // namespace latchkey::cli
