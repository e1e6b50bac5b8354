#pragma once

#include "core/exchange/loopdriver.h"
#include "core/keyspace/guardeddelete.h"
#include "core/keyspace/watcher.h"

#include <QObject>

#include <functional>
#include <memory>

namespace latchkey::inspection {

/// A server as the window sees it: the session, what is known of its keys, and, once the user has armed it, the way to
/// change something.
///
/// Watching never writes. Acting goes over a session of its own, which exists only while the server is armed: a private
/// server from the start, any other when the user says so, and until it is closed.
/// Owned by the Workspace; clock and random source are not owned.
class InspectedServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectedServer)

public:
    InspectedServer(const resp::Endpoint &endpoint, bool isPrivate, const base::Clock &clock,
                    base::RandomSource &random, QObject *parent = nullptr);
    ~InspectedServer() override;

    void start();

    [[nodiscard]] const resp::Endpoint &endpoint() const { return m_session.endpoint(); }
    /// Ours: started by this program, and gone with it.
    [[nodiscard]] bool isPrivate() const { return m_isPrivate; }
    [[nodiscard]] resp::Session &session() { return m_session; }
    [[nodiscard]] rows::RowStore &store() { return m_store; }
    [[nodiscard]] keyspace::Watcher &watcher() { return m_watcher; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

    [[nodiscard]] bool isArmed() const { return m_acting != nullptr; }
    void setArmed(bool isArmed);

    /// Reads a key as it is, for somebody who is about to decide over it. Needs no arming.
    void takeSnapshot(const base::Key &key, std::function<void(base::Result<keyspace::KeySnapshot>)> done);
    /// Deletes the key if it still is what the snapshot shows. Only while armed.
    void deleteIfUnchanged(const keyspace::KeySnapshot &snapshot,
                           std::function<void(base::Result<keyspace::DeleteOutcome>)> done);

    /// Commands that this window has sent to the server, over all its connections.
    [[nodiscard]] quint64 commandsSent() const;

Q_SIGNALS:
    void armedChanged(bool isArmed);

private:
    /// What exists only while the server is armed.
    struct Acting
    {
        Acting(const resp::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random);
        resp::Session session;
        exchange::LoopDriver driver;
    };

    const bool m_isPrivate;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    resp::Session m_session;
    rows::RowStore m_store;
    keyspace::Watcher m_watcher;
    exchange::LoopDriver m_reading;
    std::unique_ptr<Acting> m_acting;
    quint64 m_earlierActs = 0;
};

} // namespace latchkey::inspection
