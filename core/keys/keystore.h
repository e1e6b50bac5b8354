#pragma once

#include "core/base/clock.h"
#include "core/keys/gonetally.h"
#include "core/keys/knownkeys.h"

#include <QDeadlineTimer>
#include <QSet>

#include <optional>
#include <span>
#include <vector>

namespace latchkey::keys {

/// Shows keys of a store, and is told around every change of them.
/// Not owned by the store: it says when it comes and when it goes.
class KeyView
{
public:
    KeyView() = default;
    virtual ~KeyView();
    Q_DISABLE_COPY_MOVE(KeyView)

    /// Whether something large is under way; the store changes nothing as long.
    [[nodiscard]] virtual bool isBusy() const = 0;
    /// Works on it until the deadline.
    virtual void work(QDeadlineTimer deadline) = 0;
    /// These keys change in a moment: what is looked up by their values has to be looked up now.
    virtual void aboutToChange(std::span<const KeyId> ids) = 0;
    /// They have changed: those that are no longer live are forgotten in a moment. added: known from now on.
    virtual void changed(std::span<const KeyId> added) = 0;
    /// All keys are forgotten in a moment.
    virtual void aboutToClear() = 0;
};

/// What is known of the keys of a server, and the one place where it changes.
///
/// What is observed is told to it at any time and shows at the next commit(), which tells the views: few steps however
/// much has changed. Nothing changes because time passes: how long a key has left is derived from its deadline by those
/// who paint it. A key that has gone is forgotten as soon as the views have been told.
/// Owned by the code that inspects a server. It does not know the server; views are not owned.
class KeyStore final
{
    Q_DISABLE_COPY_MOVE(KeyStore)

public:
    explicit KeyStore(const base::Clock &clock);
    ~KeyStore();

    /// How long a key that is met for the first time may have been there already: where that is much of what it has
    /// left, the start of its time has not been seen. Unknown, so at most, unless set.
    void setUnseenFor(std::chrono::milliseconds longest) { m_unseenFor = longest; }

    // What was seen. Between commits these change nothing that is shown.

    /// The key will be observed next but few. Changes nothing: of a million keys, finding one is mostly waiting for
    /// memory, and this begins to wait before anybody has to.
    void expect(QByteArrayView key) const { m_known.table.prefetch(key); }
    /// The key exists and ends then; sampled: when the server said so. isFromTheStart: it did not exist a moment ago.
    KeyId observe(QByteArrayView key, const base::Deadline &deadline, base::MonotonicTime sampled,
                  bool isFromTheStart = false);
    /// The key does not exist; of no meaning for a key that was never seen.
    void observeGone(QByteArrayView key, base::MonotonicTime sampled, bool isInferred = false);
    /// Nothing can be known of the key any more: it is forgotten, and is not among those that have gone.
    void observeHidden(QByteArrayView key);
    void observeType(QByteArrayView key, KeyType type);
    void observeValue(QByteArrayView key, RawValue value);
    /// When its fields end that have a lifetime of their own; empty where none has any more.
    void observeFieldEnds(QByteArrayView key, FieldEnds ends);
    /// What has been worked out; empty facts take away what was there.
    void setFacts(QByteArrayView key, Facts facts);
    /// Forgets everything at once. seen: when the server said that all keys were gone; absent: they may be there.
    void clear(std::optional<base::MonotonicTime> seen = {});

    /// Shows what was seen since. budget: for views that have much to do. True if more is waiting: call again soon.
    bool commit(std::chrono::microseconds budget = std::chrono::milliseconds(3));

    /// How many changes wait for the next commit.
    [[nodiscard]] std::size_t stagedCount() const { return m_changes.size(); }

    [[nodiscard]] const KnownKeys &known() const { return m_known; }
    /// Keys that exist as far as is known; and of these, those that do not end by themselves.
    [[nodiscard]] qsizetype liveCount() const { return m_live; }
    [[nodiscard]] qsizetype persistentCount() const { return m_persistent; }
    /// Of a key that has gone, while the views are told of it: whether that was worked out from what a scan did not
    /// meet, and not said by the server.
    [[nodiscard]] bool isEndInferred(KeyId id) const { return m_inferred.contains(id); }
    /// Likewise: whether nothing is known of it any more, so that it may well be there.
    [[nodiscard]] bool isHidden(KeyId id) const { return m_hidden.contains(id); }

    /// All keys that have gone, whether a view shows them or not.
    [[nodiscard]] const GoneTally &gone() const { return m_gone; }

    void addView(KeyView &view) { m_views.push_back(&view); }
    void removeView(KeyView &view) { std::erase(m_views, &view); }

    [[nodiscard]] std::size_t bytesAllocated() const { return m_known.table.bytesAllocated(); }

private:
    /// Something seen of a key that is known to the views, kept until a commit.
    struct Change
    {
        enum class What : quint8 { Deadline, Gone, Hidden, Type, Value, Facts, FieldEnds };
        KeyId id;
        What what = What::Deadline;
        bool flag = false; ///< Of Deadline: from the start; of Gone: inferred.
        KeyType type = KeyType::Unknown;
        base::Deadline deadline;
        base::MonotonicTime sampled;
        RawValue value;
        Facts facts;
        FieldEnds fieldEnds {};
    };

    [[nodiscard]] bool isStaged(KeyId id) const { return m_hasChanges.contains(id); }
    [[nodiscard]] bool hasBusyView() const;
    void stage(Change change);
    void apply(const Change &change);
    void applyDeadline(KeyId id, const base::Deadline &deadline, base::MonotonicTime sampled, bool isFromTheStart);
    void setSpan(KeyId id, std::chrono::milliseconds span, std::chrono::milliseconds left,
                 std::chrono::milliseconds unseen);
    void applyFieldEnds(KeyId id, const FieldEnds &ends);
    void applyHidden(KeyId id);
    void applyGone(KeyId id, base::MonotonicTime sampled, bool isInferred);
    void count(KeyId id, int sign);
    [[nodiscard]] std::vector<KeyId> takeAdded();
    void forgetGone(std::span<const KeyId> ids);
    void forget(KeyId id);

    KnownKeys m_known;
    std::vector<KeyView *> m_views; // Not owned.
    std::vector<Change> m_changes;
    QSet<KeyId> m_hasChanges; ///< The ids in m_changes.
    std::vector<KeyId> m_incoming;
    QSet<KeyId> m_hidden;   ///< Of those that are to be forgotten: these leave no trace.
    QSet<KeyId> m_inferred; ///< Likewise: their end was worked out.
    std::chrono::milliseconds m_unseenFor = std::chrono::milliseconds::max();
    GoneTally m_gone;
    qsizetype m_live = 0;
    qsizetype m_persistent = 0;
};

} // namespace latchkey::keys
