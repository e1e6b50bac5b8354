#include "core/keyspace/watching/watcher.h"

namespace latchkey::watching {

Watcher::Watcher(QObject *parent)
    : QObject(parent)
{}

Watcher::~Watcher() = default;

} // namespace latchkey::watching
