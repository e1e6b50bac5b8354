#include "core/explore/races/snapshotscripts.h"

#include "core/redis/exchange/script.h"

#include <algorithm>

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;
using exchange::Script;
using resp::Command;
using resp::Replies;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

const Script &restoreScript()
{
    static const Script script(QStringLiteral("testbed-restore"));
    return script;
}

const Script &snapshotScript()
{
    static const Script script(QStringLiteral("testbed-snapshot"));
    return script;
}

const Script &variationScript()
{
    static const Script script(QStringLiteral("testbed-vary"));
    return script;
}

/// Rounds a lifetime to the grain. Never returns zero, which means no lifetime.
SnapshotKey::Lifetime rounded(std::chrono::milliseconds lifetime, std::chrono::milliseconds grain)
{
    return std::max(grain, (lifetime + grain / 2) / grain * grain);
}

/// Adds the lifetimes of the fields. `fields`: each field name followed by its remaining time in milliseconds.
void addFieldEnds(const Replies &fields, std::chrono::milliseconds grain, SnapshotKey &key)
{
    std::chrono::milliseconds last {};
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        if (fields[i + 1].toInteger() < 0)
            continue;
        const auto end = *rounded(std::chrono::milliseconds(fields[i + 1].toInteger()), grain);
        key.fieldEnds.emplace_back(fields[i].bytes(), end);
        last = std::max(last, end);
    }
    std::ranges::sort(key.fieldEnds);
    key.endsWithFields = !key.lifetime && !fields.empty() && key.fieldEnds.size() * 2 == fields.size();
    if (key.endsWithFields)
        key.lifetime = last;
}

} // namespace

Command snapshotCommand()
{
    return {"EVALSHA", snapshotScript().sha1(), "0"};
}

Result<Snapshot> snapshotFrom(const Reply &reply, std::chrono::milliseconds grain)
{
    constexpr std::size_t partsOfAKey = 6;
    if (!reply.isArray() || reply.elements().size() % partsOfAKey != 0)
        return failure(ErrorKind::Protocol,
                       QT_TRANSLATE_NOOP("core", "the race finder's server does not say what it holds: %1"),
                       reply.toText());
    Snapshot snapshot;
    const auto &parts = reply.elements();
    for (std::size_t i = 0; i < parts.size(); i += partsOfAKey) {
        SnapshotKey key;
        key.key = parts[i].bytes();
        key.type = parts[i + 1].bytes();
        if (parts[i + 2].toInteger() >= 0)
            key.lifetime = rounded(std::chrono::milliseconds(parts[i + 2].toInteger()), grain);
        key.dump = parts[i + 3].bytes();
        key.text = parts[i + 4].bytes();
        addFieldEnds(parts[i + 5].elements(), grain, key);
        snapshot.keys.push_back(std::move(key));
    }
    return snapshot;
}

Command restoringCommand(const Snapshot &snapshot)
{
    Command command {"EVALSHA", restoreScript().sha1(), "0"};
    for (const SnapshotKey &key : snapshot.keys) {
        const auto lifetime = key.lifetime && !key.endsWithFields ? std::chrono::milliseconds(*key.lifetime) : 0ms;
        command << key.key << static_cast<qint64>(lifetime.count()) << key.dump
                << static_cast<qint64>(key.fieldEnds.size());
        for (const auto &[field, end] : key.fieldEnds)
            command << field << static_cast<qint64>(end.count());
    }
    return command;
}

Command varyingCommand(const QByteArray &key, const QByteArray &what, int number)
{
    return {"EVALSHA", variationScript().sha1(), "0", key, what, QByteArray::number(number)};
}

} // namespace latchkey::races
