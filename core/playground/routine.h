#pragma once

#include "core/playground/clientprocess.h"

#include <QTimer>

namespace latchkey::playground {

/// Has a client acquire, work, write to the resource, release, rest, and so on, by itself.
///
/// It gives orders and knows no more than the client: one that sleeps is told what it would be told, and does it when
/// it wakes up. It ends when the client dies or is told something else. Owned by the code that shows the client, which
/// is not owned and must outlive it.
class Routine final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Routine)

public:
    explicit Routine(ClientProcess &client, QObject *parent = nullptr);
    ~Routine() override;

    /// From now on, beginning with an acquire: the client must be Idle. work: how long each time.
    void start(const AcquireOrder &order, std::chrono::milliseconds work);
    /// It gives no more orders; what is under way ends by itself.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_isRunning; }

Q_SIGNALS:
    void runningChanged();

private:
    void look();
    void act();

    ClientProcess &m_client; // Not owned.
    AcquireOrder m_order;
    std::chrono::milliseconds m_work {};
    bool m_isRunning = false;
    bool m_hasWritten = false; ///< In this hold.
    QTimer m_next;
};

} // namespace latchkey::playground
