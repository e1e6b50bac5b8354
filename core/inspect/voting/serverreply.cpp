#include "core/inspect/voting/serverreply.h"

namespace latchkey::voting {

using recognition::KeySample;
using recognition::Recognition;

QByteArray holderIn(const Recognition &recognition)
{
    QByteArrayList holders;
    for (const recognition::Holder &holder : recognition.decoded.holders)
        holders += holder.bytes;
    return holders.join(' ');
}

QByteArray valueIn(const KeySample &sample)
{
    const auto &value = sample.value;
    return value ? value->parts.join(' ') : QByteArray();
}

LockVotes::Reply replyOf(const KeySample &sample, const Recognition &recognition, const base::Deadline &deadline)
{
    LockVotes::Reply reply;
    reply.isKnown = true;
    const QByteArray holder = holderIn(recognition);
    reply.isNamed = !holder.isEmpty();
    reply.holder = reply.isNamed ? holder : valueIn(sample);
    reply.deadline = deadline;
    reply.isExpiryKnown = sample.isExpiryKnown;
    return reply;
}

LockVotes votesIn(const std::vector<ServerReply> &replies)
{
    std::vector<LockVotes::Reply> votes;
    for (const ServerReply &reply : replies) {
        const detection::KeyExamination *found = reply.found;
        if (found != nullptr && found->exists)
            votes.push_back(replyOf(found->sample, found->recognition, found->deadline));
        else
            votes.push_back({found != nullptr, {}});
    }
    return LockVotes(std::move(votes));
}

} // namespace latchkey::voting
