#include "tests/support/faultydevice.h"

namespace latchkey::test {

FaultyDevice::FaultyDevice(std::unique_ptr<QIODevice> inner, qint64 readable, qint64 writable)
    : m_inner(std::move(inner))
    , m_readable(readable)
    , m_writable(writable)
{
    connect(m_inner.get(), &QIODevice::readyRead, this, &QIODevice::readyRead);
    connect(m_inner.get(), &QIODevice::readChannelFinished, this, [this] {
        setErrorString(m_inner->errorString());
        Q_EMIT readChannelFinished();
    });
    open(QIODevice::ReadWrite | QIODevice::Unbuffered);
}

qint64 FaultyDevice::bytesAvailable() const
{
    return m_broken ? 0 : std::min(m_inner->bytesAvailable(), m_readable);
}

void FaultyDevice::cut()
{
    if (m_broken)
        return;
    m_broken = true;
    setErrorString(QStringLiteral("the connection was cut"));
    QMetaObject::invokeMethod(this, &QIODevice::readChannelFinished, Qt::QueuedConnection);
}

qint64 FaultyDevice::readData(char *data, qint64 maxSize)
{
    if (m_broken || !m_inner->isOpen())
        return -1;
    const qint64 read = m_inner->read(data, std::min(maxSize, m_readable));
    m_readable -= std::max<qint64>(read, 0);
    if (m_readable == 0)
        cut();
    return read;
}

qint64 FaultyDevice::writeData(const char *data, qint64 size)
{
    if (m_broken)
        return -1;
    const qint64 written = m_inner->write(data, std::min(size, m_writable));
    m_writable -= std::max<qint64>(written, 0);
    if (m_writable == 0)
        cut();
    return size;
}

} // namespace latchkey::test
