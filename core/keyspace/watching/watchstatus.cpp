#include "core/keyspace/watching/watchstatus.h"

namespace latchkey::watching {

WatchStatus::WatchStatus(QObject *parent)
    : QObject(parent)
{}

WatchStatus::~WatchStatus() = default;

} // namespace latchkey::watching
