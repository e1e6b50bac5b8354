#include "core/keyspace/watcher.h"

namespace latchkey::keyspace {

Watcher::Watcher(QObject *parent)
    : QObject(parent)
{}

Watcher::~Watcher() = default;

} // namespace latchkey::keyspace
