#pragma once

#include "tests/support/fakeredis.h"
#include "tests/support/testserver.h"

#include <QLocalSocket>

namespace latchkey::test {

/// A fault of a server, with the expected exit code of each latchkey-cli command and the expected message.
///
/// The fault concerns a real server (the default), a FakeRedis (script), a FakeServer (conduct), or an address
/// without a server (url). A value type; a FaultyServer produces the fault.
struct Fault
{
    /// The page of `watch --metrics`.
    enum class Page : quint8 {
        Blind,   ///< `latchkey_up 0` and incomplete coverage until the command is stopped.
        Partial, ///< `latchkey_up 1` and incomplete coverage.
        Seeing,  ///< `latchkey_up 1` and complete coverage.
        Ended,   ///< The command ends without a connection.
    };
    using Condition = bool (*)(TestServer &server);

    const char *name = "";
    QStringList arguments {};                  ///< Arguments of the real server.
    std::vector<resp::Command> before {};      ///< Commands for the real server, before it receives its keys.
    Condition isReady = nullptr;               ///< Awaited before the real server receives its keys.
    std::vector<resp::Command> preparation {}; ///< Commands for the real server with its keys.
    const char *raw = nullptr;                 ///< Command sent last, without waiting for its reply.
    Condition exists = nullptr;                ///< Awaited until the fault is present; null: present at once.
    bool isFrozen = false;                     ///< Freezes the real server as the last step.
    FakeRedis::Script script {};
    FakeServer::Behaviour conduct {};
    const char *scheme = nullptr;   ///< Scheme of the address over TCP, such as `rediss`; null: the server's own.
    const char *addition = "";      ///< Suffix of the address: the database.
    const char *password = nullptr; ///< Password given by the user.
    const char *url = nullptr;
    const char *sentence = ""; ///< Regular expression that matches the messages of each command with exit code 3.
    int ls = 3;
    int acquire = 0;
    int run = 0;
    int watch = 3;
    int expect = 0;
    int why = 3;
    Page page = Page::Blind;
    bool isListed = false; ///< `ls` prints its array in addition to its coverage.

    /// Returns whether the fault is a refusal by the server's ACL.
    [[nodiscard]] bool isOfPermission() const { return QByteArrayView(name).startsWith("NOPERM"); }
};

/// Returns faults that end every connection before the first request.
[[nodiscard]] std::vector<Fault> faultsOfConnecting();
/// Returns faults in which the server's ACL refuses some commands or keys.
[[nodiscard]] std::vector<Fault> faultsOfPermission();
/// Returns faults in which the server's state makes it refuse commands or reply slowly.
[[nodiscard]] std::vector<Fault> faultsOfState();
/// Returns faults with replies that no Redis sends.
[[nodiscard]] std::vector<Fault> faultsOfReplies();
/// Returns faults in which the server does not reply, or replies too slowly.
[[nodiscard]] std::vector<Fault> faultsOfSilence();
/// Returns faults in which the server accepts connections but does not reply to some requests.
[[nodiscard]] std::vector<Fault> faultsOfMissingReplies();

/// A server with a fault. A real server has two locks: `lock:a` with a lease of one hour, and `lock:b` without a lease.
///
/// Aborts the test program if the fault cannot be produced. Owned by the test. The test's event loop serves the clients
/// of FakeRedis and FakeServer.
class FaultyServer final
{
public:
    explicit FaultyServer(const Fault &fault);
    ~FaultyServer();
    Q_DISABLE_COPY_MOVE(FaultyServer)

    [[nodiscard]] QString url() const { return m_url; }
    /// Ends the fault: the address serves both locks. A fake server is replaced by a real one. Returns false for faults
    /// of the address, a pause of all commands, and a user without any permission, which last.
    [[nodiscard]] bool end(const Fault &fault);

private:
    void start(const Fault &fault);
    void fill();

    std::unique_ptr<FakeRedis> m_fake;
    std::unique_ptr<FakeServer> m_strange;
    std::unique_ptr<TestServer> m_server;
    QLocalSocket m_raw;
    QString m_url;
};

} // namespace latchkey::test
