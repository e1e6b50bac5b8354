#pragma once

#include "core/keyspace/observation.h"

#include <QHash>
#include <QObject>

#include <optional>

namespace latchkey::keyspace {

/// Something that has happened to a key, worked out from what was observed of it before and after. A value.
struct Happening
{
    enum class What : quint8 {
        Appeared, ///< It was not there before.
        Renewed,  ///< The same value, and a later end: its holder lives.
        Replaced, ///< Another value in its place: another hold.
        Changed,  ///< Other elements, or an end that is no renewal.
        Ended,    ///< It is not there any more; ending says how.
    };

    QByteArray key;
    NodeIndex node = 0;
    What what = What::Changed;
    keys::KeyState ending = keys::KeyState::Live; ///< Of Ended.
    base::Deadline deadline;                      ///< Its end from then on; of Ended: the last one known.
    base::MonotonicTime notBefore;                ///< It has happened at some time from here …
    base::MonotonicTime notAfter;                 ///< … to here.
    Source source = Source::Poll;                 ///< What has shown it.
    bool isInferred = false; ///< Worked out from other keys' answers, or the value was not read with the end.

    friend bool operator==(const Happening &, const Happening &) = default;
};

/// Turns what is observed of keys into what has happened to them, for the keys that somebody follows.
///
/// What lies between two looks is not seen: a happening says from when to when it may have been, and a key that went
/// and came back between two looks shows as replaced where its value tells, and not at all where it does not. A
/// listener of a fan-out; all other keys cost it next to nothing. Owned by whoever inspects a server.
class Ledger final : public QObject, public ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Ledger)

public:
    explicit Ledger(QObject *parent = nullptr);
    ~Ledger() override;

    /// From now on; what is observed first is where it begins. Counted: follow twice, unfollow twice.
    void follow(const QByteArray &key, NodeIndex node = 0);
    void unfollow(const QByteArray &key, NodeIndex node = 0);
    [[nodiscard]] qsizetype followedCount() const { return m_followed.size(); }

    void observed(const Observations &observations) override;
    void emptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;

Q_SIGNALS:
    void happened(const latchkey::keyspace::Happening &happening);

private:
    /// What was known of a followed key after the last look, and what the look under way has brought so far.
    struct Entry
    {
        enum class Presence : quint8 { Unknown, There, NotThere };

        int followers = 0;
        Presence presence = Presence::Unknown;
        base::Deadline deadline = base::Deadline::never();
        std::chrono::milliseconds span {};
        std::optional<keys::RawValue> value;
        base::MonotonicTime lastLook;  ///< What is known was so at that time at least.
        base::MonotonicTime lastAlive; ///< When it was last seen to be there.

        std::optional<base::Deadline> newDeadline;
        std::optional<keys::RawValue> newValue;
        base::MonotonicTime asked;
        base::MonotonicTime answered;
        Source source = Source::Poll;
    };
    using Place = std::pair<QByteArray, NodeIndex>;

    void take(const Place &place, Entry &entry, const Observation &observation);
    /// The look under way is over: judges it.
    void close(const Place &place, Entry &entry);
    void end(const Place &place, Entry &entry, const Observation &observation);
    [[nodiscard]] static std::optional<Happening::What> judge(const Entry &entry);
    void tell(const Place &place, const Entry &entry, Happening::What what, bool isInferred);

    QHash<Place, Entry> m_followed;
};

} // namespace latchkey::keyspace
