#include "tests/support/devicepair.h"

#include <QPointer>

#include <cstring>

namespace latchkey::test {

PairDevice::PairDevice(QObject *parent)
    : QIODevice(parent)
{
    open(QIODevice::ReadWrite | QIODevice::Unbuffered);
}

PairDevice::~PairDevice()
{
    PairDevice::close();
}

std::pair<std::unique_ptr<PairDevice>, std::unique_ptr<PairDevice>> PairDevice::makePair()
{
    auto a = std::make_unique<PairDevice>();
    auto b = std::make_unique<PairDevice>();
    a->m_other = b.get();
    b->m_other = a.get();
    return {std::move(a), std::move(b)};
}

void PairDevice::close()
{
    if (!isOpen())
        return;
    QIODevice::close();
    if (PairDevice *other = std::exchange(m_other, nullptr)) {
        other->m_other = nullptr; // Cleared at once, because this end may be about to be destroyed.
        QMetaObject::invokeMethod(other, &PairDevice::otherEndClosed, Qt::QueuedConnection);
    }
}

void PairDevice::otherEndClosed()
{
    setErrorString(QStringLiteral("the other end was closed"));
    Q_EMIT readChannelFinished();
}

qint64 PairDevice::readData(char *data, qint64 maxSize)
{
    const qint64 size = std::min({maxSize, m_mostPerRead, static_cast<qint64>(m_incoming.size())});
    std::memcpy(data, m_incoming.constData(), static_cast<std::size_t>(size));
    m_incoming.remove(0, size);
    return size;
}

qint64 PairDevice::writeData(const char *data, qint64 size)
{
    if (m_other == nullptr)
        return -1;
    m_other->m_incoming.append(data, size);
    QMetaObject::invokeMethod(m_other, &QIODevice::readyRead, Qt::QueuedConnection);
    return size;
}

} // namespace latchkey::test
