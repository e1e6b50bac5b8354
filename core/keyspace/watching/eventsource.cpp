#include "core/keyspace/watching/eventsource.h"

namespace latchkey::watching {

EventSource::EventSource(QObject *parent)
    : QObject(parent)
{}

EventSource::~EventSource() = default;

events::EventCoverage::Depth depthOf(EventSource::Mechanism mechanism)
{
    using Depth = events::EventCoverage::Depth;
    switch (mechanism) {
    case EventSource::Mechanism::Notifications:
        return Depth::Events;
    case EventSource::Mechanism::Tracking:
        return Depth::Keys;
    case EventSource::Mechanism::None:
        return Depth::None;
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::watching
