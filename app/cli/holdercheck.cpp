#include "app/cli/holdercheck.h"

#include <algorithm>

namespace latchkey::cli {

using base::MonotonicTime;
using events::KeyEvent;

namespace {

/// Time from a report to the first check, and from the first check to the second. Longer than the confirmation of a
/// notification and the count of flushes take.
constexpr std::chrono::milliseconds checkInterval {1500};

} // namespace

HolderCheck::HolderCheck(inspection::InspectedServer &server, HeldLocks &held)
    : m_server(server)
    , m_held(held)
{
    connect(&m_held, &HeldLocks::happened, this, [this](const KeyEvent &keyEvent) {
        if (keyEvent.type == KeyEvent::Type::Ended)
            remove(keyEvent.key);
        else
            add(keyEvent.key, keyEvent.notBefore);
    });
    // A replay has its own clock, so a timer does not suffice.
    connect(&m_server, &inspection::InspectedServer::committed, this, &HolderCheck::checkDue);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &HolderCheck::checkDue);
}

HolderCheck::~HolderCheck() = default;

void HolderCheck::add(const QByteArray &key, MonotonicTime since)
{
    schedule(key, {m_server.clock().now() + checkInterval, since, std::nullopt});
}

void HolderCheck::observe(const events::Observation &observation)
{
    if (std::holds_alternative<events::ChangeNotification>(observation.content)) {
        m_readings[observation.key].notified = observation.answered;
    } else if (std::holds_alternative<events::ValueReply>(observation.content)) {
        const auto reading = m_readings.find(observation.key);
        if (reading != m_readings.end())
            reading->asked = std::max(reading->asked, observation.asked);
    }
}

void HolderCheck::remove(const QByteArray &key)
{
    m_checks.remove(key);
    m_readings.remove(key);
}

/// Requests the value again if the known value may be older than the last notification. Returns whether it was
/// requested.
bool HolderCheck::readAgain(const QByteArray &key)
{
    const std::optional<Reading> reading =
        m_readings.contains(key) ? std::optional(m_readings.take(key)) : std::nullopt;
    if (!reading || reading->asked > reading->notified)
        return false;
    m_server.watcher().keysChanged({key});
    return true;
}

void HolderCheck::schedule(const QByteArray &key, Check check)
{
    m_due.emplace_back(check.due, key);
    m_checks[key] = std::move(check);
    if (!m_timer.isActive())
        m_timer.start(checkInterval);
}

void HolderCheck::checkDue()
{
    const MonotonicTime now = m_server.clock().now();
    while (!m_due.empty() && m_due.front().first <= now) {
        const auto [due, key] = m_due.front();
        m_due.pop_front();
        const auto found = m_checks.constFind(key);
        if (found == m_checks.cend() || found->due != due)
            continue; // An event was reported since.
        const Check current = *found;
        m_checks.erase(found);
        check(key, current);
    }
    if (!m_due.empty() && !m_timer.isActive())
        m_timer.start(checkInterval);
}

void HolderCheck::check(const QByteArray &key, Check check)
{
    const auto held = m_held.all().constFind(key);
    if (held == m_held.all().cend() || held->start)
        return; // The report of the start schedules the next check.
    const MonotonicTime now = m_server.clock().now();
    if (readAgain(key)) {
        check.due = now + checkInterval;
        return schedule(key, std::move(check));
    }
    const keys::KnownKeys &known = m_server.store().known();
    const auto id = known.table.find(key);
    // The value of a lock whose lease has ended may belong to a former hold.
    const bool isHeld = id && known.isLive(*id) && !known.table.deadline(*id).hasPassed(now);
    const keys::RawValue *value = isHeld ? known.value(*id) : nullptr;
    const auto description = value != nullptr ? LockDescription::of(m_server, key, *value) : std::nullopt;
    if (!description || !description->holder)
        return;
    if (!held->holderUnreportedSince && held->description.holder == description->holder)
        return;
    const events::Coverage coverage = m_server.watcher().coverage();
    if (coverage.gap() != nullptr || check.holder != description->holder) {
        check.due = now + checkInterval;
        check.holder = description->holder;
        schedule(key, std::move(check));
        return;
    }
    KeyEvent learnt;
    learnt.key = key;
    learnt.type = KeyEvent::Type::FirstRead;
    learnt.deadline = known.table.deadline(*id);
    learnt.notBefore = check.since;
    learnt.notAfter = now;
    learnt.isInferred = true;
    learnt.after = *value;
    m_held.report(learnt);
}

} // namespace latchkey::cli
