#pragma once

#include "app/cli/heldlocks.h"
#include "core/inspect/inspection/inspectedserver.h"

#include <QHash>
#include <QTimer>

#include <deque>
#include <optional>

namespace latchkey::cli {

/// A check that the reported holder of a lock is that of the value that was read last.
///
/// In a burst of changes, the ledger cannot always place a read among the notifications. Then the holder stays unknown,
/// or a holder stays reported whose value was overwritten, although the present value is known. If both differ in two
/// checks, and no event was reported in between, the present holder is reported as an inferred change. Owned by
/// WatchedLocks; the server and the locks are not owned. It sends no commands.
class HolderCheck final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HolderCheck)

public:
    HolderCheck(inspection::InspectedServer &server, HeldLocks &held);
    ~HolderCheck() override;

    /// Schedules the checks of a lock whose state was reported. `since`: earliest time of a change that the report
    /// lacks.
    void add(const QByteArray &key, base::MonotonicTime since);

private:
    struct Check
    {
        base::MonotonicTime due;
        base::MonotonicTime since;
        std::optional<QByteArray> holder; ///< Holder in the first check, if it was not the reported one.
    };
    void checkDue();
    void schedule(const QByteArray &key, Check check);
    void check(const QByteArray &key, Check check);

    inspection::InspectedServer &m_server; // Not owned.
    HeldLocks &m_held;                     // Not owned.
    QHash<QByteArray, Check> m_checks;     ///< The next check of each lock that was reported lately.
    std::deque<std::pair<base::MonotonicTime, QByteArray>> m_due; ///< The times of the checks, in order, with those of
                                                                  ///< replaced checks.
    QTimer m_timer;                                               ///< Runs while m_due has an entry.
};

} // namespace latchkey::cli
