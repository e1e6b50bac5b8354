#pragma once

#include "core/base/error.h"
#include "core/resp/endpoint.h"

#include <QDeadlineTimer>
#include <QIODevice>

#include <memory>
#include <vector>

namespace latchkey::resp {

/// A connected socket as a device for callers that wait: no event loop, no buffers, no notifiers.
///
/// Qt's sockets keep a buffer and a state machine for the event loop, which costs a tenth of a lock cycle when nobody
/// uses it. This one is read(), write() and poll(). Before it sleeps it yields for a moment: a local server often
/// answers within the time that going to sleep and waking would take.
/// Owns its descriptor. Serves BlockingConnection; on the event loop use Qt's sockets.
class DescriptorDevice final : public QIODevice
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DescriptorDevice)

public:
    /// A connection established before the deadline; finding a name's address may take longer. The error
    /// (Unreachable) names the endpoint.
    [[nodiscard]] static base::Result<std::unique_ptr<DescriptorDevice>> connectTo(const Endpoint &endpoint,
                                                                                   QDeadlineTimer deadline);

    /// descriptor: a connected stream socket, which this object closes.
    explicit DescriptorDevice(int descriptor);
    ~DescriptorDevice() override;

    /// The descriptor, which from then on is the caller's; this device is of no more use.
    [[nodiscard]] int takeDescriptor();

    [[nodiscard]] bool isSequential() const override { return true; }
    /// True as soon as a read will not block, which includes the end of the stream; false after msecs (-1: never).
    bool waitForReadyRead(int msecs) override;
    /// True as soon as a write will take something; false after msecs (-1: never).
    bool waitForBytesWritten(int msecs) override;

protected:
    /// -1 at the end of the stream and on errors, 0 where nothing has come yet.
    qint64 readData(char *data, qint64 maxSize) override;
    /// Writes what the socket takes at once, which may be nothing; -1 on errors.
    qint64 writeData(const char *data, qint64 size) override;

private:
    int m_descriptor; ///< -1 where it has been taken.
};

/// A connection that is being made: begun at once, waited for later, so that several are made side by side.
/// Owns what it has begun.
class Connecting final
{
public:
    explicit Connecting(Endpoint endpoint);
    ~Connecting();
    Q_DISABLE_COPY(Connecting)
    Connecting(Connecting &&other) noexcept;
    Connecting &operator=(Connecting &&) = delete;

    /// Waits for it. Error (Unreachable): refused, or not there by the deadline. Once only.
    [[nodiscard]] base::Result<std::unique_ptr<DescriptorDevice>> finish(QDeadlineTimer deadline);

private:
    struct Address;

    void begin();
    void closeDescriptor();

    Endpoint m_endpoint;
    std::vector<Address> m_untried; ///< Of the name's addresses.
    int m_descriptor = -1;          ///< Connected or connecting; -1 after a failure.
    bool m_isUnderWay = false;      ///< Connecting.
    QString m_failure;              ///< Of the last address tried.
};

} // namespace latchkey::resp
