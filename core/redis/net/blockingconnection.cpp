#include "core/redis/net/blockingconnection.h"
#include "core/foundation/base/duration.h"

#include "core/redis/resp/servererror.h"

#include <QIODevice>

#include <array>

namespace latchkey::net {

using base::ErrorKind;
using base::Result;

namespace {

/// Speed of the slowest supported connection. A fixed timeout is sufficient for small requests only.
constexpr qint64 bytesPerMillisecond = 1024;

std::chrono::milliseconds timeToSend(std::span<const resp::Command> commands)
{
    qint64 bytes = 0;
    for (const resp::Command &command : commands) {
        for (const QByteArray &word : command.words())
            bytes += word.size();
    }
    return std::chrono::milliseconds(bytes / bytesPerMillisecond);
}

} // namespace

BlockingConnection::BlockingConnection(std::unique_ptr<QIODevice> device, QString peer, const resp::ReplyLimits &limits)
    : m_device(std::move(device))
    , m_peer(std::move(peer))
    , m_conversation(limits)
{}

BlockingConnection::~BlockingConnection() = default;

Result<void> BlockingConnection::send(std::span<const resp::Command> commands, QDeadlineTimer deadline)
{
    if (!isOpen())
        return end(ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "the connection is closed")));
    for (const resp::Command &command : commands)
        m_conversation.send(command);
    return write(deadline);
}

Result<void> BlockingConnection::write(QDeadlineTimer deadline)
{
    const QByteArray outgoing = m_conversation.takeOutgoing();
    for (qsizetype written = 0; written < outgoing.size();) {
        const qint64 count = m_device->write(outgoing.constData() + written, outgoing.size() - written);
        if (count < 0)
            return lose();
        written += count;
        // Qt's sockets only buffer the data; this call sends it.
        if ((count == 0 || m_device->bytesToWrite() > 0)
            && !m_device->waitForBytesWritten(base::millisecondsLeft(deadline)))
            return end(ErrorKind::TimedOut,
                       base::Text(QT_TRANSLATE_NOOP("core", "the command could not be sent in time")));
    }
    return {};
}

Result<resp::Replies> BlockingConnection::collect(QDeadlineTimer deadline)
{
    return collect(deadline, std::chrono::ceil<std::chrono::milliseconds>(deadline.remainingTimeAsDuration()));
}

/// Collects the replies. `totalTimeout`: time from the request to the deadline.
Result<resp::Replies> BlockingConnection::collect(QDeadlineTimer deadline, std::chrono::milliseconds totalTimeout)
{
    if (!isOpen())
        return end(ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "the connection is closed")));
    resp::Replies replies;
    std::array<char, 16 * 1024> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read().
    while (m_conversation.due() > 0) {
        // Read before waiting: a wait sees only data that arrives later.
        const qint64 count = m_device->read(buffer.data(), buffer.size());
        if (count < 0)
            return lose(std::move(replies));
        if (count > 0) {
            deadline += count / bytesPerMillisecond;
            const auto received = m_conversation.receive(QByteArrayView(buffer.data(), count), replies);
            if (!received)
                return end(received.error().kind, received.error().text);
            continue;
        }
        if (deadline.hasExpired())
            return end(ErrorKind::TimedOut, base::Text(QT_TRANSLATE_NOOP("core", "no answer within %1"),
                                                       base::formatDuration(totalTimeout)));
        m_device->waitForReadyRead(base::millisecondsLeft(deadline));
    }
    return replies;
}

Result<resp::Replies> BlockingConnection::execute(const resp::Commands &commands, std::chrono::milliseconds timeout)
{
    const auto totalTimeout = timeout + timeToSend(commands);
    const QDeadlineTimer deadline(totalTimeout, Qt::PreciseTimer);
    if (auto sent = send(commands, deadline); !sent)
        return base::failure(std::move(sent.error()));
    return collect(deadline, totalTimeout);
}

Result<resp::Reply> BlockingConnection::execute(const resp::Command &command, std::chrono::milliseconds timeout)
{
    const std::span commands(&command, 1);
    const auto totalTimeout = timeout + timeToSend(commands);
    const QDeadlineTimer deadline(totalTimeout, Qt::PreciseTimer);
    if (auto sent = send(commands, deadline); !sent)
        return base::failure(std::move(sent.error()));
    auto replies = collect(deadline, totalTimeout);
    if (!replies)
        return base::failure(std::move(replies.error()));
    return std::move(replies->front());
}

/// Ends the connection. Replies received before the end are still valid: a server at its client limit sends an error
/// and closes the connection.
tl::unexpected<base::Error> BlockingConnection::lose(resp::Replies replies)
{
    const QString why = m_device->errorString();
    std::array<char, 1024> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read().
    qint64 count = 0;
    while ((count = m_device->read(buffer.data(), buffer.size())) > 0) {
        const auto received = m_conversation.receive(QByteArrayView(buffer.data(), count), replies);
        if (!received && !resp::closingError(replies))
            return end(received.error().kind, received.error().text);
        if (!received)
            break;
    }
    if (const auto said = resp::closingError(replies))
        return end(said->kind, said->text);
    return end(ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "the connection was lost (%1)"), why));
}

tl::unexpected<base::Error> BlockingConnection::end(ErrorKind kind, const base::Text &reason)
{
    m_device.reset();
    return base::failure(kind, base::Text::about(m_peer, reason));
}

} // namespace latchkey::net
