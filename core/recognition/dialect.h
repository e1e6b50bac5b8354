#pragma once

#include "core/recognition/recognition.h"
#include "core/recognition/shapes.h"

#include <QRegularExpression>
#include <QStringList>

#include <bitset>

namespace latchkey::recognition {

/// What kind of thing somebody holds.
enum class Family : quint8 {
    Lock,
    ReadWriteLock,
    Semaphore,
    Latch,      ///< Is waited for, held by nobody.
    Job,        ///< A worker has taken a job from a queue.
    Leader,     ///< One process is in charge.
    Uniqueness, ///< A job must not be queued twice.
    Limiter,    ///< So many at once.
    Presence,   ///< A process says that it lives.
};

/// What is dangerous about a dialect in anyone's hands; findings make more of it.
enum class Hazard : quint8 {
    NoFencing,         ///< A late holder cannot be told from the right one.
    PlainDelete,       ///< Released without a look at who holds it.
    BlindRenewal,      ///< Renewed likewise.
    NotAtomic,         ///< Acquired in two commands, of which the second sets the expiry.
    NotAtomicRelease,  ///< Released in two commands, of which the first looks who holds it.
    TakesOverByGetset, ///< A past deadline is replaced by the next to come.
    ClientClock,       ///< The clients' clocks say when it ends.
    LeaseMayEndEarly,  ///< Nothing renews the lease while the work goes on.
    Recreates,         ///< Renewing makes it anew where it has ended.
    OrphanRenewal,     ///< Something renews it, whether or not the work goes on.
    SharedId,          ///< What it holds names a process, not a holder.
    Predictable,       ///< Its token is not drawn at random.
    LeaksPermits,      ///< What a dead holder had is lost.
    Quorum,            ///< Held only on a majority of servers; one does not tell.
    MayBeLost,         ///< Made for servers that may forget it.
    UnstoredLimit,     ///< Of a semaphore: how many may hold it at once, each client says for itself.
};
inline constexpr int hazardCount = 16;
using Hazards = std::bitset<hazardCount>;

/// How a library renews its leases; zero: not said.
struct Renewal
{
    std::chrono::milliseconds every {};
    std::chrono::milliseconds ceiling {};
    double share = 0; ///< Of the lease, from one to the next.

    [[nodiscard]] bool isGiven() const { return every.count() > 0 || share > 0; }
    /// Whether a lease that moved so may have been renewed so. Not before two renewals were seen.
    [[nodiscard]] bool fits(const Rhythm &rhythm) const;
};

/// What has to be so beside name and value. All that is given has to be.
struct Condition
{
    bool wantsLockWord = false;      ///< The name has a word for a lock in it.
    bool wantsPlainName = false;     ///< The name has no everyday word in it.
    bool wantsUnwrapped = false;     ///< No serializer has been at the value.
    bool wantsFresh = false;         ///< The token was made within the last seven days.
    bool wantsScript = false;        ///< The server knows one of the dialect's scripts.
    bool wantsSameValue = false;     ///< Keys of the same beginning hold the same.
    bool wantsRenewal = false;       ///< It is renewed as the dialect does it.
    bool wantsSteadyRenewal = false; ///< It is renewed regularly, for short leases.
    std::optional<bool> expires;
    std::optional<std::chrono::milliseconds> leaseAtMost;
    QByteArray companion;  ///< This key is there. With variables, as the next two.
    QByteArray absent;     ///< This one is not.
    QByteArray subscriber; ///< Somebody listens to this channel.
};

/// What makes a candidate surer.
struct Raise
{
    Condition when;
    Confidence to = Confidence::Low;
};

/// One way in which a dialect writes a key.
struct Form
{
    keys::KeyType type = keys::KeyType::String;
    std::optional<QRegularExpression> name; ///< Absent: its users name the keys as they like.
    std::vector<std::size_t> hints;         ///< One of these is in such a name; by their place in Dialects::hints().
    const Shape *shape = nullptr;           ///< Not owned: all are known at compile time. Absent: the pattern.
    std::optional<QRegularExpression> pattern;
    QByteArray shapeId;     ///< What the file says: for the evidence.
    QByteArray holderField; ///< Of a hash: the field whose value is the holder. Then it has no shape, and no pattern.
    Condition needs;
    std::optional<Confidence> alone; ///< By name, value and needs; absent: that is not enough.
    std::vector<Raise> raises;
    QByteArrayList reads;  ///< Companions that tell more of what is recognised. With variables.
    QByteArrayList counts; ///< Channels whose subscribers wait for it. With variables.
    bool asks = true;      ///< Whether it is worth a question before it is recognised.
};

/// How one library, or one habit, writes locks: a value read from a file, see resources/dialects/README.md.
struct Dialect
{
    QString id;
    QString title; ///< A name, the same in every language.
    Family family = Family::Lock;
    Hazards hazards;
    Renewal renewal;
    QByteArrayList scripts; ///< SHA1s.
    std::vector<Form> forms;
    bool isGeneric = false; ///< A habit and no library; gives way to libraries.

    [[nodiscard]] bool has(Hazard hazard) const { return hazards.test(static_cast<std::size_t>(hazard)); }
};

/// A name that looks like a lock's and is none.
struct NotLock
{
    QString id;
    QRegularExpression name;
};

} // namespace latchkey::recognition
