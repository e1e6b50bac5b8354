#pragma once

#include "core/redis/resp/codec.h"

#include <QIODevice>
#include <QObject>

#include <functional>
#include <memory>

namespace latchkey::test {

/// The server's end of a device pair: it reads and stores commands, and sends the replies that the test supplies.
///
/// A test double for the network. It covers cases that a real server cannot produce on demand, such as two replies to
/// one command.
class ScriptedServer final : public QObject
{
    Q_OBJECT

public:
    /// Returns the bytes to send for a command. Empty: the command gets no reply.
    using Script = std::function<QByteArray(const QList<QByteArray> &command)>;

    ScriptedServer(std::unique_ptr<QIODevice> device, Script script);

    [[nodiscard]] const QList<QList<QByteArray>> &commands() const { return m_commands; }
    [[nodiscard]] QIODevice &device() { return *m_device; }

private:
    void read();

    const std::unique_ptr<QIODevice> m_device;
    const Script m_script;
    resp::ReplyReader m_reader; // A command has the format of a reply: an array of bulk strings.
    QList<QList<QByteArray>> m_commands;
};

} // namespace latchkey::test
