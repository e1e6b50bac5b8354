// The time for reading all keys of a server over the connection type of its URL. The program sends SCAN COUNT 1000 and
// the PTTLs of each batch over a connection on the event loop, like the scanner. Prints the seconds without the time
// for connecting.
//   bench-ways URL

#include "core/redis/net/dialer.h"

#include <QCoreApplication>

#include <chrono>
#include <cstdio>

using namespace latchkey;
using namespace std::chrono_literals;

namespace {

class Scan final
{
public:
    explicit Scan(std::unique_ptr<net::Connection> connection)
        : m_connection(std::move(connection))
    {
        batch("0");
    }

private:
    [[noreturn]] static void fail(const base::Error &error) { qFatal("%s", qPrintable(error.message())); }

    void batch(const QByteArray &cursor)
    {
        m_connection->send({{"SCAN", cursor, "COUNT", "1000"}}, 1min, m_connection.get(),
                           [this](const base::Result<net::Connection::Delivery> &delivery) {
                               if (!delivery)
                                   fail(delivery.error());
                               take(delivery->replies.front());
                           });
    }

    /// Sends the next SCAN before the PTTLs, so that the server always has work.
    void take(const resp::Reply &reply)
    {
        const QByteArray cursor = reply.elements().front().bytes();
        resp::Commands commands;
        for (const resp::Reply &key : reply.elements().back().elements())
            commands.push_back(resp::Command {"PTTL", key.bytes()});
        const bool isLast = cursor == "0";
        if (!isLast)
            batch(cursor);
        m_connection->send(commands, 1min, m_connection.get(),
                           [this, isLast](const base::Result<net::Connection::Delivery> &delivery) {
                               if (!delivery)
                                   fail(delivery.error());
                               m_keys += delivery->replies.size();
                               if (!isLast)
                                   return;
                               const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - m_start;
                               std::printf("%.6f\n", seconds.count());
                               std::fprintf(stderr, "%zu keys\n", m_keys);
                               QCoreApplication::quit();
                           });
    }

    const std::unique_ptr<net::Connection> m_connection;
    const std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::size_t m_keys = 0;
};

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    const auto endpoint = net::Endpoint::fromUrl(QString::fromLocal8Bit(argc > 1 ? argv[1] : ""));
    if (!endpoint)
        qFatal("%s", qPrintable(endpoint.error().message()));
    std::unique_ptr<Scan> scan;
    net::Dialer dialer(base::SystemClock::instance());
    dialer.dial(*endpoint, 30s, [&scan](base::Result<net::DialResult<net::Connection>> dialled) {
        if (!dialled)
            qFatal("%s", qPrintable(dialled.error().message()));
        scan = std::make_unique<Scan>(std::move(dialled->connection));
    });
    return QCoreApplication::exec();
}
