#include "core/playground/playground/sequencerecorder.h"

#include <algorithm>

namespace latchkey::playground {

using base::MonotonicTime;
using sequence::Absence;
using sequence::LaneIndex;
using sequence::Mark;
using Event = ClientReport::Event;
using State = ClientProcess::State;

namespace {

/// Maximum number of keys to read; older ones are dropped.
constexpr std::size_t maxKeys = 32;

} // namespace

SequenceRecorder::SequenceRecorder(const QStringList &servers, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{
    nameServers(servers);
}

SequenceRecorder::~SequenceRecorder() = default;

void SequenceRecorder::nameServers(const QStringList &servers)
{
    for (std::size_t i = 0; i < static_cast<std::size_t>(servers.size()); ++i) {
        const QString &name = servers[static_cast<qsizetype>(i)];
        if (i < m_servers.size())
            m_sequence.rename(m_servers[i], name);
        else
            m_servers.push_back(m_sequence.addServer(name));
    }
    Q_EMIT changed();
}

void SequenceRecorder::record(ClientProcess &client)
{
    ClientState &followed = m_clients[&client];
    followed.lane = m_sequence.addClient(client.name());
    if (!m_sequence.rows().empty())
        mark(followed, Mark::Kind::Started, m_clock.now());
    m_sequence.setAbsent(followed.lane, {}, m_clock.now());
    connect(&client, &ClientProcess::changed, this, [this, &client] { recordState(client); });
    connect(&client, &ClientProcess::reported, this,
            [this, &client](const ClientReport &report) { receive(client, report); });
    connect(&client, &ClientProcess::ordered, this, [this, &client](const ClientOrder &order) {
        if (!std::holds_alternative<ResumeOrder>(order))
            m_log.ordered(client.name(), order, m_clock.now());
    });
    connect(&client, &QObject::destroyed, this, [this, gone = &client] { m_clients.erase(gone); });
    recordState(client);
}

void SequenceRecorder::forget(const ClientProcess &client)
{
    const auto found = m_clients.find(&client);
    if (found == m_clients.end())
        return;
    client.disconnect(this);
    m_sequence.removeClient(found->second.lane, m_clock.now());
    m_log.removed(client.name(), m_clock.now());
    m_clients.erase(found);
    announce();
}

void SequenceRecorder::end()
{
    for (const auto &[client, followed] : m_clients)
        client->disconnect(this);
    m_clients.clear();
    m_sequence.end(m_clock.now());
    announce();
}

void SequenceRecorder::mark(const ClientState &client, Mark::Kind kind, MonotonicTime at, const base::Text &text)
{
    m_sequence.add(Mark {client.lane, kind, {}, at, text});
}

/// Records changes of the client's process and belief.
void SequenceRecorder::recordState(const ClientProcess &client)
{
    ClientState &known = m_clients.at(&client);
    const MonotonicTime now = m_clock.now();
    const bool isDead = client.state() == State::Dead;
    if (isDead != known.isDead) {
        known.isDead = isDead;
        mark(known, isDead ? Mark::Kind::Crashed : Mark::Kind::Started, now);
        m_sequence.setAbsent(known.lane, isDead ? std::optional(Absence::Kind::Dead) : std::nullopt, now);
        m_sequence.closeAttempt(known.lane);
    }
    if (client.isPaused() != known.isPaused) {
        known.isPaused = client.isPaused();
        if (!isDead) {
            mark(known, known.isPaused ? Mark::Kind::Paused : Mark::Kind::Resumed, now);
            m_sequence.setAbsent(known.lane, known.isPaused ? std::optional(Absence::Kind::Asleep) : std::nullopt, now);
        }
    }
    if (client.hold() && !isDead) {
        const ClientProcess::Hold &hold = *client.hold();
        m_sequence.believe(known.lane, hold.key, hold.since, hold.validUntil);
        remember(hold.key);
    } else if (known.criticalSection && !isDead) {
        m_sequence.believe(known.lane, *known.criticalSection, known.inside, MonotonicTime::max());
        remember(*known.criticalSection);
    } else {
        m_sequence.stopBelieving(known.lane, now);
    }
    announce();
}

void SequenceRecorder::remember(const base::Key &key)
{
    std::erase(m_keys, key);
    m_keys.push_back(key);
    if (m_keys.size() > maxKeys)
        m_keys.erase(m_keys.begin());
}

void SequenceRecorder::receive(const ClientProcess &client, const ClientReport &report)
{
    const ClientState &known = m_clients.at(&client);
    m_log.received(client.name(), report);
    switch (report.event) {
    case Event::Wire: {
        const auto server = std::min(static_cast<std::size_t>(report.server), m_servers.size() - 1);
        m_sequence.add(sequence::Message {known.lane,
                                          m_servers[server],
                                          {},
                                          report.sentAt.value_or(report.writtenAt),
                                          report.writtenAt,
                                          report.command,
                                          report.reply,
                                          report.isReplyError,
                                          1,
                                          report.isReplyLost});
        break;
    }
    case Event::Lost:
    case Event::NotOwner:
    case Event::Gone:
        mark(known, Mark::Kind::Lost, report.writtenAt, report.message);
        m_sequence.closeAttempt(known.lane);
        break;
    case Event::Renewed: // Renewals are automatic and frequent.
    case Event::Reconnected:
        break;
    default:
        m_sequence.closeAttempt(known.lane);
        break;
    }
    announce();
}

void SequenceRecorder::recordKey(int server, const base::Key &key, bool exists, const QString &holder,
                                 std::optional<MonotonicTime> ends)
{
    const quint64 before = m_sequence.revision();
    m_sequence.recordKey(m_servers[static_cast<std::size_t>(server)], key, exists, laneOf(holder), m_clock.now(), ends);
    if (m_sequence.revision() != before)
        announce();
}

void SequenceRecorder::addServerEvent(int server, sequence::ServerEvent event)
{
    m_sequence.addServerEvent(m_servers[static_cast<std::size_t>(server)], event, m_clock.now());
    announce();
}

void SequenceRecorder::recordWrite(const QString &client, bool isTaken)
{
    if (const auto lane = laneOf(client)) {
        m_sequence.add(Mark {*lane, isTaken ? Mark::Kind::Taken : Mark::Kind::Refused, {}, m_clock.now(), {}});
        announce();
    }
}

void SequenceRecorder::recordInside(const QString &client, const std::optional<base::Key> &criticalSection)
{
    for (auto &[process, known] : m_clients) {
        if (process->name() != client)
            continue;
        known.criticalSection = criticalSection;
        known.inside = m_clock.now();
        recordState(*process);
    }
}

std::vector<base::Key> SequenceRecorder::keys() const
{
    return m_keys;
}

void SequenceRecorder::clear()
{
    m_sequence.clear();
    QStringList holders;
    for (const auto &[client, followed] : m_clients) {
        if (client->hold())
            holders += client->name();
    }
    m_log.clear(holders);
    Q_EMIT changed();
}

void SequenceRecorder::restart(const QStringList &servers)
{
    m_sequence.reset();
    m_servers.clear();
    m_keys.clear();
    m_log.clear({});
    nameServers(servers);
    for (auto &[client, followed] : m_clients) {
        followed = {m_sequence.addClient(client->name())};
        recordState(*client);
    }
    announce();
}

std::optional<LaneIndex> SequenceRecorder::laneOf(const QString &client) const
{
    const auto &lanes = m_sequence.lanes();
    const auto found = std::ranges::find_if(lanes, [&](const sequence::Lane &lane) {
        return lane.kind == sequence::Lane::Kind::Client && lane.name == client;
    });
    return found == lanes.end() ? std::nullopt : std::optional(static_cast<LaneIndex>(found - lanes.begin()));
}

void SequenceRecorder::announce()
{
    Q_EMIT changed();
    const sequence::Overlap *conflict = m_sequence.conflict();
    QStringList now;
    if (conflict != nullptr) {
        now = conflict->who;
        now += base::printable(conflict->key.bytes());
    }
    if (now == m_conflict)
        return;
    m_conflict = now;
    Q_EMIT conflictChanged();
}

} // namespace latchkey::playground
