#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/playground/playground/serverpool.h"
#include "core/playground/sequence/sequence.h"
#include "ui/pages/playground/believedholder.h"
#include "ui/pages/playground/clientbelief.h"

#include <QPointer>

namespace latchkey::playground {
class SequenceRecorder;
}

namespace latchkey::ui::playground {

class ClientCard;

/// The content of the locks on the servers of the Playground, and whether the clients' beliefs agree with it.
///
/// A single running server is watched, and its keys are in the store of the watched server. Otherwise the content is
/// that of the last ServerPool::readKeys(), which the caller requests. Owned by the page. The pools and the watched
/// server are not owned.
class ServerContents final
{
    Q_DISABLE_COPY_MOVE(ServerContents)

public:
    ServerContents(const latchkey::playground::ServerPool &serverPool,
                   const latchkey::playground::ClientPool &clientPool);

    /// Sets the watched server. Null without a server.
    void setServer(inspection::InspectedServer *server) { m_server = server; }
    /// Returns whether each server is read separately: there are several, or the only one was killed or suspended.
    [[nodiscard]] bool isPolled() const;
    /// Returns the servers' state of the key of a card. There must be a watched server.
    [[nodiscard]] KeyServerState stateFor(const ClientCard &card) const;
    /// Records the content of the recorder's keys.
    void recordInto(latchkey::playground::SequenceRecorder &recorder) const;
    /// Returns the clients that believe that they hold a lock.
    [[nodiscard]] BelievedHolders believedHolders(const sequence::Sequence &sequence, base::MonotonicTime now) const;

private:
    void recordPolled(latchkey::playground::SequenceRecorder &recorder) const;
    [[nodiscard]] BelievedHolder::Mistake mistakeOf(const sequence::Belief &belief, base::MonotonicTime now) const;

    const latchkey::playground::ServerPool &m_serverPool;
    const latchkey::playground::ClientPool &m_clientPool;
    QPointer<inspection::InspectedServer> m_server;
};

} // namespace latchkey::ui::playground
