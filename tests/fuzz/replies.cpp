#include "core/redis/resp/codec.h"
#include "tests/fuzz/target.h"

#include <algorithm>

namespace latchkey::fuzz {

namespace {

constexpr resp::ReplyLimits limits {.elements = 1'000, .bulkLength = 4'096, .totalBytes = 65'536, .lineLength = 1'024};

std::optional<resp::Replies> repliesOf(QByteArrayView bytes, qsizetype piece)
{
    resp::ReplyReader reader(limits);
    resp::Replies replies;
    while (!bytes.isEmpty()) {
        const QByteArrayView next = bytes.first(std::min(piece, bytes.size()));
        if (!reader.feed(next, replies))
            return std::nullopt;
        bytes = bytes.sliced(next.size());
    }
    return replies;
}

} // namespace

/// Checks that RESP read in pieces equals RESP read at once, and that encoded replies are read as the same replies.
/// Terminals show every character of a reply's text.
void fuzzReplies(QByteArrayView bytes)
{
    if (bytes.isEmpty())
        return;
    const qsizetype piece = 1 + static_cast<unsigned char>(bytes.front()) % 7;
    const auto atOnce = repliesOf(bytes, bytes.size());
    require(atOnce == repliesOf(bytes, piece), "replies in pieces equal replies at once");
    if (!atOnce)
        return;
    QByteArray wire;
    for (const resp::Reply &reply : *atOnce) {
        resp::encode(reply, wire);
        requireShown(reply.toText(), "text of a reply has no control characters");
    }
    if (wire.size() <= limits.totalBytes)
        require(repliesOf(wire, std::max<qsizetype>(1, wire.size())) == atOnce,
                "encoded replies are read as they were");
}

} // namespace latchkey::fuzz
