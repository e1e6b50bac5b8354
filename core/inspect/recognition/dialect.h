#pragma once

#include "core/inspect/recognition/recognition.h"
#include "core/inspect/recognition/shapes.h"

#include <QRegularExpression>
#include <QStringList>

#include <bitset>

namespace latchkey::recognition {

/// The kind of object that a client holds.
enum class Family : quint8 {
    Lock,
    ReadWriteLock,
    Semaphore,
    Latch,      ///< Clients wait for it; it has no holder.
    Job,        ///< Job taken from a queue by a worker.
    Leader,     ///< Leadership of one process.
    Uniqueness, ///< Protection against queueing a job twice.
    Limiter,    ///< Limit on concurrent use.
    Presence,   ///< Sign of life of a process.
};

/// A risk of a dialect, regardless of how its users use it. Findings are derived from it.
enum class Hazard : quint8 {
    NoFencing,         ///< No fencing number: a late holder looks like the current one.
    PlainDelete,       ///< Released without a check of the holder.
    UncheckedRenewal,  ///< Renewed without a check of the holder.
    NotAtomic,         ///< Acquired in two commands; the second sets the expiry.
    NotAtomicRelease,  ///< Released in two commands; the first checks the holder.
    TakesOverByGetset, ///< A past deadline is replaced by GETSET of the next client.
    ClientClock,       ///< The deadline depends on the clocks of the clients.
    LeaseMayEndEarly,  ///< Lease not renewed while the work lasts.
    Recreates,         ///< Renewal recreates an expired lock.
    OrphanRenewal,     ///< Renewed even if the work has ended.
    SharedId,          ///< Value identifies a process, not a holder.
    Predictable,       ///< Token not random.
    LeaksPermits,      ///< Permits of a dead holder are lost.
    Quorum,            ///< Held only on a majority of servers; one server is no proof.
    MayBeLost,         ///< The dialect accepts that a server loses the lock.
    UnstoredLimit,     ///< Semaphore with a limit that each client chooses; the server does not store it.
};
inline constexpr int hazardCount = 16;
using Hazards = std::bitset<hazardCount>;

/// The renewal of a library's leases; zero: unspecified.
struct Renewal
{
    std::chrono::milliseconds every {};
    std::chrono::milliseconds ceiling {};
    double share = 0; ///< Share of the lease between two renewals.

    [[nodiscard]] bool isGiven() const { return every.count() > 0 || share > 0; }
    /// Returns whether the observed history of the TTL fits this renewal; false before two renewals.
    [[nodiscard]] bool fits(const TtlHistory &ttlHistory) const;
};

/// The conditions in addition to name and value. All set conditions must hold.
struct Condition
{
    bool wantsLockWord = false;      ///< The name contains a word for a lock.
    bool wantsPlainName = false;     ///< The name contains no everyday word.
    bool wantsUnwrapped = false;     ///< The value has no serializer's wrapper.
    bool wantsFresh = false;         ///< The token is at most seven days old.
    bool wantsScript = false;        ///< The server has one of the dialect's scripts.
    bool wantsSameValue = false;     ///< Keys with the same beginning have the same value.
    bool wantsRenewal = false;       ///< Renewed as the dialect renews.
    bool wantsSteadyRenewal = false; ///< Renewed regularly, for short leases.
    bool wantsReleases = false;      ///< Another token of the key was deleted before its expiry.
    std::optional<bool> expires;
    std::optional<std::chrono::milliseconds> leaseAtMost;
    QByteArray companion;  ///< Key that must exist. May contain variables, as the next two.
    QByteArray absent;     ///< Key that must not exist.
    QByteArray subscriber; ///< Channel that must have a subscriber.
};

/// A condition that raises the confidence in a candidate.
struct Raise
{
    Condition when;
    Confidence to = Confidence::Low;
};

/// One form in which a dialect writes a key.
struct Form
{
    keys::KeyType type = keys::KeyType::String;
    std::optional<QRegularExpression> name; ///< Absent: users choose the name.
    std::vector<std::size_t> hints;         ///< Indexes of hints, see NameClassifier; such a name contains one of them.
    const Shape *shape = nullptr;           ///< Not owned: all are compiled in. Null: the pattern is used.
    std::optional<QRegularExpression> pattern;
    QByteArray shapeId;     ///< Shape id from the file, for the evidence.
    QByteArray holderField; ///< Hash field with the holder; the form then has no shape and no pattern.
    Condition needs;
    std::optional<Confidence> alone; ///< Confidence from name, value and needs only; absent: not enough.
    std::vector<Raise> raises;
    QByteArrayList reads;  ///< Companion keys to read after recognition. May contain variables.
    QByteArrayList counts; ///< Channels to which the waiters subscribe. May contain variables.
    bool asks = true;      ///< Whether reads may be requested before the form is a candidate.
};

/// The form of the locks of one library, or of one common pattern. A value read from a file, see
/// resources/dialects/README.md.
struct Dialect
{
    QString id;
    QString title; ///< Name, equal in all languages.
    Family family = Family::Lock;
    Hazards hazards;
    Renewal renewal;
    QByteArrayList scripts; ///< SHA1 digests of the scripts.
    std::vector<Form> forms;
    bool isGeneric = false; ///< Whether it is a common pattern and not a library; libraries take precedence.

    [[nodiscard]] bool has(Hazard hazard) const { return hazards.test(static_cast<std::size_t>(hazard)); }
};

/// A name pattern of keys that look like locks but are not.
struct NotLock
{
    QString id;
    QRegularExpression name;
};

} // namespace latchkey::recognition
