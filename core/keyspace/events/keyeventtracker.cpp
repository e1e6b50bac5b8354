#include "core/keyspace/events/keyeventtracker.h"

#include <algorithm>
#include <tuple>

namespace latchkey::events {

using base::MonotonicTime;
using std::chrono::milliseconds;
using Depth = EventCoverage::Depth;
using namespace std::chrono_literals;

namespace {

/// Sets the key and the node of the key events from that index on.
void label(KeyEvents &keyEvents, std::size_t from, const std::pair<QByteArray, NodeIndex> &nodeKey)
{
    for (std::size_t i = from; i < keyEvents.size(); ++i) {
        keyEvents[i].key = nodeKey.first;
        keyEvents[i].node = nodeKey.second;
    }
}

/// Sorts by the end of the interval of each change, then by key. The key events of one key keep their order.
void sortByTime(KeyEvents &keyEvents)
{
    struct Order
    {
        MonotonicTime time;
        std::size_t nodeKey = 0;
    };
    QHash<std::pair<QByteArray, NodeIndex>, MonotonicTime> latest;
    std::vector<Order> order;
    order.reserve(keyEvents.size());
    for (std::size_t i = 0; i < keyEvents.size(); ++i) {
        MonotonicTime &time = latest[{keyEvents[i].key, keyEvents[i].node}];
        time = std::max(time, keyEvents[i].notAfter);
        order.push_back({time, i});
    }
    std::ranges::stable_sort(order, [&](const Order &a, const Order &b) {
        const KeyEvent &first = keyEvents[a.nodeKey];
        const KeyEvent &second = keyEvents[b.nodeKey];
        return std::tie(a.time, first.key, first.node) < std::tie(b.time, second.key, second.node);
    });
    KeyEvents sorted;
    sorted.reserve(keyEvents.size());
    for (const Order &next : order)
        sorted.push_back(std::move(keyEvents[next.nodeKey]));
    keyEvents = std::move(sorted);
}

bool isReading(const Observation &observation)
{
    return std::holds_alternative<Exists>(observation.content)
        || std::holds_alternative<ValueReply>(observation.content) || std::holds_alternative<Gone>(observation.content);
}

/// Returns the reading that begins at that index. A value that was read may follow the expiry as a separate
/// observation.
KeyReading readingFrom(const Observations &observations, std::size_t &at)
{
    const Observation &first = observations[at];
    KeyReading reading;
    reading.exists = !std::holds_alternative<Gone>(first.content);
    reading.asked = first.asked;
    reading.answered = first.answered;
    reading.source = first.source;
    reading.isInferred = first.isInferred;
    if (const auto *exists = std::get_if<Exists>(&first.content))
        reading.deadline = exists->deadline;
    else if (const auto *valued = std::get_if<ValueReply>(&first.content))
        reading.value = valued->value;
    for (std::size_t next = at + 1; reading.exists && !reading.value && next < observations.size(); ++next) {
        const Observation &more = observations[next];
        if (more.key != first.key || more.node != first.node)
            break;
        if (const auto *valued = std::get_if<ValueReply>(&more.content)) {
            reading.value = valued->value;
            at = next;
        } else if (!std::holds_alternative<TypeReply>(more.content)) {
            break;
        }
    }
    return reading;
}

} // namespace

KeyEventTracker::KeyEventTracker(QObject *parent)
    : QObject(parent)
{
    m_dueTimer.setSingleShot(true);
    m_dueTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_dueTimer, &QTimer::timeout, this, &KeyEventTracker::dueReached);
}

KeyEventTracker::~KeyEventTracker() = default;

void KeyEventTracker::follow(const QByteArray &key, NodeIndex node, std::optional<MonotonicTime> absentAt)
{
    Entry &entry = m_followed[{key, node}];
    ++entry.followers;
    const std::optional<MonotonicTime> swapped = m_nodeEvents.value(node).swapped;
    if (absentAt)
        entry.key.begin(*absentAt, swapped && *swapped > *absentAt);
}

void KeyEventTracker::followFound(const QByteArray &key, std::optional<MonotonicTime> absentAt,
                                  const base::Deadline &deadline, const base::TimeInterval &found, Source source)
{
    const bool wasFollowed = isFollowed(key);
    follow(key, 0, absentAt);
    if (!wasFollowed) // Otherwise the reading is known, and would be out of order.
        observed({{key, Exists {deadline}, found.earliest, found.latest, source}});
}

void KeyEventTracker::unfollow(const QByteArray &key, NodeIndex node)
{
    const auto found = m_followed.find({key, node});
    if (found == m_followed.end() || --found->followers > 0)
        return;
    m_followed.erase(found);
    m_pending.remove({key, node});
}

void KeyEventTracker::restarted(NodeIndex node)
{
    for (auto followed = m_followed.begin(); followed != m_followed.end(); ++followed) {
        if (followed.key().second == node)
            followed->key.markUncertain();
    }
}

void KeyEventTracker::failedOver(NodeIndex node)
{
    for (auto followed = m_followed.begin(); followed != m_followed.end(); ++followed) {
        if (followed.key().second == node)
            followed->key.failOver();
    }
}

void KeyEventTracker::observed(const Observations &observations)
{
    if (m_followed.isEmpty())
        return;
    KeyEvents out;
    for (std::size_t i = 0; i < observations.size(); ++i) {
        const Observation &observation = observations[i];
        const NodeKey nodeKey {observation.key, observation.node};
        const auto found = m_followed.find(nodeKey);
        if (found == m_followed.end())
            continue;
        m_now = std::max(m_now, observation.answered);
        if (isReading(observation)) {
            addReading(nodeKey, readingFrom(observations, i), out);
        } else if (const auto *announced = std::get_if<ChangeNotification>(&observation.content)) {
            // A notification may precede the announcement that all changes are reported. It says as little as a poll.
            const NodeEvents &nodeEvents = m_nodeEvents[observation.node];
            if (nodeEvents.eventCoverage.depth == Depth::None)
                continue;
            found->key.addNotification(announced->event, observation.answered, nodeEvents.receivedUpTo);
            attend(nodeKey, *found);
        } else if (std::holds_alternative<AccessDenied>(observation.content)) {
            found->key.markUncertain();
        }
    }
    emitEvents(std::move(out));
}

void KeyEventTracker::addReading(const NodeKey &nodeKey, KeyReading reading, KeyEvents &out)
{
    const auto found = m_followed.find(nodeKey);
    const std::size_t before = out.size();
    found->key.add(std::move(reading), m_nodeEvents[nodeKey.second].eventCoverage, out);
    label(out, before, nodeKey);
    attend(nodeKey, *found);
}

void KeyEventTracker::attend(const NodeKey &nodeKey, Entry &entry)
{
    if (entry.key.isPending()) {
        m_pending.insert(nodeKey);
        Q_EMIT confirmationRequested();
    }
    // A key certainly existed until its expiry if no change was received up to then. The confirmation is requested at
    // the expiry, before a request makes the server remove the key.
    const auto end = entry.key.dueAt();
    if (!end || m_nodeEvents[nodeKey.second].eventCoverage.depth != Depth::Keys)
        return;
    const MonotonicTime due = end->at() + end->uncertainty();
    if (due < m_now || due == entry.due)
        return;
    entry.due = due;
    m_dues.push({due, nodeKey});
    scheduleDue();
}

void KeyEventTracker::scheduleDue()
{
    if (m_dues.empty())
        return;
    const auto wait = std::clamp(std::chrono::ceil<milliseconds>(m_dues.top().at - m_now), 0ms, milliseconds(1min));
    if (m_dueTimer.isActive() && m_now + wait >= m_dueFires)
        return;
    m_dueFires = m_now + wait;
    m_dueTimer.start(wait);
}

void KeyEventTracker::dueReached()
{
    m_now = std::max(m_now, m_dueFires);
    bool isWanted = false;
    while (!m_dues.empty() && m_dues.top().at <= m_now) {
        const Due first = m_dues.top();
        m_dues.pop();
        const auto found = m_followed.constFind(first.nodeKey);
        isWanted = isWanted || (found != m_followed.cend() && found->due == first.at);
    }
    if (isWanted)
        Q_EMIT confirmationRequested();
    scheduleDue();
}

void KeyEventTracker::emitEvents(KeyEvents keyEvents)
{
    if (keyEvents.size() > 1)
        sortByTime(keyEvents);
    // The state is final before the signals are emitted: receivers may follow other keys, or stop following.
    for (const KeyEvent &keyEvent : keyEvents)
        Q_EMIT happened(keyEvent);
}

void KeyEventTracker::emptied(NodeIndex node, MonotonicTime asked, MonotonicTime answered)
{
    KeyEvents out;
    for (const NodeKey &nodeKey : m_followed.keys()) {
        if (nodeKey.second == node)
            addReading(nodeKey, {false, {}, {}, asked, answered, Source::Poll, false}, out);
    }
    emitEvents(std::move(out));
}

void KeyEventTracker::eventCoverageChanged(NodeIndex node, const EventCoverage &eventCoverage)
{
    EventCoverage before = m_nodeEvents[node].eventCoverage;
    before.mayEvict = before.mayEvict || eventCoverage.mayEvict; // The evictions were noticed after the waiting reads.
    m_nodeEvents[node] = {eventCoverage, {}, m_nodeEvents[node].swapped};
    loseEvents(node, before);
}

void KeyEventTracker::applyWaiting()
{
    for (const NodeIndex node : m_nodeEvents.keys())
        loseEvents(node, m_nodeEvents[node].eventCoverage);
}

void KeyEventTracker::loseEvents(NodeIndex node, const EventCoverage &until)
{
    KeyEvents out;
    for (auto entry = m_followed.begin(); entry != m_followed.end(); ++entry) {
        if (entry.key().second != node)
            continue;
        const std::size_t known = out.size();
        entry->key.loseEvents(until, out);
        label(out, known, entry.key());
    }
    m_pending.removeIf([node](const NodeKey &nodeKey) { return nodeKey.second == node; });
    emitEvents(std::move(out));
}

void KeyEventTracker::flushAnnounced(NodeIndex node, MonotonicTime received, FlushKind kind)
{
    m_now = std::max(m_now, received);
    if (kind == FlushKind::Swap)
        m_nodeEvents[node].swapped = received;
    for (auto entry = m_followed.begin(); entry != m_followed.end(); ++entry) {
        if (entry.key().second != node)
            continue;
        entry->key.addFlush(kind, received, m_nodeEvents[node].receivedUpTo);
        m_pending.insert(entry.key());
    }
    Q_EMIT confirmationRequested();
}

void KeyEventTracker::receivedUpTo(NodeIndex node, MonotonicTime time)
{
    NodeEvents &nodeEvents = m_nodeEvents[node];
    nodeEvents.receivedUpTo = std::max(nodeEvents.receivedUpTo, time);
    const EventCoverage eventCoverage = nodeEvents.eventCoverage;
    KeyEvents out;
    for (const NodeKey &nodeKey : std::exchange(m_pending, {})) {
        const auto found = m_followed.find(nodeKey);
        if (found == m_followed.end())
            continue;
        if (nodeKey.second != node) {
            m_pending.insert(nodeKey);
            continue;
        }
        const std::size_t known = out.size();
        found->key.settle(time, eventCoverage, out);
        label(out, known, nodeKey);
        attend(nodeKey, *found);
    }
    emitEvents(std::move(out));
}

} // namespace latchkey::events
