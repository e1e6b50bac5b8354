#include "tests/support/scriptedserver.h"

namespace latchkey::test {

ScriptedServer::ScriptedServer(std::unique_ptr<QIODevice> device, Script script)
    : m_device(std::move(device))
    , m_script(std::move(script))
{
    connect(m_device.get(), &QIODevice::readyRead, this, &ScriptedServer::read);
}

void ScriptedServer::read()
{
    if (!m_device->isOpen())
        return; // The test has closed the device; the client's last bytes are not read.
    resp::Replies parsed;
    if (!m_reader.feed(m_device->readAll(), parsed))
        qFatal("the client sent bytes that are not RESP");
    for (const resp::Reply &array : parsed) {
        QList<QByteArray> command;
        for (const resp::Reply &word : array.elements())
            command += word.bytes();
        m_commands += command;
        if (const QByteArray answer = m_script(command); !answer.isEmpty())
            m_device->write(answer);
    }
}

} // namespace latchkey::test
