#include "core/keyspace/keys/key.h"

#include <algorithm>

namespace latchkey::keys {

using base::Deadline;
using base::MonotonicTime;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

KeyType keyTypeFrom(const QByteArray &name)
{
    if (name == "string")
        return KeyType::String;
    if (name == "hash")
        return KeyType::Hash;
    if (name == "list")
        return KeyType::List;
    if (name == "set")
        return KeyType::Set;
    if (name == "zset")
        return KeyType::SortedSet;
    if (name == "stream")
        return KeyType::Stream;
    if (name == "unknown")
        return KeyType::Refused;
    return name == "none" || name.isEmpty() ? KeyType::Unknown : KeyType::Other;
}

QString keyTypeName(KeyType type)
{
    switch (type) {
    case KeyType::Hash:
        return QStringLiteral("hash");
    case KeyType::List:
        return QStringLiteral("list");
    case KeyType::Set:
        return QStringLiteral("set");
    case KeyType::Stream:
        return QStringLiteral("stream");
    case KeyType::String:
        return QStringLiteral("string");
    case KeyType::SortedSet:
        return QStringLiteral("zset");
    case KeyType::Other:
        return QStringLiteral("other");
    case KeyType::Refused:
        return QStringLiteral("unknown");
    case KeyType::Unknown:
        return {};
    }
    Q_UNREACHABLE();
}

KeyState endingOf(const Deadline &deadline, MonotonicTime lastSeen, MonotonicTime goneAt)
{
    // A release closer than this to the end is not distinguished from the expiry, and need not be.
    constexpr auto minReadBeforeExpiry = 2s;
    const auto left = deadline.remaining(goneAt);
    if (!left || *left > deadline.uncertainty())
        return KeyState::Removed;
    return deadline.at() - lastSeen <= minReadBeforeExpiry + deadline.uncertainty() ? KeyState::Expired
                                                                                    : KeyState::Ended;
}

ExpiryChange expiryChange(const Deadline &before, milliseconds span, const Deadline &after, MonotonicTime sampled)
{
    if (after.agreesWith(before))
        return ExpiryChange::None;
    const bool isRenewal =
        !before.isNever() && !after.isNever() && after.at() > before.at() && leftAt(after, sampled) * 4 >= span * 3;
    return isRenewal ? ExpiryChange::Renewed : ExpiryChange::Moved;
}

milliseconds leftAt(const Deadline &deadline, MonotonicTime time)
{
    const auto left = deadline.remaining(time);
    return left ? std::max(std::chrono::round<milliseconds>(*left), 0ms) : 0ms;
}

} // namespace latchkey::keys
