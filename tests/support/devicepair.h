#pragma once

#include <QIODevice>

#include <memory>

namespace latchkey::test {

/// One end of an in-memory connection. The other end can read the written bytes at once, or a few bytes at a time if
/// setMostPerRead() was called. Closing one end finishes the other end, as with sockets.
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

    /// Limits each read to this many bytes, even if more are available.
    void setMostPerRead(qint64 bytes) { m_mostPerRead = bytes; }

    [[nodiscard]] static std::pair<std::unique_ptr<PairDevice>, std::unique_ptr<PairDevice>> makePair();

protected:
    qint64 readData(char *data, qint64 maxSize) override;
    qint64 writeData(const char *data, qint64 size) override;

private:
    void otherEndClosed();

    PairDevice *m_other = nullptr; // Not owned; null once it is closed.
    QByteArray m_incoming;
    qint64 m_mostPerRead = std::numeric_limits<qint64>::max();
};

} // namespace latchkey::test
