#pragma once

#include "core/foundation/base/random.h"
#include "core/redis/net/session.h"

#include <QObject>

#include <chrono>
#include <memory>

namespace latchkey::ui::connections {

/// A test of a connection to a server with the steps of a real connection: name lookup, TLS, password and first
/// commands. The test then requests the role of the server, the rights of the user, and the events of the keys.
///
/// Owned by the dialog that shows the result. Clock and random source are not owned. It changes nothing on the server
/// and saves nothing.
class ConnectionTest final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ConnectionTest)

public:
    ConnectionTest(const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~ConnectionTest() override;

    /// Tests an endpoint with its passwords.
    void start(const net::Endpoint &endpoint);
    /// Tests an endpoint with the passwords that the keychain has for a saved connection. The keychain may ask the user
    /// to unlock it first.
    void startWithKeychain(const QString &savedName, const net::Endpoint &endpoint);
    /// Ends a running test with an empty result.
    void stop();
    /// Forgets a running test and the server of the last one, without a signal.
    void reset();
    /// Returns whether a connection is being tested.
    [[nodiscard]] bool isRunning() const { return m_session != nullptr; }
    /// Returns the self-description of the last tested server; empty before.
    [[nodiscard]] const resp::ServerInfo &server() const { return m_server; }

Q_SIGNALS:
    /// Emitted with the current step, for users.
    void progressed(const QString &step);
    /// Emitted at the end, also if the keychain fails. `tone`: style sheet property of the result; empty for a stopped
    /// test.
    void ended(const QString &result, const QString &tone);

private:
    void check(std::chrono::nanoseconds roundTrip);
    void end(const QString &result, const QString &tone);

    const base::Clock &m_clock;
    base::RandomSource &m_random;
    std::unique_ptr<net::Session> m_session; ///< Session of a running test.
    resp::ServerInfo m_server;
    int m_asked = 0; ///< Number of requests to the keychain; replies to earlier requests are ignored.
};

} // namespace latchkey::ui::connections
