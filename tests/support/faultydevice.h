#pragma once

#include <QIODevice>

#include <memory>

namespace latchkey::test {

/// A device that wraps another device and breaks after a number of bytes. The next read or write then fails, and the
/// device reports its end, like a connection that is cut at that byte.
class FaultyDevice final : public QIODevice
{
    Q_OBJECT

public:
    static constexpr qint64 never = std::numeric_limits<qint64>::max();

    /// `readable`, `writable`: number of bytes that can be read and written before the device breaks.
    FaultyDevice(std::unique_ptr<QIODevice> inner, qint64 readable, qint64 writable = never);

    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] qint64 bytesAvailable() const override;
    bool waitForReadyRead(int msecs) override { return m_broken || m_inner->waitForReadyRead(msecs); }

protected:
    qint64 readData(char *data, qint64 maxSize) override;
    qint64 writeData(const char *data, qint64 size) override;

private:
    void cut();

    const std::unique_ptr<QIODevice> m_inner;
    qint64 m_readable;
    qint64 m_writable;
    bool m_broken = false;
};

} // namespace latchkey::test
