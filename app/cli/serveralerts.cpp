#include "app/cli/serveralerts.h"

#include <algorithm>

namespace latchkey::cli {

using alerts::Alert;
using alerts::AlertEnd;
using alerts::AlertWatch;
using events::KeyEvent;
using Type = KeyEvent::Type;

ServerAlerts::ServerAlerts(WatchedServers &servers, const base::Clock &clock, std::vector<alerts::AlertRule> rules,
                           base::Globs globs)
    : m_clock(clock)
    , m_rules(std::move(rules))
    , m_globs(std::move(globs))
{
    for (const WatchedServers::Node &node : servers.nodes())
        connectTo(node.server, node.name);
    connect(&servers, &WatchedServers::primaryAdded, this, &ServerAlerts::connectTo);
    connect(&servers, &WatchedServers::primaryRemoved, this, &ServerAlerts::leave);
    connect(&servers.locks(), &LockEvents::happened, this, &ServerAlerts::lockChanged);
}

ServerAlerts::~ServerAlerts() = default;

bool ServerAlerts::isIncomplete() const
{
    return m_wasIncomplete
        || std::ranges::any_of(m_followed, [](const Followed &each) { return each.watch->isIncomplete(); });
}

void ServerAlerts::connectTo(inspection::InspectedServer &server, const QString &node)
{
    auto watch = std::make_unique<AlertWatch>(server, m_clock, m_rules, m_globs);
    connect(watch.get(), &AlertWatch::raised, this, [this, node](const Alert &alert) { raise(alert, node); });
    connect(watch.get(), &AlertWatch::over, this,
            [this, node](const Alert &alert, const AlertEnd &ended) { end(alert, ended, node); });
    m_followed.push_back({&server, node, std::move(watch)});
}

/// Ends the alerts about a replaced primary. The alerts about its locks continue, because its successor has the locks.
void ServerAlerts::leave(const QString &node)
{
    const auto followed = std::ranges::find(m_followed, node, &Followed::node);
    if (followed == m_followed.end())
        return;
    m_wasIncomplete = m_wasIncomplete || followed->watch->isIncomplete();
    m_followed.erase(followed);
    for (auto gapAlert = m_gapAlerts.begin(); gapAlert != m_gapAlerts.end();) {
        if (gapAlert->first.section(u' ', 0, 0) != node) {
            ++gapAlert;
            continue;
        }
        const Alert alert = gapAlert->second;
        gapAlert = m_gapAlerts.erase(gapAlert);
        Q_EMIT over(alert, {m_clock.now(), std::nullopt, false}, node);
    }
}

void ServerAlerts::raise(const Alert &alert, const QString &node)
{
    if (node.isEmpty()) {
        Q_EMIT raised(alert, node);
        return;
    }
    if (!alert.key) {
        m_gapAlerts.insert_or_assign(node + u' ' + alert.rule.text, alert);
        Q_EMIT raised(alert, node);
        return;
    }
    const auto [first, last] = m_open.equal_range(*alert.key);
    const auto known =
        std::find_if(first, last, [&](const auto &open) { return open.second.alert.rule == alert.rule; });
    if (known != last) {
        Open &open = known->second;
        const bool isSameHold = !alert.holder || !open.alert.holder || *alert.holder == *open.alert.holder;
        if (open.node != node && isSameHold) { // The slot has migrated, or the primary has failed over.
            open.node = node;
            return;
        }
        const Alert former = open.alert;
        m_open.erase(known);
        Q_EMIT over(former, {alert.raisedAt, std::nullopt, true}, QString());
    }
    m_open.emplace(*alert.key, Open {alert, node});
    Q_EMIT raised(alert, QString());
}

void ServerAlerts::end(const Alert &alert, const AlertEnd &ended, const QString &node)
{
    if (node.isEmpty()) {
        Q_EMIT over(alert, ended, node);
        return;
    }
    if (!alert.key) {
        m_gapAlerts.erase(node + u' ' + alert.rule.text);
        Q_EMIT over(alert, ended, node);
        return;
    }
    if (ended.isLockGone)
        return; // The key may have migrated: lockChanged() follows if the lock has ended.
    const auto [first, last] = m_open.equal_range(*alert.key);
    const auto known = std::find_if(first, last, [&](const auto &open) {
        return open.second.alert.rule == alert.rule && open.second.node == node;
    });
    if (known == last)
        return;
    const Alert former = known->second.alert;
    m_open.erase(known);
    Q_EMIT over(former, ended, QString());
}

/// Ends the alerts about the lock if the event ends its hold. Later alerts are about the next hold: an AlertWatch may
/// report it before the other primaries have confirmed the end of this one.
void ServerAlerts::lockChanged(const KeyEvent &keyEvent, const LockDescription &)
{
    const bool isEnd =
        keyEvent.type == Type::Ended || keyEvent.type == Type::HandedOver || keyEvent.type == Type::Replaced;
    if (!isEnd || !m_open.contains(keyEvent.key))
        return;
    history::Hold hold;
    hold.key = keyEvent.key;
    hold.ending = keyEvent.type == Type::Ended ? keyEvent.ending : events::Ending::Unknown;
    hold.endSource = keyEvent.source;
    std::vector<Alert> ended;
    for (auto [open, last] = m_open.equal_range(keyEvent.key); open != last;) {
        if (open->second.alert.raisedAt <= keyEvent.notAfter) {
            ended.push_back(open->second.alert);
            open = m_open.erase(open);
        } else {
            ++open;
        }
    }
    for (const Alert &alert : ended)
        Q_EMIT over(alert, {keyEvent.notAfter, hold, true}, QString());
}

} // namespace latchkey::cli
