#include "core/explore/programs/treenode.h"

#include "core/explore/schedules/waiting.h"
#include "core/redis/resp/codec.h"

#include <algorithm>

namespace latchkey::programs {

using races::Offer;

bool isTimeEvent(const ProcessEvent &event)
{
    return event.kind == ProcessEvent::Kind::TimeAdvance || event.kind == ProcessEvent::Kind::Begin;
}

QByteArray keyOf(const ProcessEvent &event)
{
    QByteArray key = QByteArray::number(static_cast<int>(event.kind)) + ' ' + QByteArray::number(event.conversation)
                   + ' ' + QByteArray::number(static_cast<qint64>(event.time.count())) + ' ';
    if (event.kind == ProcessEvent::Kind::Reply || event.kind == ProcessEvent::Kind::Message)
        resp::encode(event.reply, key);
    return key;
}

Waited waitedAfter(const TreeNode &from, const ProcessEvent &event, const std::vector<Offer> &offers)
{
    Waited waited;
    for (const Offer &offer : offers) {
        std::chrono::milliseconds &time = waited.emplace_back();
        const auto before = std::ranges::find(from.offers, offer.conversation, &Offer::conversation);
        const bool stays =
            before != from.offers.end() && (isTimeEvent(event) || event.conversation != offer.conversation);
        if (const auto waiting = schedules::waitingOf(offer.commands); stays && waiting && waiting->timeout)
            time = from.waited[static_cast<std::size_t>(before - from.offers.begin())] + event.time;
    }
    return waited;
}

} // namespace latchkey::programs
