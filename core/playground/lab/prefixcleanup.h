#pragma once

#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

namespace latchkey::lab {

/// Removes all keys of a server with a prefix, a few hundred at a time. `prefix`: without special characters of
/// patterns. Returns the number of removed keys. Error: the server's or the connection's error; some keys may be left.
[[nodiscard]] exchange::Exchange<int> removeBelow(QByteArray prefix);

/// A run of removeBelow() on the event loop, over its own connection.
///
/// Owned by the LabRun. Clock and random source are not owned.
class PrefixCleanup final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PrefixCleanup)

public:
    PrefixCleanup(const net::Endpoint &server, QByteArray prefix, const base::Clock &clock, base::RandomSource &random);
    ~PrefixCleanup() override;

    void start() { m_session.start(); }

Q_SIGNALS:
    /// Emitted at the end. `error`: cause if keys may be left.
    void finished(const std::optional<latchkey::base::Error> &error);

private:
    void sessionChanged(net::Session::State state);
    void end(const std::optional<base::Error> &error);

    const QByteArray m_prefix;
    net::Session m_session;
    exchange::LoopDriver m_driver;
    bool m_isOver = false;
};

} // namespace latchkey::lab
