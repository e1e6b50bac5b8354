#pragma once

#include "core/base/error.h"

#include <array>

namespace latchkey::resp {

/// What one reply may cost at most. The defaults are what an inspector needs, not what a server may send.
struct ReplyLimits
{
    static constexpr int deepest = 7; ///< hiredis 0.14 parses no deeper.

    qint64 elements = 1'000'000;             ///< In all arrays of one reply together.
    qint64 bulkLength = 64LL * 1024 * 1024;  ///< Of one bulk string.
    qint64 totalBytes = 256LL * 1024 * 1024; ///< Of one reply as sent.
    qint64 lineLength = 64LL * 1024;         ///< Of a status or an error.
    int depth = deepest;                     ///< Arrays in arrays; at most deepest.
};

/// Reads RESP2 ahead of hiredis and stops a reply that is malformed or too large before anything is allocated for it.
///
/// hiredis 0.14 believes a header: thirteen bytes that announce two thousand million elements make it ask for 16 GiB,
/// and it does not look at what stands where a bulk string's line end should be. The guard keeps the few counters that
/// a reply needs and sees every byte first; it builds nothing.
/// Owned by the ReplyReader. After an error it is of no more use: the connection has to end.
class ReplyGuard final
{
public:
    explicit ReplyGuard(const ReplyLimits &limits = {});

    /// Looks at the next bytes of the stream, however they were cut; the number of replies that end within them, or why
    /// the stream cannot go on: it is not RESP2 (Protocol), or more than a reply may cost (Local).
    [[nodiscard]] base::Result<qsizetype> inspect(QByteArrayView bytes);

    /// Whether the stream stands between two replies, not inside one.
    [[nodiscard]] bool isBetweenReplies() const { return m_state == State::Type && m_depth == 0; }

private:
    enum class State : quint8 { Type, Text, Number, LineFeed, Payload, PayloadReturn, PayloadFeed };

    [[nodiscard]] bool beginElement(char type);
    [[nodiscard]] bool numberByte(char byte);
    [[nodiscard]] bool endNumber();
    void endElement();
    [[nodiscard]] bool refuse(base::ErrorKind kind, const base::Text &problem);
    [[nodiscard]] base::Text strangersProblem(QByteArrayView bytes) const;

    const ReplyLimits m_limits;
    State m_state = State::Type;
    char m_type = 0;
    bool m_negative = false;
    bool m_hasDigits = false;
    quint64 m_number = 0;
    qint64 m_length = 0;                                   ///< Of the line so far, or what is missing of the payload.
    qint64 m_elements = 0;                                 ///< Announced within this reply.
    qint64 m_totalBytes = 0;                               ///< Of this reply so far.
    std::array<qint64, ReplyLimits::deepest> m_missing {}; ///< Elements still to come, per open array.
    int m_depth = 0;
    qsizetype m_completed = 0;
    bool m_hasReplied = false; ///< It has ended a reply before: it is a server of the kind that is expected.
    base::ErrorKind m_problemKind = base::ErrorKind::Protocol;
    base::Text m_problem;
};

} // namespace latchkey::resp
