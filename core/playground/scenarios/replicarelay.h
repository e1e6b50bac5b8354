#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/net/endpoint.h"

#include <QObject>

#include <memory>

class QTcpServer;
class QTcpSocket;

namespace latchkey::scenarios {

/// A TCP listener on the loopback address, through which a replica reaches its primary.
///
/// A replica connects to its primary by TCP only, and a private server has only a Unix socket. The kernel chooses the
/// port. The relay connects to the primary only after the replica has sent the user name and the password of a replica,
/// so it gives no other process of the machine access to the primary. Owned by the servers of a story. The relay ends
/// with its process.
class ReplicaRelay final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReplicaRelay)

public:
    /// `primary`: its Unix socket. `user`, `password`: the expected `masteruser` and `masterauth` of the replica.
    ReplicaRelay(QString primary, const QByteArray &user, const QByteArray &password, QObject *parent = nullptr);
    ~ReplicaRelay() override;

    /// Starts to listen. Error: Local.
    [[nodiscard]] base::Result<void> listen();
    /// Returns the port; 0 unless the relay listens.
    [[nodiscard]] quint16 port() const;
    /// Ends all connections, and accepts none from now on.
    void cutOff();

private:
    void accept(QTcpSocket *replica);

    const QString m_primary;
    const QByteArray m_login; ///< The request by which a replica logs in.
    std::unique_ptr<QTcpServer> m_server;
};

} // namespace latchkey::scenarios
