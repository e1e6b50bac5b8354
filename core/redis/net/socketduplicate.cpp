#include "core/redis/net/socketduplicate.h"

#include <QLocalSocket>
#include <QNetworkProxy>
#include <QSslSocket>
#include <QTcpSocket>

#include <array>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace latchkey::net {

namespace {

constexpr std::size_t bufferSize = 16UL * 1024;

qintptr descriptorOf(const QIODevice &device)
{
    if (const auto *local = qobject_cast<const QLocalSocket *>(&device))
        return local->socketDescriptor();
    const auto *tcp = qobject_cast<const QTcpSocket *>(&device);
    return tcp == nullptr || tcp->proxy().type() != QNetworkProxy::NoProxy ? -1 : tcp->socketDescriptor();
}

} // namespace

SocketDuplicate::SocketDuplicate(const QIODevice &device)
    : m_isEncrypted(qobject_cast<const QSslSocket *>(&device) != nullptr)
    , m_descriptor(-1)
{
    if (const qintptr descriptor = descriptorOf(device); descriptor >= 0)
        m_descriptor = ::fcntl(static_cast<int>(descriptor), F_DUPFD_CLOEXEC, 3); // NOLINT(*-vararg)
}

SocketDuplicate::~SocketDuplicate()
{
    close();
}

bool SocketDuplicate::hasArrived() const
{
    char first = 0;
    return m_descriptor >= 0 && ::recv(m_descriptor, &first, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

QByteArray SocketDuplicate::readArrived() const
{
    if (m_descriptor < 0 || m_isEncrypted)
        return {};
    QByteArray arrived;
    std::array<char, bufferSize> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv().
    ssize_t count = 0;
    while ((count = ::recv(m_descriptor, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0)
        arrived.append(buffer.data(), count);
    return arrived;
}

void SocketDuplicate::close()
{
    if (const int descriptor = std::exchange(m_descriptor, -1); descriptor >= 0)
        ::close(descriptor);
}

} // namespace latchkey::net
