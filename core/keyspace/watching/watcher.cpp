#include "core/keyspace/watching/watcher.h"

namespace latchkey::watching {

Watcher::Watcher(QObject *parent)
    : WatchStatus(parent)
{}

Watcher::~Watcher() = default;

} // namespace latchkey::watching
