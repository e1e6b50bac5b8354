#pragma once

#include "tests/support/fakeredis.h"
#include "tests/support/testserver.h"

#include <QLocalSocket>

namespace latchkey::test {

/// A fault of a server, and what latchkey-cli has to make of it: the exit code of each command, and a sentence.
///
/// A fault is of a real server (the default), of a FakeRedis (script), of a StrangeServer (conduct), or of an address
/// without a server (url). A value; a FaultyServer brings it about.
struct Fault
{
    /// Page of `watch --metrics`.
    enum class Page : quint8 {
        Blind,   ///< `latchkey_up 0` and coverage that is not complete, until the command is told to stop.
        Partial, ///< `latchkey_up 1` and coverage that is not complete.
        Seeing,  ///< `latchkey_up 1` and complete coverage.
        Ended,   ///< The command ends without a connection.
    };
    using Condition = bool (*)(TestServer &server);

    const char *name = "";
    QStringList arguments {};                  ///< Of the real server.
    std::vector<resp::Command> before {};      ///< For the real server, before it gets its keys.
    Condition isReady = nullptr;               ///< Holds before it gets its keys.
    std::vector<resp::Command> preparation {}; ///< For the real server with its keys.
    const char *raw = nullptr;                 ///< Sent last; its reply is not awaited.
    Condition isThere = nullptr;               ///< Holds as soon as the fault is there; absent: at once.
    bool isFrozen = false;                     ///< The real server is stopped at last.
    FakeRedis::Script script {};
    StrangeServer::Conduct conduct {};
    const char *scheme = nullptr;   ///< Of the address over TCP, such as `rediss`; absent: as the server has it.
    const char *addition = "";      ///< Behind the address: the database.
    const char *password = nullptr; ///< That the user gives.
    const char *url = nullptr;
    const char *sentence = ""; ///< Regular expression; matches the messages of each command that exits 3.
    int ls = 3;
    int acquire = 0;
    int run = 0;
    int watch = 3;
    int expect = 0;
    int why = 3;
    Page page = Page::Blind;
    bool isListed = false; ///< `ls` prints its array beside its coverage.
};

/// No command gets as far as a question.
[[nodiscard]] std::vector<Fault> faultsOfConnecting();
/// The server's ACL refuses some commands or keys.
[[nodiscard]] std::vector<Fault> faultsOfPermission();
/// The server is in a state in which it refuses or is slow.
[[nodiscard]] std::vector<Fault> faultsOfState();
/// The server answers what no Redis answers.
[[nodiscard]] std::vector<Fault> faultsOfReplies();
/// The server does not answer, or too slowly.
[[nodiscard]] std::vector<Fault> faultsOfSilence();
/// The server lets its clients in, and does not answer some of their questions.
[[nodiscard]] std::vector<Fault> faultsOfMissingReplies();

/// A server with a fault. The real one has two locks, `lock:a` with a lease of an hour and `lock:b` without one.
///
/// Aborts the test program if the fault cannot be brought about. Owned by the test, whose event loop serves the clients
/// of the servers that are not real.
class FaultyServer final
{
public:
    explicit FaultyServer(const Fault &fault);
    ~FaultyServer();
    Q_DISABLE_COPY_MOVE(FaultyServer)

    [[nodiscard]] QString url() const { return m_url; }

private:
    void start(const Fault &fault);

    std::unique_ptr<FakeRedis> m_fake;
    std::unique_ptr<StrangeServer> m_strange;
    std::unique_ptr<TestServer> m_server;
    QLocalSocket m_raw;
    QString m_url;
};

} // namespace latchkey::test
