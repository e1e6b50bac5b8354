#include "core/redis/resp/replyguard.h"

#include "core/foundation/base/bytes.h"

#include <QJsonArray>
#include <QJsonValue>

#include <algorithm>
#include <limits>

namespace latchkey::resp {

using base::ErrorKind;

namespace {

base::Text sizeText(qint64 bytes)
{
    constexpr qint64 mebibyte = 1024LL * 1024;
    return bytes % mebibyte == 0 ? base::Text(QT_TRANSLATE_NOOP("core", "%1 MiB"), bytes / mebibyte)
                                 : base::Text(QT_TRANSLATE_NOOP("core", "%1 bytes"), bytes);
}

constexpr char largeLine[] = QT_TRANSLATE_NOOP("core", "the server sent a line larger than %1: not read");
constexpr char largeAnswer[] = QT_TRANSLATE_NOOP("core", "the server sent an answer larger than %1: not read");
constexpr char largeValue[] =
    QT_TRANSLATE_NOOP("core", "the server sent a value of %1 bytes, larger than %2: not read");
constexpr char largeArray[] =
    QT_TRANSLATE_NOOP("core", "the server sent an array of %1 elements, larger than %2: not read");

bool reportsLargeReply(const QJsonValue &text)
{
    const QByteArray english = text[QLatin1String("english")].toString().toUtf8();
    for (const char *large : {largeLine, largeAnswer, largeValue, largeArray}) {
        if (english == large)
            return true;
    }
    const QJsonArray arguments = text[QLatin1String("with")].toArray();
    return std::ranges::any_of(arguments, [](const QJsonValue &argument) { return reportsLargeReply(argument); });
}

} // namespace

bool isReplyTooLarge(const base::Error &error)
{
    return error.kind == ErrorKind::Local && reportsLargeReply(error.text.toJson());
}

ReplyGuard::ReplyGuard(const ReplyLimits &limits)
    : m_limits(limits)
{
    Q_ASSERT(limits.depth <= ReplyLimits::deepest);
}

base::Result<qsizetype> ReplyGuard::inspect(QByteArrayView bytes)
{
    m_completed = 0;
    const char *at = bytes.begin();
    const char *const end = bytes.end();
    bool good = true;
    while (good && at != end) {
        qsizetype used = 1;
        switch (m_state) {
        case State::Type:
            good = beginElement(*at);
            break;
        case State::Text:
            if (*at == '\r')
                m_state = State::LineFeed;
            else if (*at == '\n')
                good = false; // hiredis rejects this from 1.1 on.
            else if (++m_length > m_limits.lineLength)
                good = refuse(ErrorKind::Local, base::Text(largeLine, sizeText(m_limits.lineLength)));
            break;
        case State::Number:
            good = numberByte(*at);
            break;
        case State::LineFeed:
            good = *at == '\n' && endNumber();
            break;
        case State::Payload:
            used = std::min<qsizetype>(m_length, end - at);
            m_length -= used;
            if (m_length == 0)
                m_state = State::PayloadReturn;
            break;
        case State::PayloadReturn:
            good = *at == '\r';
            m_state = State::PayloadFeed;
            break;
        case State::PayloadFeed:
            good = *at == '\n';
            endElement();
            break;
        }
        at += used;
        m_totalBytes += used;
        if (m_totalBytes > m_limits.totalBytes)
            good = refuse(ErrorKind::Local, base::Text(largeAnswer, sizeText(m_limits.totalBytes)));
        if (isBetweenReplies())
            m_totalBytes = 0;
    }
    if (good)
        return m_completed;
    if (m_problem.isEmpty())
        m_problem = notRespProblem(bytes.sliced(std::max<qsizetype>(0, at - bytes.begin() - 1)));
    return base::failure(m_problemKind, m_problem);
}

/// Returns the error text for bytes that are no RESP2 reply. `bytes`: begins with the first wrong byte.
base::Text ReplyGuard::notRespProblem(QByteArrayView bytes) const
{
    constexpr char tlsAlert = 0x15;
    const bool isFirstByte = !m_hasReplied && m_depth == 0 && m_totalBytes <= 1;
    const bool isResp3 = QByteArrayView("%~>|#_,(!=").contains(bytes.front());
    if (!isFirstByte || isResp3)
        return base::Text(QT_TRANSLATE_NOOP("core", "the server sent bytes that are not RESP2 (\"%1\")"),
                          base::printable(bytes, 24));
    if (bytes.front() == tlsAlert)
        return base::Text(QT_TRANSLATE_NOOP("core", "this port requires TLS: such a URL begins with rediss://"));
    // A server that did not understand the request may reply with a page only, as in HTTP/0.9.
    for (const auto &[start, protocol] : {std::pair("HTTP", "HTTP"), std::pair("<", "HTTP"), std::pair("SSH", "SSH")}) {
        if (bytes.startsWith(start))
            return base::Text(QT_TRANSLATE_NOOP("core", "this is not a Redis server (it answers %1)"),
                              QLatin1String(protocol));
    }
    return base::Text(QT_TRANSLATE_NOOP("core", "this is not a Redis server (it answers \"%1\")"),
                      base::printable(bytes, 24));
}

bool ReplyGuard::beginElement(char type)
{
    m_type = type;
    m_negative = false;
    m_hasDigits = false;
    m_number = 0;
    m_length = 0;
    switch (type) {
    case '+':
    case '-':
        m_state = State::Text;
        return true;
    case ':':
    case '$':
    case '*':
        m_state = State::Number;
        return true;
    default:
        return false;
    }
}

bool ReplyGuard::refuse(ErrorKind kind, const base::Text &problem)
{
    m_problemKind = kind;
    m_problem = problem;
    return false;
}

bool ReplyGuard::numberByte(char byte)
{
    if (byte == '\r') {
        m_state = State::LineFeed;
        return m_hasDigits;
    }
    if (byte == '-' && !m_hasDigits && !m_negative) {
        m_negative = true;
        return true;
    }
    // No leading zeros and no -0, as in hiredis.
    if (byte < '0' || byte > '9' || (m_hasDigits && m_number == 0) || (m_negative && !m_hasDigits && byte == '0'))
        return false;
    const quint64 limit = static_cast<quint64>(std::numeric_limits<qint64>::max()) + (m_negative ? 1 : 0);
    const auto digit = static_cast<quint64>(byte - '0');
    if (m_number > (limit - digit) / 10)
        return false;
    m_number = m_number * 10 + digit;
    m_hasDigits = true;
    return true;
}

/// Checks a complete number line: an announced length is compared with the limits before it is used.
bool ReplyGuard::endNumber()
{
    const bool isLength = m_type == '$' || m_type == '*';
    const bool isNull = isLength && m_negative && m_number == 1;
    if (!isLength || isNull) {
        endElement();
        return true;
    }
    if (m_negative)
        return false;
    const auto length = static_cast<qint64>(m_number);
    if (m_type == '$') {
        if (length > m_limits.bulkLength)
            return refuse(ErrorKind::Local, base::Text(largeValue, length, sizeText(m_limits.bulkLength)));
        m_length = length;
        m_state = length == 0 ? State::PayloadReturn : State::Payload;
        return true;
    }
    if (length > m_limits.elements - m_elements)
        return refuse(ErrorKind::Local, base::Text(largeArray, length, m_limits.elements));
    m_elements += length;
    if (length == 0) {
        endElement();
        return true;
    }
    if (m_depth == m_limits.depth)
        return refuse(
            ErrorKind::Protocol,
            base::Text(QT_TRANSLATE_NOOP("core", "the server sent arrays nested deeper than %1"), m_limits.depth));
    m_missing[static_cast<std::size_t>(m_depth++)] = length;
    m_state = State::Type;
    return true;
}

void ReplyGuard::endElement()
{
    m_state = State::Type;
    while (m_depth > 0) {
        if (--m_missing[static_cast<std::size_t>(m_depth - 1)] > 0)
            return;
        --m_depth;
    }
    m_elements = 0;
    m_hasReplied = true;
    ++m_completed;
}

} // namespace latchkey::resp
