#include "ui/shell/alerts/alertlog.h"

namespace latchkey::ui::alerts {

using inspection::InspectedServer;
using latchkey::alerts::Alert;
using latchkey::alerts::AlertEnd;
using latchkey::alerts::AlertRule;
using latchkey::alerts::AlertWatch;
using State = LoggedAlert::State;

AlertLog::AlertLog(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{}

AlertLog::~AlertLog() = default;

void AlertLog::watch(InspectedServer &server, const std::vector<AlertRule> &rules)
{
    const auto known = m_watched.find(&server);
    if (known == m_watched.end()) {
        // A later server may have the same memory address.
        connect(&server, &QObject::destroyed, this, [this, gone = &server] { forget(gone); });
    } else {
        std::erase_if(
            m_all, [&](const auto &each) { return each.second.server == &server && each.second.state == State::Open; });
        m_open.removeIf([&](const auto &each) { return each.key().server == &server; });
    }
    Watched &watched = m_watched[&server];
    watched.open = 0;
    watched.watch = std::make_unique<AlertWatch>(server, m_clock, rules, base::Globs());
    connect(watched.watch.get(), &AlertWatch::raised, this,
            [this, &server](const Alert &alert) { add(server, alert); });
    connect(watched.watch.get(), &AlertWatch::over, this,
            [this, &server](const Alert &alert, const AlertEnd &over) { end(server, alert, over); });
    announce();
}

bool AlertLog::isWatched(InspectedServer &server) const
{
    return m_watched.contains(&server);
}

void AlertLog::clearEnded()
{
    std::erase_if(m_all, [](const auto &each) { return each.second.state != State::Open; });
    announce();
}

qsizetype AlertLog::openCount() const
{
    qsizetype count = 0;
    for (const auto &[server, watched] : m_watched)
        count += watched.open;
    return count;
}

QStringList AlertLog::incompleteServers() const
{
    QStringList urls;
    for (const auto &[server, watched] : m_watched) {
        if (!server->watcher().coverage().isObserving() || watched.watch->isIncomplete())
            urls += server->endpoint().display();
    }
    return urls;
}

void AlertLog::add(InspectedServer &server, const Alert &alert)
{
    ++m_watched.at(&server).open;
    const qint64 id = ++m_lastId;
    m_open.insert({&server, alert.rule.text, alert.key.value_or(QByteArray())}, id);
    LoggedAlert &logged = m_all[id];
    logged = {id, &server, server.endpoint().display(), alert, State::Open, {}};
    if (m_all.size() > maxAlerts) {
        const LoggedAlert &oldest = m_all.begin()->second;
        if (oldest.state == State::Open)
            m_open.remove({oldest.server, oldest.alert.rule.text, oldest.alert.key.value_or(QByteArray())});
        m_all.erase(m_all.begin());
    }
    Q_EMIT raised(LoggedAlert(logged));
    announce();
}

void AlertLog::end(InspectedServer &server, const Alert &alert, const AlertEnd &end)
{
    --m_watched.at(&server).open;
    const qint64 id = m_open.take({&server, alert.rule.text, alert.key.value_or(QByteArray())});
    if (const auto logged = m_all.find(id); logged != m_all.end()) {
        logged->second.state = State::Over;
        logged->second.end = end;
    }
    announce();
}

void AlertLog::forget(InspectedServer *server)
{
    m_watched.erase(server);
    m_open.removeIf([&](const auto &each) {
        if (each.key().server != server)
            return false;
        m_all.at(each.value()).state = State::Unwatched;
        return true;
    });
    announce();
}

void AlertLog::announce()
{
    if (std::exchange(m_isAnnounced, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_isAnnounced = false;
            Q_EMIT changed();
        },
        Qt::QueuedConnection);
}

} // namespace latchkey::ui::alerts
