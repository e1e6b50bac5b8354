#include "core/keyspace/watching/eventsource.h"

namespace latchkey::watching {

EventSource::EventSource(QObject *parent)
    : QObject(parent)
{}

EventSource::~EventSource() = default;

} // namespace latchkey::watching
