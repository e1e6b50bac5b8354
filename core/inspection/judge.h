#pragma once

#include "core/findings/finding.h"
#include "core/inspection/holderclients.h"
#include "core/inspection/holdrecorder.h"
#include "core/inspection/lockmemory.h"

#include <QTimer>

namespace latchkey::inspection {

/// Says what is wrong with the locks of a server: puts together for the rules what was recognised of a lock, what its
/// history was, what is remembered of it, whether its holder is connected, and what the server is set up for.
///
/// The server is asked for that now and then; where it does not tell, the rules do without.
/// Owned by an InspectedServer; finder, recorder, memory, clients, watcher and clock are not owned.
class Judge final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Judge)

public:
    Judge(LockFinder &locks, const HoldRecorder &holds, const LockMemory &memory, HolderClients &clients,
          keyspace::Watcher &watcher, const base::Clock &clock, QObject *parent = nullptr);
    ~Judge() override;

    /// What is to be said of a key by all that is known now, the gravest first; nothing of what is no lock.
    [[nodiscard]] std::vector<findings::Finding> findingsOf(const QByteArray &key) const;
    /// The same, of what has just been recognised.
    [[nodiscard]] std::vector<findings::Finding> judge(const recognition::Recognition &recognition,
                                                       const recognition::Sighting &sighting) const;
    [[nodiscard]] const findings::ServerFacts &server() const { return m_server; }

Q_SIGNALS:
    /// The server was asked and said something else than before.
    void serverChanged();

private:
    void askServer();
    [[nodiscard]] base::WallTime wallTime(const resp::Connection::Delivery &delivery) const;
    void addHistory(findings::Case &subject, base::MonotonicTime now) const;
    void addMemory(findings::Case &subject) const;
    void addClient(findings::Case &subject) const;

    LockFinder &m_locks;          // Not owned.
    const HoldRecorder &m_holds;  // Not owned.
    const LockMemory &m_memory;   // Not owned.
    HolderClients &m_clients;     // Not owned.
    keyspace::Watcher &m_watcher; // Not owned.
    const base::Clock &m_clock;   // Not owned.
    findings::ServerFacts m_server;
    QTimer m_ask;
    bool m_isConfigDenied = false;
};

/// INFO, and CONFIG GET of each setting that matters.
[[nodiscard]] resp::Commands serverQuestions();

/// What the answers to INFO and to CONFIG GET say; info may be empty, and settings too, where they are denied.
[[nodiscard]] findings::ServerFacts serverFactsFrom(const QByteArray &info, const std::vector<resp::Reply> &settings);

} // namespace latchkey::inspection
