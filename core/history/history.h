#pragma once

#include "core/history/statistics.h"

#include <QHash>
#include <QObject>

#include <deque>
#include <functional>

namespace latchkey::history {

/// Who has held which lock, from when to when, and how each hold ended, as far as that was seen.
///
/// Fed with what happens to keys, it makes holds of it. What was known stays when the server is lost or silent: from
/// then on there is a gap, in which nothing was seen, and what went on in it is not made up. Bounded, per lock and in
/// all: the oldest holds that are over are forgotten, and go on counting in the statistics of their lock, until that
/// has none left.
/// Owned by the code that inspects a server. It does not read values: which bytes of one name the holder is told to it.
class History final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(History)

public:
    /// Whose the lock is, by what it holds; absent where the value does not say.
    using HolderOf = std::function<std::optional<QByteArray>(const QByteArray &key, const keys::RawValue &value)>;

    struct Limits
    {
        std::size_t perLock = 1000;
        std::size_t inAll = 100'000;
    };

    /// A time in which nothing was seen; one that goes on has no end.
    struct Gap
    {
        base::MonotonicTime from;
        std::optional<base::MonotonicTime> to;

        friend bool operator==(const Gap &, const Gap &) = default;
    };

    /// One lock: a key of a node.
    struct Place
    {
        QByteArray key;
        keyspace::NodeIndex node = 0;

        friend bool operator==(const Place &, const Place &) = default;
        friend bool operator<(const Place &a, const Place &b)
        {
            return a.key == b.key ? a.node < b.node : a.key < b.key;
        }
        friend size_t qHash(const Place &place, size_t seed = 0) { return qHashMulti(seed, place.key, place.node); }
    };

    explicit History(HolderOf holderOf, QObject *parent = nullptr);
    History(HolderOf holderOf, const Limits &limits, QObject *parent = nullptr);
    ~History() override;

    /// A lock that was there when somebody began to look at it.
    void seen(const Place &place, const std::optional<base::Deadline> &deadline,
              const std::optional<keys::RawValue> &value, base::MonotonicTime at);
    void take(const keyspace::Happening &happening);
    /// This was done to the lock from here; after all that is known to have happened until then. What has come of it
    /// was taken before, and is said to be that now: no renewal, no release by its holder, no new hold.
    void acted(const Place &place, const OwnAct &act);
    /// Whether anything is seen from now on. While it is not, nothing is known to have ended.
    void setSeeing(bool isSeeing, base::MonotonicTime at);

    /// Those of which there is a hold, in no order.
    [[nodiscard]] QList<Place> places() const { return m_lanes.keys(); }
    /// In their order; empty for a lock that is not known. Valid until the history changes.
    [[nodiscard]] const std::deque<Hold> &holds(const Place &place) const;
    [[nodiscard]] Statistics statistics(const Place &place) const;
    [[nodiscard]] const std::vector<Gap> &gaps() const { return m_gaps; }
    [[nodiscard]] std::size_t holdCount() const { return m_count; }

Q_SIGNALS:
    /// A hold of this lock has begun, changed or ended; what is about it alone.
    void changed(const latchkey::history::History::Place &place);
    /// A hold is over.
    void ended(const latchkey::history::Hold &hold);
    /// A gap has begun or ended.
    void gapsChanged();

private:
    struct Lane
    {
        std::deque<Hold> holds;
        Statistics statistics;
        quint64 first = 0; ///< The number of the first hold; they are numbered on and on.
    };

    void begin(const Place &place, Hold hold);
    void end(const Place &place, const keyspace::Happening &happening);
    void succeed(const Place &place, const keyspace::Happening &happening);
    void learnBeginning(const Place &place, const keyspace::Happening &appeared);
    void extend(Hold &hold, const keyspace::Happening &happening) const;
    void learn(Hold &hold, const keyspace::Happening &happening) const;
    void endedHere(const Place &place, const OwnAct &act);
    void endMovedHere(const Place &place, const OwnAct &act);
    void putBackHere(const Place &place, const OwnAct &act);
    [[nodiscard]] std::optional<QByteArray> holderIn(const Place &place,
                                                     const std::optional<keys::RawValue> &value) const;
    [[nodiscard]] Hold *current(const Place &place);
    void markOverlaps(Hold &hold);
    void forgetOldest();
    void tidyOrder();
    void dropFirst(Lane &lane);

    const HolderOf m_holderOf;
    const Limits m_limits;
    QHash<Place, Lane> m_lanes;
    std::deque<std::pair<Place, quint64>> m_order; ///< Holds by age, with their numbers; some are gone already.
    std::size_t m_count = 0;
    quint64 m_nextNumber = 0;
    keyspace::NodeIndex m_lastNode = 0;
    std::vector<Gap> m_gaps;
};

} // namespace latchkey::history
