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

/// Returns whether the event reports an end that is no release.
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
        if (m_holds.isEmpty())
            continue;
        if (exists != nullptr) {
            if (const auto hold = m_holds.find(observation.key); hold != m_holds.end())
                hold->deadline = exists->deadline;
        } else if (const auto *announced = std::get_if<ChangeNotification>(&observation.content)) {
            if (isDeletion(announced->event) && noteEnd(observation))
                m_announced += observation.key;
            else if (isOtherEnd(announced->event))
                m_holds.remove(observation.key);
        } else if (std::holds_alternative<Gone>(observation.content)) {
            (void)noteEnd(observation);
        }
    }
}

void Releases::emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime)
{
    m_holds.clear();
}

void Releases::flushAnnounced(events::NodeIndex, base::MonotonicTime)
{
    m_holds.clear();
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
                     && m_recogniser.interest(key) != recognition::Interest::None;
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

/// Notes the end of a hold, and returns whether it is a release: the deadline had not passed.
bool Releases::noteEnd(const Observation &observation)
{
    const auto found = m_holds.find(observation.key);
    if (found == m_holds.end())
        return false;
    const Hold hold = *found;
    m_holds.erase(found);
    const auto left = hold.deadline.remaining(observation.answered);
    if (!left || *left <= hold.deadline.uncertainty() + margin || observation.isInferred)
        return false;
    auto released = m_released.find(observation.key);
    if (released == m_released.end()) {
        if (m_released.size() >= maxKeys) {
            m_released.remove(m_order.front());
            m_order.pop_front();
        }
        m_order.push_back(observation.key);
        released = m_released.insert(observation.key, {});
    }
    if (released->lastToken != hold.token)
        ++released->count;
    released->lastToken = hold.token;
    return true;
}

} // namespace latchkey::detection
