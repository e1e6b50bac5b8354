#include "core/keyspace/keys/keystore.h"

#include "core/foundation/base/avxstate.h"

#include <algorithm>

namespace latchkey::keys {

using base::Deadline;
using base::MonotonicTime;
using namespace std::chrono_literals;

KeyStoreObserver::~KeyStoreObserver() = default;

KeyStore::KeyStore(const base::Clock &clock)
    : m_known(clock.now())
    , m_since(clock.now())
{}

KeyStore::~KeyStore() = default;

void KeyStore::count(KeyId id, int sign)
{
    m_live += sign;
    if (m_known.endOf(id).isNever())
        m_persistent += sign;
}

KeyId KeyStore::observe(QByteArrayView key, const Deadline &deadline, MonotonicTime sampled, bool isFromTheStart)
{
    KeyTable &table = m_known.table;
    const auto [id, isNew] = table.findOrInsert(key);
    if (isNew) {
        m_unreadable.remove(key);
        table.setPending(id, true);
        table.setDeadline(id, deadline);
        table.setSampled(id, sampled);
        const auto left = leftAt(deadline, sampled);
        setSpan(id, left, left, isFromTheStart ? 0ms : m_unseenFor);
        count(id, +1);
        m_incoming.push_back(id);
        return id;
    }
    if (table.isPending(id)) {
        applyDeadline(id, deadline, sampled, isFromTheStart);
        return id;
    }
    const Deadline old = table.deadline(id);
    const bool isNews = isStaged(id) // The table does not contain staged changes yet.
                     || !deadline.agreesWith(old) || deadline.uncertainty() * 2 < old.uncertainty();
    if (isNews)
        stage({id, Change::What::Deadline, isFromTheStart, {}, deadline, sampled, {}, {}});
    else
        table.setSampled(id, sampled);
    return id;
}

bool KeyStore::exists(QByteArrayView key) const
{
    const auto known = m_known.table.find(key);
    if (!known)
        return false;
    bool exists = m_known.isLive(*known);
    if (!isStaged(*known))
        return exists;
    for (const Change &change : m_changes) {
        if (change.id == *known && change.what == Change::What::Deadline)
            exists = true;
        else if (change.id == *known && (change.what == Change::What::Gone || change.what == Change::What::Hidden))
            exists = false;
    }
    return exists;
}

void KeyStore::stage(Change change)
{
    m_hasChanges.insert(change.id);
    m_changes.push_back(std::move(change));
}

void KeyStore::observeAbsent(QByteArrayView key, MonotonicTime sampled, EndSource source)
{
    m_unreadable.remove(key);
    const auto known = m_known.table.find(key);
    if (!known)
        return;
    if (m_known.table.isPending(*known))
        applyGone(*known, sampled, source);
    else
        stage({*known, Change::What::Gone, false, {}, Deadline::never(), sampled, {}, {}, {}, source});
}

void KeyStore::observeHidden(QByteArrayView key, MonotonicTime refused)
{
    if (const auto known = m_known.table.find(key))
        stage({*known, Change::What::Hidden, false, {}, Deadline::never(), refused, {}, {}});
}

void KeyStore::observeType(QByteArrayView key, KeyType type)
{
    const auto known = m_known.table.find(key);
    if (known && (m_known.table.type(*known) != type || isStaged(*known)))
        stage({*known, Change::What::Type, false, type, Deadline::never(), {}, {}, {}});
}

void KeyStore::observeValue(QByteArrayView key, RawValue value)
{
    const auto known = m_known.table.find(key);
    if (!known)
        return;
    const RawValue *old = m_known.value(*known);
    if (old == nullptr || *old != value || isStaged(*known))
        stage({*known, Change::What::Value, false, {}, Deadline::never(), {}, std::move(value), {}});
}

void KeyStore::observeFieldEnds(QByteArrayView key, FieldDeadlines ends)
{
    const auto known = m_known.table.find(key);
    if (!known)
        return;
    if (isStaged(*known) || ends.differsFrom(m_known.fieldEndsOf(*known)))
        stage({*known, Change::What::FieldDeadlines, false, {}, Deadline::never(), {}, {}, {}, std::move(ends)});
}

void KeyStore::observeExistedAt(QByteArrayView key, MonotonicTime time)
{
    if (const auto known = m_known.table.find(key))
        stage({*known, Change::What::ExistedAt, false, {}, Deadline::never(), time, {}, {}});
}

void KeyStore::noteFlush(MonotonicTime received, MonotonicTime seen)
{
    m_flush = {received, seen};
    m_ended.markFlushed(received, seen); // Other changes are still staged.
}

void KeyStore::setAnalysis(QByteArrayView key, KeyAnalysis analysis)
{
    const auto known = m_known.table.find(key);
    if (!known)
        return;
    const KeyAnalysis *old = m_known.analysisOf(*known);
    if (isStaged(*known) || (old == nullptr ? !analysis.isEmpty() : *old != analysis))
        stage({*known, Change::What::KeyAnalysis, false, {}, Deadline::never(), {}, {}, std::move(analysis)});
}

/// Adds one entry for all keys.
void KeyStore::addEndOfAll(MonotonicTime seen, EndSource source)
{
    m_endedCounter.add(seen, m_live);
    MonotonicTime lastSeen = seen;
    for (KeyId id; id.value < m_known.table.idLimit(); ++id.value) {
        if (!m_known.isLive(id))
            continue;
        lastSeen = std::min(lastSeen, m_known.table.sampled(id));
        if (source != EndSource::Flushed && isLastSeenBeforeGap(lastSeen))
            source = EndSource::Unseen;
        break; // One key shows whether the server was observed.
    }
    m_ended.add({{}, KeyState::Removed, Deadline::never(), lastSeen, seen, source, m_live});
}

void KeyStore::clear(std::optional<MonotonicTime> seen, EndSource source)
{
    if (seen && m_live > 0)
        addEndOfAll(*seen, source);
    if (seen)
        m_unreadable.clear();
    m_changes.clear();
    m_hasChanges.clear();
    m_incoming.clear();
    m_hidden.clear();
    m_inferred.clear();
    m_unseenEnds.clear();
    for (KeyStoreObserver *observer : m_observers)
        observer->aboutToClear();
    m_known.table.clear();
    m_known.values = {};
    m_known.analysis = {};
    m_known.fieldEnds = {};
    m_known.existed = {};
    m_live = 0;
    m_persistent = 0;
}

bool KeyStore::commit(std::chrono::microseconds budget)
{
    base::leaveAvxState();
    if (std::ranges::any_of(m_observers, [](const KeyStoreObserver *observer) { return observer->isSuspended(); }))
        return false; // Another commit soon afterwards would have no effect either.
    const QDeadlineTimer deadline(budget, Qt::PreciseTimer);
    for (KeyStoreObserver *observer : m_observers)
        observer->work(deadline);
    if (hasBusyObserver())
        return true;

    const std::vector<Change> changes = std::exchange(m_changes, {});
    m_hasChanges.clear();
    std::vector<KeyId> affected;
    affected.reserve(changes.size());
    for (const Change &change : changes) {
        if (!m_known.table.isPending(change.id))
            affected.push_back(change.id);
    }
    std::ranges::sort(affected);
    affected.erase(std::ranges::unique(affected).begin(), affected.end());
    for (KeyStoreObserver *observer : m_observers)
        observer->aboutToChange(affected);
    for (const Change &change : changes)
        apply(change);
    const std::vector<KeyId> added = takeAdded();
    for (KeyStoreObserver *observer : m_observers)
        observer->changed(added);
    removeEnded(affected);
    return hasBusyObserver();
}

bool KeyStore::hasBusyObserver() const
{
    return std::ranges::any_of(m_observers, [](const KeyStoreObserver *observer) { return observer->isBusy(); });
}

void KeyStore::apply(const Change &change)
{
    switch (change.what) {
    case Change::What::Deadline:
        applyDeadline(change.id, change.deadline, change.sampled, change.flag);
        break;
    case Change::What::Gone:
        applyGone(change.id, change.sampled, change.source);
        break;
    case Change::What::Hidden:
        applyHidden(change.id, change.sampled);
        break;
    case Change::What::Type:
        m_known.table.setType(change.id, change.type);
        if (const RawValue *value = m_known.value(change.id); value != nullptr && value->type != change.type)
            m_known.values.remove(change.id); // The value belonged to an earlier key of the same name.
        if (change.type != KeyType::Hash)
            applyFieldEnds(change.id, {});
        break;
    case Change::What::Value:
        if (const RawValue *old = m_known.value(change.id); old != nullptr && *old != change.value)
            m_known.existed.remove(change.id); // The key may be another one of the same name.
        m_known.values.insert(change.id, change.value);
        break;
    case Change::What::KeyAnalysis:
        if (change.analysis.isEmpty())
            m_known.analysis.remove(change.id);
        else
            m_known.analysis.insert(change.id, change.analysis);
        break;
    case Change::What::FieldDeadlines:
        applyFieldEnds(change.id, change.fieldEnds);
        break;
    case Change::What::ExistedAt:
        m_known.existed.insert(change.id,
                               std::min(change.sampled, m_known.existedAt(change.id).value_or(change.sampled)));
        break;
    }
}

void KeyStore::applyDeadline(KeyId id, const Deadline &deadline, MonotonicTime sampled, bool isFromTheStart)
{
    KeyTable &table = m_known.table;
    const Deadline old = table.deadline(id);
    const bool wasLive = table.state(id) == KeyState::Live;
    if (wasLive)
        count(id, -1);
    const ExpiryChange change = wasLive ? expiryChange(old, table.span(id), deadline, sampled) : ExpiryChange::Moved;
    if (change != ExpiryChange::None) {
        // A renewal restores about the old time left; any other change begins a new hold.
        const auto left = leftAt(deadline, sampled);
        const auto span = change == ExpiryChange::Renewed ? std::max(table.span(id), left) : left;
        setSpan(id, span, left,
                isFromTheStart ? 0ms : std::chrono::ceil<std::chrono::milliseconds>(sampled - table.sampled(id)));
    }
    table.setDeadline(id, deadline);
    table.setSampled(id, sampled);
    table.setState(id, KeyState::Live);
    m_unreadable.remove(table.key(id));
    m_hidden.remove(id);
    m_inferred.remove(id);
    m_unseenEnds.remove(id);
    count(id, +1);
}

/// Sets the span. `left`: time left; `unseen`: longest time for which the key may have existed before.
void KeyStore::setSpan(KeyId id, std::chrono::milliseconds span, std::chrono::milliseconds left,
                       std::chrono::milliseconds unseen)
{
    constexpr int maxUnseen = 4; ///< At most a quarter of the time left may have passed unseen.
    m_known.table.setSpan(id, span);
    m_known.table.setStartSeen(id, unseen <= left / maxUnseen);
}

void KeyStore::applyFieldEnds(KeyId id, const FieldDeadlines &ends)
{
    const bool isLive = m_known.table.state(id) == KeyState::Live;
    if (isLive)
        count(id, -1);
    if (ends.isEmpty())
        m_known.fieldEnds.remove(id);
    else
        m_known.fieldEnds.insert(id, ends);
    if (isLive)
        count(id, +1);
}

bool KeyStore::isLastSeenBeforeGap(MonotonicTime lastSeen) const
{
    return m_unseenUntil && lastSeen + KeyTable::sampledResolution < *m_unseenUntil;
}

void KeyStore::applyGone(KeyId id, MonotonicTime sampled, EndSource source)
{
    KeyTable &table = m_known.table;
    m_unreadable.remove(table.key(id));
    if (table.state(id) != KeyState::Live)
        return;
    count(id, -1);
    const MonotonicTime lastSeen = table.sampled(id);
    table.setState(id, endingOf(table.deadline(id), lastSeen, sampled));
    const bool isInFlush = m_flush && sampled >= m_flush->first && sampled <= m_flush->second;
    if (isInFlush && source != EndSource::OwnCommand && table.state(id) == KeyState::Removed)
        source = EndSource::Flushed;
    // After a time without replies, any other source only shows that the key is absent now.
    if (source != EndSource::OwnCommand && source != EndSource::Flushed && isLastSeenBeforeGap(lastSeen)) {
        source = EndSource::Unseen;
        m_unseenEnds.insert(id, lastSeen);
    }
    m_ended.add({table.key(id).toByteArray(), table.state(id), table.deadline(id), lastSeen, sampled, source});
    m_known.existed.remove(id);
    table.setSampled(id, sampled);
    m_endedCounter.add(sampled, 1);
    if (source == EndSource::Inferred)
        m_inferred.insert(id);
}

/// Changes the state so that the observers remove the row. The key does not count as gone.
void KeyStore::applyHidden(KeyId id, MonotonicTime refused)
{
    KeyTable &table = m_known.table;
    if (table.state(id) == KeyState::Live) {
        count(id, -1);
        m_unreadable.add(table.key(id), {table.sampled(id), refused, m_known.endOf(id)});
        table.setState(id, endingOf(table.deadline(id), table.sampled(id), table.sampled(id)));
    }
    m_hidden.insert(id);
}

std::vector<KeyId> KeyStore::takeAdded()
{
    std::vector<KeyId> added = std::exchange(m_incoming, {});
    std::erase_if(added, [this](KeyId id) {
        m_known.table.setPending(id, false);
        if (m_known.table.state(id) == KeyState::Live)
            return false;
        forget(id); // The key appeared and disappeared without being shown.
        return true;
    });
    return added;
}

void KeyStore::removeEnded(std::span<const KeyId> ids)
{
    for (const KeyId id : ids) {
        if (m_known.table.state(id) != KeyState::Live)
            forget(id);
    }
    m_hidden.clear();
    m_inferred.clear();
    m_unseenEnds.clear();
}

void KeyStore::forget(KeyId id)
{
    m_known.values.remove(id);
    m_known.analysis.remove(id);
    m_known.fieldEnds.remove(id);
    m_known.existed.remove(id);
    m_known.table.erase(id);
}

} // namespace latchkey::keys
