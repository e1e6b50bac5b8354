#pragma once

#include "core/playground/clientprocess.h"
#include "core/playground/courselog.h"
#include "core/sequence/sequence.h"

#include <QObject>

#include <map>

namespace latchkey::playground {

/// Writes down what clients do and what becomes of them, as a Sequence.
///
/// A client's belief is its own word. What servers have is told to it by somebody who looks; see see(). It asks no
/// server, and costs nothing while nothing happens. Owned by the playground or the player; clients are not owned, and
/// are let go of when they are forgotten or destroyed.
class SequenceRecorder final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SequenceRecorder)

public:
    /// servers: their names, in the order in which the clients count them.
    SequenceRecorder(const QStringList &servers, const base::Clock &clock, QObject *parent = nullptr);
    ~SequenceRecorder() override;

    /// As many as there are names, in that order: servers that are more than before get lanes of their own. Lanes stay
    /// where servers have become fewer; see befall().
    void nameServers(const QStringList &servers);
    /// From now on, in a lane of its own.
    void follow(ClientProcess &client);
    /// It is about to go.
    void forget(const ClientProcess &client);
    /// The play is over: what is still so stays so, and that processes and servers end with it is not written down.
    void end();
    /// What that server has under a key, just now. holder: the client whose that is, by its name; empty: unknown.
    /// ends: when the key's time is over; max: it has no lifetime; absent: unknown.
    void see(int server, const base::Key &key, bool exists, const QString &holder = {},
             std::optional<base::MonotonicTime> ends = {});
    void befall(int server, sequence::ServerEvent event);
    /// What the resource behind the lock has said to a client's write.
    void noteWrite(const QString &client, bool isTaken);
    /// A client that knows no locks of ours says that it is inside that room from now on; absent: in none. Until it is
    /// dead.
    void noteInside(const QString &client, const std::optional<base::Key> &room);
    /// The keys that clients have or had to do with, as long as anybody believes or a server has one: what there is to
    /// look at.
    [[nodiscard]] std::vector<base::Key> keys() const;
    void clear();

    [[nodiscard]] const sequence::Sequence &sequence() const { return m_sequence; }
    /// What the clients were told meanwhile, and what they answered.
    [[nodiscard]] const CourseLog &course() const { return m_course; }

Q_SIGNALS:
    void changed();
    /// Several clients believe that they hold one lock, others than before, or that is over.
    void conflictChanged();

private:
    /// What was last known of a client.
    struct Followed
    {
        sequence::LaneIndex lane = 0;
        bool isDead = false;
        bool isPaused = false;
        std::optional<base::Key> room {}; ///< That it says it is inside of,
        base::MonotonicTime inside {};    ///< and since when.
    };

    void look(const ClientProcess &client);
    void hear(const ClientProcess &client, const ClientReport &report);
    void remember(const base::Key &key);
    void mark(const Followed &client, sequence::Mark::Kind kind, base::MonotonicTime at, const base::Text &text = {});
    void announce();
    [[nodiscard]] std::optional<sequence::LaneIndex> laneOf(const QString &client) const;

    const base::Clock &m_clock; // Not owned.
    sequence::Sequence m_sequence;
    CourseLog m_course;
    std::vector<sequence::LaneIndex> m_servers;
    std::map<const ClientProcess *, Followed> m_clients;
    std::vector<base::Key> m_keys;
    QStringList m_conflict; ///< Those who were last said to be in one, and its key.
};

} // namespace latchkey::playground
