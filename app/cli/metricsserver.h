#pragma once

#include "core/base/error.h"

#include <QHostAddress>
#include <QTcpServer>

#include <functional>
#include <vector>

namespace latchkey::cli {

/// Where metrics are served: `PORT`, `ADDRESS:PORT` or `[ADDRESS]:PORT`.
struct MetricsPlace
{
    QHostAddress address = QHostAddress::LocalHost;
    quint16 port = 0; ///< 0: one that is free.

    /// Without an address it is this machine's own, which nobody else can reach. Error: Usage, naming the text.
    [[nodiscard]] static base::Result<MetricsPlace> parse(const QString &text);
};

/// Serves one page of text, /metrics, over HTTP, to whatever collects it.
///
/// It knows GET and HEAD, answers one request on each connection, and closes those that take their time. At a
/// loopback address a request for another host name is refused.
/// Owned by the command; the page is made anew for each request.
class MetricsServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MetricsServer)

public:
    explicit MetricsServer(std::function<QByteArray()> page, QObject *parent = nullptr);
    ~MetricsServer() override;

    /// Error: Local, when the place cannot be had.
    [[nodiscard]] base::Result<void> listen(const MetricsPlace &place);
    /// `http://127.0.0.1:9121/metrics`
    [[nodiscard]] QString url() const;

private:
    void accept();
    void read(QTcpSocket &socket);
    [[nodiscard]] bool isForUs(const QByteArray &request) const;
    [[nodiscard]] QByteArray answerTo(const QByteArray &request) const;

    const std::function<QByteArray()> m_page;
    std::vector<QTcpSocket *> m_open; ///< The oldest first. They go with the server, which is destroyed before it.
    QTcpServer m_server;
};

} // namespace latchkey::cli
