#pragma once

#include "core/playground/playground/clientprocess.h"

#include <QTimer>

namespace latchkey::playground {

/// An automatic loop of a client: acquire, work, write to the resource, release, rest.
///
/// The loop sends orders to the client and sees only its reports. A paused client receives its orders and executes them
/// after it resumes. The loop ends when the client dies or restarts, or by stop(). Owned by the code that shows the
/// client. The client is not owned and must outlive the loop.
class ClientLoop final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientLoop)

public:
    explicit ClientLoop(ClientProcess &client, QObject *parent = nullptr);
    ~ClientLoop() override;

    /// Starts the loop with an acquire; the client must be Idle. `work`: duration of each hold.
    void start(const AcquireOrder &order, std::chrono::milliseconds work);
    /// Stops giving orders. The current order is completed.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_isRunning; }

Q_SIGNALS:
    void runningChanged();

private:
    void checkState();
    void startNextStep();

    ClientProcess &m_client; // Not owned.
    AcquireOrder m_order;
    std::chrono::milliseconds m_work {};
    bool m_isRunning = false;
    bool m_hasWritten = false; ///< Whether the client has written during this hold.
    QTimer m_nextTimer;
};

} // namespace latchkey::playground
