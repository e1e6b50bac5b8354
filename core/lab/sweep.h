#pragma once

#include "core/exchange/loopdriver.h"
#include "core/resp/session.h"

namespace latchkey::lab {

/// Removes all keys of a server below a prefix, a few hundred at a time; how many there were.
/// Error: what the server or the connection said; some may be left then.
[[nodiscard]] exchange::Exchange<int> removeBelow(QByteArray prefix);

/// The same on the event loop, over a connection of its own.
/// Owned by the LabRun; clock and random source are not owned.
class Sweep final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Sweep)

public:
    Sweep(const resp::Endpoint &server, QByteArray prefix, const base::Clock &clock, base::RandomSource &random);
    ~Sweep() override;

    void start() { m_session.start(); }

Q_SIGNALS:
    /// error: why some may be left.
    void finished(const std::optional<latchkey::base::Error> &error);

private:
    void sessionChanged(resp::Session::State state);
    void end(const std::optional<base::Error> &error);

    const QByteArray m_prefix;
    resp::Session m_session;
    exchange::LoopDriver m_driver;
    bool m_isOver = false;
};

} // namespace latchkey::lab
