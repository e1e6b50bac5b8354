#pragma once

#include <QIODevice>

#include <memory>

namespace latchkey::test {

/// One end of an in-memory connection: what is written here can be read at the other end, at once or, where a share is
/// set, a few bytes at a time. Closing one end finishes the other, as sockets do.
class PairDevice final : public QIODevice
{
    Q_OBJECT

public:
    explicit PairDevice(QObject *parent = nullptr);
    ~PairDevice() override;

    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] qint64 bytesAvailable() const override { return m_incoming.size() + QIODevice::bytesAvailable(); }
    void close() override;
    bool waitForReadyRead(int) override { return !m_incoming.isEmpty(); }

    /// A read gives at most this many bytes, however many there are.
    void setMostPerRead(qint64 bytes) { m_mostPerRead = bytes; }

    [[nodiscard]] static std::pair<std::unique_ptr<PairDevice>, std::unique_ptr<PairDevice>> makePair();

protected:
    qint64 readData(char *data, qint64 maxSize) override;
    qint64 writeData(const char *data, qint64 size) override;

private:
    void otherEndClosed();

    PairDevice *m_other = nullptr; // Not owned; null once it is gone.
    QByteArray m_incoming;
    qint64 m_mostPerRead = std::numeric_limits<qint64>::max();
};

} // namespace latchkey::test
