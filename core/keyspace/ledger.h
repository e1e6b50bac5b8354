#pragma once

#include "core/keyspace/followedkey.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <queue>

namespace latchkey::keyspace {

/// Turns what is observed of keys into what has happened to them, for the keys that somebody follows.
///
/// What a look shows and what the server announces are put together in the order in which they were: see FollowedKey.
/// Where nothing is announced, what lies between two looks is not seen: a happening says from when to when it may have
/// been, and a key that went and came back between two looks shows as replaced where its value tells, and not at all
/// where it does not. No verdict is given that what was seen does not bear; "unknown" is one.
/// A listener of a fan-out; all other keys cost it next to nothing. Owned by the code that inspects a server.
class Ledger final : public QObject, public ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Ledger)

public:
    explicit Ledger(QObject *parent = nullptr);
    ~Ledger() override;

    /// From now on; what is observed first is where it begins, and if the key is known not to have been there at
    /// absentAt, its first appearance is told. Counted: follow twice, unfollow twice.
    void follow(const QByteArray &key, NodeIndex node = 0, std::optional<base::MonotonicTime> absentAt = std::nullopt);
    void unfollow(const QByteArray &key, NodeIndex node = 0);
    [[nodiscard]] bool isFollowed(const QByteArray &key, NodeIndex node = 0) const
    {
        return m_followed.contains({key, node});
    }
    [[nodiscard]] qsizetype followedCount() const { return m_followed.size(); }
    /// How much the node tells, as it was said last.
    [[nodiscard]] Hearing hearing(NodeIndex node) const { return m_ears.value(node).hearing; }

    /// The node's process is another one than before: what has gone since may have been lost with the last.
    void restarted(NodeIndex node);

    void observed(const Observations &observations) override;
    void emptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void hearingChanged(NodeIndex node, const Hearing &hearing) override;
    void flushAnnounced(NodeIndex node, base::MonotonicTime heard) override;
    void heardUpTo(NodeIndex node, base::MonotonicTime time) override;

Q_SIGNALS:
    void happened(const latchkey::keyspace::Happening &happening);
    /// Something waits until it is known up to when everything has been heard: see EventSource::confirm().
    void confirmationWanted();

private:
    using Place = std::pair<QByteArray, NodeIndex>;
    struct Entry
    {
        int followers = 0;
        FollowedKey key;
        base::MonotonicTime due; ///< What was last entered in m_dues.
    };
    /// What is heard of a node.
    struct Ear
    {
        Hearing hearing;
        base::MonotonicTime heardUpTo;
    };
    /// The moment from which on a key's end lies behind it.
    struct Due
    {
        base::MonotonicTime at;
        Place place;
        friend bool operator>(const Due &a, const Due &b) { return a.at > b.at; }
    };

    void look(const Place &place, FollowedKey::Look look, Happenings &out);
    /// After anything that a key has been told.
    void attend(const Place &place, Entry &entry);
    /// Of several keys: by time, then by key.
    void tell(Happenings happenings);
    void scheduleDue();
    void dueReached();

    QHash<Place, Entry> m_followed;
    QSet<Place> m_pending; ///< Those that wait for a confirmation.
    QHash<NodeIndex, Ear> m_ears;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> m_dues;
    QTimer m_due;
    base::MonotonicTime m_dueFires;
    base::MonotonicTime m_now; ///< About: when anything was last observed.
};

} // namespace latchkey::keyspace
