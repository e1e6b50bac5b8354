#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/net/endpoint.h"

#include <QDeadlineTimer>
#include <QIODevice>

#include <memory>
#include <vector>

namespace latchkey::net {

/// A device for a connected socket, for callers that wait: no event loop, no buffers, no notifiers.
///
/// Qt's sockets keep a buffer and a state machine for the event loop. Without an event loop these are unused, and take
/// a tenth of the time of a lock cycle. This class uses recv(), send() and poll(). A wait for data yields the processor
/// for up to 50 µs before it sleeps. A local server often replies within the time of a sleep and wake-up. Owns its
/// descriptor. For BlockingConnection; on the event loop, Qt's sockets are used.
class DescriptorDevice final : public QIODevice
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DescriptorDevice)

public:
    /// Connects before the deadline; resolving the name may take longer. The error (Unreachable) names the endpoint.
    [[nodiscard]] static base::Result<std::unique_ptr<DescriptorDevice>> connectTo(const Endpoint &endpoint,
                                                                                   QDeadlineTimer deadline);

    /// `descriptor`: a connected stream socket, which this object closes.
    explicit DescriptorDevice(int descriptor);
    ~DescriptorDevice() override;

    /// Releases the descriptor to the caller; the device cannot be used afterwards.
    [[nodiscard]] int takeDescriptor();

    [[nodiscard]] bool isSequential() const override { return true; }
    /// Returns true as soon as a read does not block, also at the end of the stream. Returns false after `msecs` (-1:
    /// never).
    bool waitForReadyRead(int msecs) override;
    /// Returns true as soon as a write accepts data. Returns false after `msecs` (-1: never).
    bool waitForBytesWritten(int msecs) override;

protected:
    /// Reads the data that has arrived. Returns -1 at the end of the stream and on errors, 0 if no data has arrived
    /// yet.
    qint64 readData(char *data, qint64 maxSize) override;
    /// Writes what the socket accepts at once, which may be nothing; returns -1 on errors.
    qint64 writeData(const char *data, qint64 size) override;

private:
    int m_descriptor; ///< -1 after takeDescriptor().
};

/// A connection attempt that starts at once and is waited for later, so that several attempts run in parallel. The
/// constructor resolves the name, which may block. Owns its socket.
class PendingDevice final
{
public:
    explicit PendingDevice(Endpoint endpoint);
    ~PendingDevice();
    Q_DISABLE_COPY(PendingDevice)
    PendingDevice(PendingDevice &&other) noexcept;
    PendingDevice &operator=(PendingDevice &&) = delete;

    /// Waits for the connection. Error (Unreachable): refused, or not established by the deadline. To be called once.
    [[nodiscard]] base::Result<std::unique_ptr<DescriptorDevice>> finish(QDeadlineTimer deadline);

private:
    struct Address;

    void begin();
    void closeDescriptor();

    Endpoint m_endpoint;
    std::vector<Address> m_untried; ///< Remaining addresses of the name.
    int m_descriptor = -1;          ///< Connected or connecting; -1 after a failure.
    bool m_isUnderWay = false;      ///< Whether the connection is being established.
    QString m_failure;              ///< Error of the last address.
};

} // namespace latchkey::net
