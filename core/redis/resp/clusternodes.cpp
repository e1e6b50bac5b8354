#include "core/redis/resp/clusternodes.h"

#include <algorithm>
#include <vector>

namespace latchkey::resp {

namespace {

/// A line of the reply: `id address flags master ping-sent pong-received config-epoch link-state slot slot…`.
struct Node
{
    QByteArray id;
    int firstSlot = -1; ///< First slot; -1: none.
};

/// Returns the smallest slot of ranges such as `0-5460`, `7000`. Entries in brackets are slots that migrate between two
/// nodes.
int firstSlotOf(const QByteArrayList &slotRanges)
{
    int first = -1;
    for (const QByteArray &range : slotRanges) {
        bool isNumber = false;
        const int slot = range.left(range.indexOf('-')).toInt(&isNumber);
        if (isNumber && (first < 0 || slot < first))
            first = slot;
    }
    return first;
}

} // namespace

std::optional<ClusterPart> ClusterPart::fromNodes(const Reply &reply)
{
    constexpr qsizetype idField = 0;
    constexpr qsizetype flagsField = 2;
    constexpr qsizetype masterField = 3;
    constexpr qsizetype slotsField = 8;

    if (reply.isError())
        return std::nullopt;
    std::vector<Node> serving;
    QByteArray own;
    for (const QByteArray &line : reply.bytes().split('\n')) {
        const QByteArrayList fields = line.trimmed().split(' ');
        if (fields.size() < slotsField)
            continue;
        const QByteArrayList flags = fields[flagsField].split(',');
        if (flags.contains("myself"))
            own = fields[masterField] == "-" ? fields[idField] : fields[masterField];
        if (const int slot = firstSlotOf(fields.sliced(slotsField)); slot >= 0)
            serving.push_back({fields[idField], slot});
    }
    std::ranges::sort(serving, {}, &Node::firstSlot);
    const auto found = std::ranges::find(serving, own, &Node::id);
    if (found == serving.end())
        return std::nullopt;
    return ClusterPart {static_cast<int>(found - serving.begin()) + 1, static_cast<int>(serving.size())};
}

QByteArray ownSlots(const Reply &reply)
{
    constexpr qsizetype flagsField = 2;
    constexpr qsizetype epochField = 6;
    constexpr qsizetype linkField = 7;

    for (const QByteArray &line : reply.isBulk() ? reply.bytes().split('\n') : QByteArrayList()) {
        QByteArrayList fields = line.trimmed().split(' ');
        if (fields.size() <= linkField || !fields[flagsField].split(',').contains("myself"))
            continue;
        fields.remove(linkField);
        return fields.sliced(epochField).join(' ');
    }
    return {};
}

std::vector<int> migratingSlots(const Reply &reply)
{
    std::vector<int> moving;
    for (const QByteArray &entry : ownSlots(reply).split(' ')) {
        if (!entry.startsWith('['))
            continue;
        bool isNumber = false;
        const int slot = entry.sliced(1, std::max<qsizetype>(entry.indexOf('-'), 1) - 1).toInt(&isNumber);
        if (isNumber)
            moving.push_back(slot);
    }
    return moving;
}

} // namespace latchkey::resp
