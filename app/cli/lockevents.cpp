#include "app/cli/lockevents.h"

namespace latchkey::cli {

LockEvents::~LockEvents() = default;

history::History::HolderOf LockDescription::holderOf(const inspection::InspectedServer &server)
{
    return [&server](const QByteArray &key, const keys::RawValue &value) -> std::optional<QByteArray> {
        const auto description = LockDescription::of(server, key, value);
        return description ? description->holder : std::nullopt;
    };
}

std::optional<LockDescription> LockDescription::of(const inspection::InspectedServer &server, const QByteArray &key,
                                                   const keys::RawValue &value)
{
    return of(server.locks().recogniseWithValue(key, value));
}

std::optional<LockDescription> LockDescription::of(const recognition::Recognition &recognised)
{
    if (!recognised.isLock())
        return std::nullopt;
    LockDescription description;
    description.kind = recognised.best().dialect;
    if (!recognised.decoded.holders.empty())
        description.holder = recognised.decoded.holders.front().bytes;
    return description;
}

} // namespace latchkey::cli
