#pragma once

#include "core/foundation/base/error.h"

#include <QHostAddress>
#include <QTcpServer>

#include <functional>
#include <vector>

namespace latchkey::cli {

/// The address of the metrics server: `PORT`, `ADDRESS:PORT` or `[ADDRESS]:PORT`.
struct MetricsAddress
{
    QHostAddress address = QHostAddress::LocalHost;
    quint16 port = 0; ///< 0 for a free port.

    /// Parses an address. Without a host, it is the loopback address, which other machines cannot reach. Error: Usage,
    /// with the text.
    [[nodiscard]] static base::Result<MetricsAddress> parse(const QString &text);
};

/// An HTTP server for one text page, /metrics.
///
/// It supports GET and HEAD, and answers one request per connection. Slow connections are closed. At a loopback
/// address, a request for another host name is refused. Owned by the command. The page is generated for each request.
class MetricsServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MetricsServer)

public:
    explicit MetricsServer(std::function<QByteArray()> page, QObject *parent = nullptr);
    ~MetricsServer() override;

    /// Starts listening. Error: Local if the address cannot be used.
    [[nodiscard]] base::Result<void> listen(const MetricsAddress &metricsAddress);
    /// Returns the URL, such as `http://127.0.0.1:9121/metrics`.
    [[nodiscard]] QString url() const;

private:
    void accept();
    void read(QTcpSocket &socket);
    [[nodiscard]] bool isHostAllowed(const QByteArray &request) const;
    [[nodiscard]] QByteArray answerTo(const QByteArray &request) const;

    const std::function<QByteArray()> m_page;
    std::vector<QTcpSocket *> m_open; ///< Open connections, the oldest first. Children of m_server, which is destroyed
                                      ///< first.
    QTcpServer m_server;
};

} // namespace latchkey::cli
