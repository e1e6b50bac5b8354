#pragma once

#include "core/resp/codec.h"

#include <QIODevice>
#include <QObject>

#include <functional>
#include <memory>

namespace latchkey::test {

/// The server's end of a device pair: reads commands, keeps them, and answers with the bytes that the test wants.
///
/// A double for the network's edge: for what a real server cannot be made to do at will, such as answering twice.
class ScriptedServer final : public QObject
{
    Q_OBJECT

public:
    /// Gives the bytes to send for a command; nothing leaves it unanswered.
    using Script = std::function<QByteArray(const QList<QByteArray> &command)>;

    ScriptedServer(std::unique_ptr<QIODevice> device, Script script);

    [[nodiscard]] const QList<QList<QByteArray>> &commands() const { return m_commands; }
    [[nodiscard]] QIODevice &device() { return *m_device; }

private:
    void read();

    const std::unique_ptr<QIODevice> m_device;
    const Script m_script;
    resp::ReplyReader m_reader; // A command has the shape of a reply: an array of bulk strings.
    QList<QList<QByteArray>> m_commands;
};

} // namespace latchkey::test
