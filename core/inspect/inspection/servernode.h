#pragma once

#include "core/inspect/inspection/commandallowlist.h"
#include "core/inspect/inspection/node.h"
#include "core/inspect/inspection/notouchmode.h"
#include "core/keyspace/watching/serverevents.h"
#include "core/keyspace/watching/serverwatcher.h"

namespace latchkey::inspection {

/// One Redis process of a server under watch: its session, its watcher and its source of change events.
///
/// It never writes. Owned by the InspectedServer; dispatcher, known keys, clock and random source are not owned.
class ServerNode final : public Node
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerNode)

public:
    ServerNode(const net::Endpoint &endpoint, const keys::KnownKeys &known, events::ObservationDispatcher &dispatcher,
               const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~ServerNode() override;

    void start() override { m_session.start(); }
    [[nodiscard]] bool isRecording() const override { return false; }
    [[nodiscard]] net::Session &session() override { return m_session; }
    [[nodiscard]] watching::Watcher &watcher() override { return m_watcher; }
    [[nodiscard]] watching::EventSource &events() override { return m_events; }
    [[nodiscard]] const watching::EventSource &events() const override { return m_events; }
    [[nodiscard]] const ClusterMembership &cluster() const override { return m_cluster; }
    [[nodiscard]] bool isNoTouchActive() const override { return m_noTouch.isOn(); }
    /// Returns the list of permitted commands. No other command leaves this session, whether the server is armed or
    /// not.
    [[nodiscard]] const CommandAllowlist &allowlist() const { return m_allowlist; }
    [[nodiscard]] quint64 commandsSent() const override;

private:
    void requestWritingCommands();
    void mechanismChanged();

    CommandAllowlist m_allowlist;
    net::Session m_session;
    NoTouchMode m_noTouch; ///< Constructed before the watcher, which reads.
    ClusterMembership m_cluster;
    watching::ServerWatcher m_watcher;
    watching::ServerEvents m_events;
};

} // namespace latchkey::inspection
