#include "core/inspection/inspectedserver.h"

namespace latchkey::inspection {

using base::ErrorKind;

InspectedServer::Acting::Acting(const resp::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random)
    : session(endpoint, clock, random)
    , driver({&session}, clock, random)
{
    session.start();
}

InspectedServer::InspectedServer(const resp::Endpoint &endpoint, bool isPrivate, const base::Clock &clock,
                                 base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_isPrivate(isPrivate)
    , m_clock(clock)
    , m_random(random)
    , m_session(endpoint, clock, random)
    , m_store(clock)
    , m_watcher(m_session, m_store, clock)
    , m_reading({&m_session}, clock, random)
{}

InspectedServer::~InspectedServer() = default;

void InspectedServer::start()
{
    m_session.start();
    if (m_isPrivate)
        setArmed(true);
}

void InspectedServer::setArmed(bool isArmed)
{
    if (isArmed == this->isArmed())
        return;
    if (isArmed) {
        m_acting = std::make_unique<Acting>(endpoint(), m_clock, m_random);
    } else {
        m_earlierActs += m_acting->session.commandsSent();
        m_acting.reset();
    }
    Q_EMIT armedChanged(isArmed);
}

void InspectedServer::takeSnapshot(const base::Key &key, std::function<void(base::Result<keyspace::KeySnapshot>)> done)
{
    m_reading.run<keyspace::KeySnapshot>(keyspace::takeSnapshot(key), std::move(done));
}

void InspectedServer::deleteIfUnchanged(const keyspace::KeySnapshot &snapshot,
                                        std::function<void(base::Result<keyspace::DeleteOutcome>)> done)
{
    if (!m_acting) {
        done(base::failure(ErrorKind::Usage, tr("writing to %1 is not armed").arg(endpoint().display())));
        return;
    }
    m_acting->driver.run<keyspace::DeleteOutcome>(keyspace::deleteIfUnchanged(snapshot), std::move(done));
}

quint64 InspectedServer::commandsSent() const
{
    return m_session.commandsSent() + m_earlierActs + (m_acting ? m_acting->session.commandsSent() : 0);
}

} // namespace latchkey::inspection
