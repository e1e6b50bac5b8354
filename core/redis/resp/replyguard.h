#pragma once

#include "core/foundation/base/error.h"

#include <array>

namespace latchkey::resp {

/// The limits of one reply. The defaults are for an inspector; a server may send more.
struct ReplyLimits
{
    static constexpr int deepest = 7; ///< hiredis 0.14 parses no deeper.

    qint64 elements = 1'000'000;             ///< Total of all arrays of one reply.
    qint64 bulkLength = 64LL * 1024 * 1024;  ///< Bytes of one bulk string.
    qint64 totalBytes = 256LL * 1024 * 1024; ///< Bytes of one reply as sent.
    qint64 lineLength = 64LL * 1024;         ///< Bytes of a status or an error.
    int depth = deepest;                     ///< Nesting of arrays; at most `deepest`.
};

/// Returns whether the error means that a reply exceeds one of the limits, except `depth`.
[[nodiscard]] bool isReplyTooLarge(const base::Error &error);

/// A checker of RESP2 that runs before hiredis, and stops a malformed or oversized reply before memory is allocated for
/// it.
///
/// hiredis 0.14 trusts a header: `*2000000000` in thirteen bytes makes it request 16 GiB. It also does not check the
/// line end after a bulk string. The guard checks every byte first, keeps a few counters, and builds no reply. Owned by
/// the ReplyReader. After an error, the guard can no longer be used, and the connection must end.
class ReplyGuard final
{
public:
    explicit ReplyGuard(const ReplyLimits &limits = {});

    /// Checks the next bytes of the stream, in pieces of any size, and returns the number of replies that end within
    /// them. Errors: the stream is not RESP2, or its arrays are nested too deeply (Protocol); a reply exceeds another
    /// limit (Local).
    [[nodiscard]] base::Result<qsizetype> inspect(QByteArrayView bytes);

    /// Returns whether the stream is between two replies, not inside one.
    [[nodiscard]] bool isBetweenReplies() const { return m_state == State::Type && m_depth == 0; }

private:
    enum class State : quint8 { Type, Text, Number, LineFeed, Payload, PayloadReturn, PayloadFeed };

    [[nodiscard]] bool beginElement(char type);
    [[nodiscard]] bool numberByte(char byte);
    [[nodiscard]] bool endNumber();
    void endElement();
    [[nodiscard]] bool refuse(base::ErrorKind kind, const base::Text &problem);
    [[nodiscard]] base::Text notRespProblem(QByteArrayView bytes) const;

    const ReplyLimits m_limits;
    State m_state = State::Type;
    char m_type = 0;
    bool m_negative = false;
    bool m_hasDigits = false;
    quint64 m_number = 0;
    qint64 m_length = 0;     ///< Length of the line so far, or missing bytes of the payload.
    qint64 m_elements = 0;   ///< Elements announced within this reply.
    qint64 m_totalBytes = 0; ///< Bytes of this reply so far.
    std::array<qint64, ReplyLimits::deepest> m_missing {}; ///< Elements still to come, per open array.
    int m_depth = 0;
    qsizetype m_completed = 0;
    bool m_hasReplied = false; ///< Whether a complete reply was received, which shows that the peer is a RESP2 server.
    base::ErrorKind m_problemKind = base::ErrorKind::Protocol;
    base::Text m_problem;
};

} // namespace latchkey::resp
