#pragma once

#include "core/redis/resp/codec.h"
#include "tests/support/fakeserver.h"

#include <QHash>

#include <memory>

namespace latchkey::test {

/// A server that accepts its clients as Redis does. The test supplies all other replies. It is for programs that
/// connect over the loopback, in cases that a real server cannot produce on demand.
class FakeRedis final
{
public:
    /// Returns the bytes to send for a command. Empty: the command gets no reply.
    using Script = std::function<QByteArray(const QList<QByteArray> &command)>;

    explicit FakeRedis(Script script)
        : m_script(std::move(script))
        , m_server([this](QTcpSocket &client, const QByteArray &bytes) { read(client, bytes); })
    {}

    [[nodiscard]] QString url() const { return m_server.url(); }

private:
    void read(QTcpSocket &client, const QByteArray &bytes)
    {
        if (!m_readers.contains(&client))
            m_readers.insert(&client, std::make_shared<resp::ReplyReader>());
        resp::Replies parsed;
        if (bytes.isEmpty() || !m_readers[&client]->feed(bytes, parsed))
            return;
        for (const resp::Reply &array : parsed) {
            QList<QByteArray> command;
            for (const resp::Reply &word : array.elements())
                command += word.bytes();
            client.write(answerTo(command));
        }
    }
    [[nodiscard]] QByteArray answerTo(const QList<QByteArray> &command) const
    {
        const QByteArray name = command.front();
        if (name == "CLIENT" && command.value(1) == "SETNAME")
            return QByteArrayLiteral("+OK\r\n");
        if (name == "INFO")
            return QByteArrayLiteral("$0\r\n\r\n");
        return m_script(command);
    }

    const Script m_script;
    QHash<QTcpSocket *, std::shared_ptr<resp::ReplyReader>> m_readers;
    FakeServer m_server;
};

} // namespace latchkey::test
