#pragma once

#include "core/inspect/detection/holderclients.h"
#include "core/inspect/detection/holdrecorder.h"
#include "core/inspect/detection/lockmemory.h"
#include "core/inspect/findings/finding.h"

#include <QTimer>

namespace latchkey::detection {

/// The evaluator of the problems of a server's locks. It collects the input of the rules: the recognition of a lock,
/// its history and memory, its holder's connection, and the server's settings.
///
/// The server's settings are read periodically; the rules also work without them. Owned by an InspectedServer; finder,
/// recorder, memory, clients, watcher and clock are not owned.
class FindingsEvaluator final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FindingsEvaluator)

public:
    FindingsEvaluator(LockFinder &locks, const HoldRecorder &holds, const LockMemory &memory, HolderClients &clients,
                      watching::Watcher &watcher, const base::Clock &clock, QObject *parent = nullptr);
    ~FindingsEvaluator() override;

    /// Returns the findings for a key from all known data, the most severe first. Empty if the key is not a lock.
    [[nodiscard]] std::vector<findings::Finding> findingsOf(const QByteArray &key) const;
    /// Does the same as findingsOf() for a key that was just recognised.
    [[nodiscard]] std::vector<findings::Finding> findingsFor(const recognition::Recognition &recognition,
                                                             const recognition::KeySample &sample) const;
    [[nodiscard]] const findings::ServerProperties &server() const { return m_server; }

Q_SIGNALS:
    /// Emitted when the properties of the server have changed.
    void serverChanged();

private:
    void requestSettings();
    void noteRefusal();
    [[nodiscard]] base::WallTime wallTime(const net::Connection::Delivery &delivery) const;
    void addHistory(findings::LockEvidence &subject, base::MonotonicTime now) const;
    void addMemory(findings::LockEvidence &subject) const;
    void addClient(findings::LockEvidence &subject) const;

    LockFinder &m_locks;          // Not owned.
    const HoldRecorder &m_holds;  // Not owned.
    const LockMemory &m_memory;   // Not owned.
    HolderClients &m_clients;     // Not owned.
    watching::Watcher &m_watcher; // Not owned.
    const base::Clock &m_clock;   // Not owned.
    findings::ServerProperties m_server;
    QTimer m_requestTimer;
    bool m_isConfigDenied = false;
    bool m_isRefusing = false; ///< Whether the server refuses all commands for some time.
};

/// Returns the requests: INFO, and CONFIG GET for each setting that matters.
[[nodiscard]] resp::Commands settingsRequest();

/// Returns the properties in the replies to INFO and CONFIG GET. `info` and `settings` are empty if they are denied.
[[nodiscard]] findings::ServerProperties serverPropertiesFrom(const QByteArray &info,
                                                              const std::vector<resp::Reply> &settings);

} // namespace latchkey::detection
