#include "core/inspect/detection/releases.h"

#include "core/inspect/recognition/shapes.h"

namespace latchkey::detection {

using events::ChangeNotification;
using events::Exists;
using events::Gone;
using events::Observation;
using events::ValueReply;
using keys::RawValue;
using namespace std::chrono_literals;

namespace {

/// Time before the deadline within which a missing key may have expired.
constexpr auto margin = 20ms;
constexpr qsizetype maxHoldTokenLength = 128;

bool isDeletion(QByteArrayView event)
{
    return event == "del" || event == "unlink";
}

/// Returns whether the event reports an end other than a release.
bool isOtherEnd(QByteArrayView event)
{
    return event == "expired" || event == "evicted" || event == "rename_from" || event == "move_from";
}

} // namespace

int Releases::count(const QByteArray &key, const RawValue &value) const
{
    const auto found = m_released.constFind(key);
    if (found == m_released.cend() || !value.isWholeString() || !recognition::isRandomToken(value.bytes()))
        return 0;
    return found->lastToken == value.bytes() ? found->count - 1 : found->count;
}

bool Releases::hasReleases(QByteArrayView key) const
{
    return !m_released.isEmpty() && m_released.contains(QByteArray::fromRawData(key.data(), key.size()));
}

void Releases::observed(const events::Observations &observations)
{
    const Observation *measured = nullptr; // The last measurement of an expiry.
    for (const Observation &observation : observations) {
        if (const auto *valued = std::get_if<ValueReply>(&observation.content)) {
            // The store receives the expiry of a new hold only at its next commit, which may be after the hold.
            const bool isMeasured = measured != nullptr && measured->key == observation.key;
            noteValue(observation.key, valued->value,
                      isMeasured ? std::get<Exists>(measured->content).deadline : deadlineOf(observation.key));
            continue;
        }
        const auto *exists = std::get_if<Exists>(&observation.content);
        if (exists != nullptr)
            measured = &observation;
        if (m_holds.isEmpty() && m_unconfirmed.empty())
            continue;
        if (exists != nullptr) {
            if (const auto hold = m_holds.find(observation.key); hold != m_holds.end())
                hold->deadline = exists->deadline;
        } else if (const auto *announced = std::get_if<ChangeNotification>(&observation.content)) {
            noteChange(observation, announced->event);
        } else if (std::holds_alternative<Gone>(observation.content)) {
            noteGone(observation);
        }
    }
}

void Releases::emptied(events::NodeIndex node, base::MonotonicTime, base::MonotonicTime)
{
    m_holds.clear();
    dropUnconfirmed(node);
}

void Releases::flushAnnounced(events::NodeIndex node, base::MonotonicTime, events::FlushKind)
{
    m_holds.clear();
    dropUnconfirmed(node);
}

void Releases::eventCoverageChanged(events::NodeIndex node, const events::EventCoverage &eventCoverage)
{
    // Change events of a flush and of a key arrive in their order.
    if (eventCoverage.depth == events::EventCoverage::Depth::None && eventCoverage.reportsFlushes)
        m_flushCounting.insert(node);
    else
        m_flushCounting.remove(node);
    dropUnconfirmed(node); // The flushes before the change will not be reported.
}

void Releases::receivedUpTo(events::NodeIndex node, base::MonotonicTime time)
{
    std::erase_if(m_unconfirmed, [&](const UnconfirmedRelease &release) {
        const bool isConfirmed = release.node == node && release.answered <= time;
        if (isConfirmed) {
            add(release.key, release.token);
            m_announced += release.key; // The key may have its next token already.
        }
        return isConfirmed;
    });
}

void Releases::dropUnconfirmed(events::NodeIndex node)
{
    std::erase_if(m_unconfirmed, [node](const UnconfirmedRelease &release) { return release.node == node; });
}

base::Deadline Releases::deadlineOf(const QByteArray &key) const
{
    const auto id = m_store.known().table.find(key);
    return id ? m_store.known().table.deadline(*id) : base::Deadline::never();
}

void Releases::noteValue(const QByteArray &key, const RawValue &value, const base::Deadline &deadline)
{
    const bool isHold = value.isWholeString() && value.size <= maxHoldTokenLength
                     && recognition::isRandomToken(value.bytes())
                     && m_recogniser.lockLikelihood(key) != recognition::LockLikelihood::None;
    const auto found = m_holds.find(key);
    if (!isHold) {
        if (found != m_holds.end())
            m_holds.erase(found);
        return;
    }
    if (found != m_holds.end()) {
        found->token = value.bytes();
        return;
    }
    if (m_holds.size() >= maxKeys)
        return;
    m_holds.insert(key, {value.bytes(), deadline});
}

void Releases::noteChange(const Observation &observation, QByteArrayView event)
{
    if (isDeletion(event)) {
        if (const auto token = takeReleased(observation)) {
            add(observation.key, *token);
            m_announced += observation.key;
        }
    } else if (isOtherEnd(event)) {
        m_holds.remove(observation.key);
        std::erase_if(m_unconfirmed, [&](const UnconfirmedRelease &release) { return release.key == observation.key; });
    }
}

/// Notes that a read found the key gone. The key may have been flushed.
void Releases::noteGone(const Observation &observation)
{
    const auto token = takeReleased(observation);
    if (!token)
        return;
    if (!m_flushCounting.contains(observation.node))
        add(observation.key, *token);
    else if (static_cast<qsizetype>(m_unconfirmed.size()) < maxKeys)
        m_unconfirmed.push_back({observation.key, *token, observation.answered, observation.node});
}

/// Removes the hold of a key that has ended. Returns its token if the end is a release, that is, if the deadline had
/// not passed.
std::optional<QByteArray> Releases::takeReleased(const Observation &observation)
{
    const auto found = m_holds.find(observation.key);
    if (found == m_holds.end())
        return std::nullopt;
    const Hold hold = *found;
    m_holds.erase(found);
    const auto left = hold.deadline.remaining(observation.answered);
    if (!left || *left <= hold.deadline.uncertainty() + margin || observation.isInferred)
        return std::nullopt;
    return hold.token;
}

void Releases::add(const QByteArray &key, const QByteArray &token)
{
    auto released = m_released.find(key);
    if (released == m_released.end()) {
        if (m_released.size() >= maxKeys) {
            m_released.remove(m_order.front());
            m_order.pop_front();
        }
        m_order.push_back(key);
        released = m_released.insert(key, {});
    }
    if (released->lastToken != token)
        ++released->count;
    released->lastToken = token;
}

} // namespace latchkey::detection
