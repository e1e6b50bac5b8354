#include "core/keyspace/events/observation.h"

#include <cstdlib>

namespace latchkey::events {

using base::Deadline;
using base::MonotonicTime;

ObservationListener::~ObservationListener() = default;

void ObservationListener::eventCoverageChanged(NodeIndex, const EventCoverage &) {}

void ObservationListener::flushAnnounced(NodeIndex, MonotonicTime, FlushKind) {}

void ObservationListener::receivedUpTo(NodeIndex, MonotonicTime) {}

ObservationContent existenceFrom(qint64 pttl, MonotonicTime asked, MonotonicTime answered)
{
    if (pttl < -1)
        return Gone {};
    if (pttl < 0)
        return Exists {Deadline::never()};
    return Exists {Deadline::measured(std::chrono::milliseconds(pttl), asked, answered)};
}

std::optional<IdleTime> idleTimeFrom(const resp::Reply &reply)
{
    if (!reply.isInteger() || reply.toInteger() < 0 || reply.toInteger() > IdleTime::longest.count())
        return std::nullopt;
    return IdleTime {std::chrono::seconds(reply.toInteger())};
}

bool areIdleTimesTrue(const resp::ServerInfo &server)
{
    constexpr int firstFalse = 8;
    if (server.product == u"Valkey")
        return true;
    return server.product == u"Redis" && !server.version.isNull() && server.version.majorVersion() < firstFalse;
}

void ObservationDispatcher::deliver(const Observations &observations) const
{
    if (observations.empty())
        return;
    for (ObservationListener *listener : m_listeners)
        listener->observed(observations);
}

void ObservationDispatcher::deliverEmptied(NodeIndex node, MonotonicTime asked, MonotonicTime answered) const
{
    for (ObservationListener *listener : m_listeners)
        listener->emptied(node, asked, answered);
}

void ObservationDispatcher::deliverEventCoverage(NodeIndex node, const EventCoverage &eventCoverage) const
{
    for (ObservationListener *listener : m_listeners)
        listener->eventCoverageChanged(node, eventCoverage);
}

void ObservationDispatcher::deliverFlush(NodeIndex node, MonotonicTime received, FlushKind kind) const
{
    for (ObservationListener *listener : m_listeners)
        listener->flushAnnounced(node, received, kind);
}

void ObservationDispatcher::deliverReceivedUpTo(NodeIndex node, MonotonicTime time) const
{
    for (ObservationListener *listener : m_listeners)
        listener->receivedUpTo(node, time);
}

} // namespace latchkey::events
