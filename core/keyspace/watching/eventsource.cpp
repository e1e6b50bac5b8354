#include "core/keyspace/eventsource.h"

namespace latchkey::keyspace {

EventSource::EventSource(QObject *parent)
    : QObject(parent)
{}

EventSource::~EventSource() = default;

} // namespace latchkey::keyspace
