#pragma once

#include "core/foundation/base/deadline.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"
#include "core/redis/privateserver/privateserver.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::playground {

/// The private servers of a playground: one permanent server and up to four more, so that a recipe for several servers
/// can lose some.
///
/// Each server can be killed, which removes its data, restarted at the same address, and suspended. The content of keys
/// is read through separate connections, only on request. The first server is not owned; the others end with this
/// object.
class ServerPool final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerPool)

public:
    static constexpr int maxServers = 5;

    enum class State : quint8 {
        Starting,
        Up,
        Suspended, ///< Stopped: it does not reply, and keeps its data.
        Gone,      ///< Killed: it is empty after a restart.
    };
    Q_ENUM(State)

    /// The content of a key on a server at the last readKeys().
    struct KeyContent
    {
        bool exists = false;
        base::Deadline deadline = base::Deadline::never();
        QByteArray value; ///< Empty if the key does not hold a string, or its value cannot be read.
        std::optional<base::Error> valueRefusal {}; ///< Error reply to the read of the value, other than that of the
                                                    ///< type.
    };

    /// Clock and random source are not owned.
    ServerPool(const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~ServerPool() override;

    /// Sets the first server; null: it is gone. The server must be ready, and must exist until the next call.
    void setFirst(privateserver::PrivateServer *first);
    /// Sets the number of servers, from 1 to maxServers. Surplus servers end at once. sizeChanged() is emitted when all
    /// servers of the new size are ready.
    void setSize(int size);
    /// Returns the number of servers that are, or were, ready for use.
    [[nodiscard]] int size() const { return m_size; }
    /// Returns the requested number of servers; some may still be starting.
    [[nodiscard]] int wanted() const { return m_wanted; }
    /// Returns the addresses of all servers; empty while there is no first server.
    [[nodiscard]] std::vector<net::Endpoint> endpoints() const;
    /// Returns the state of a server; `Starting` for an index that does not exist.
    [[nodiscard]] State state(int server) const;

    /// Kills a server with SIGKILL; only while it is Up or Suspended. Its clients lose their connections, and its data
    /// is lost.
    void crash(int server);
    /// Restarts a server; only while it is Gone.
    void restart(int server);
    /// Suspends (SIGSTOP) a server that is Up; resume() continues (SIGCONT) one that is Suspended.
    void suspend(int server);
    void resume(int server);

    /// Deletes a key on every server that is Up and connected. Emits removed() after each reply or failure.
    void remove(const base::Key &key);
    /// Returns whether a reply to remove() is pending.
    [[nodiscard]] bool isRemoving() const;

    /// Reads these keys from every server that is Up and has no pending read. Emits keysRead() for each of these
    /// servers after its reply or failure.
    void readKeys(const std::vector<base::Key> &keys);
    /// Returns the content of a key at the last readKeys(). Absent if the server was not asked, has not replied, or was
    /// killed or suspended since.
    [[nodiscard]] std::optional<KeyContent> contentOf(int server, const base::Key &key) const;
    /// Returns the error with which a server answered the last readKeys(). Absent if it succeeded or was not answered.
    [[nodiscard]] std::optional<base::Error> refusal(int server) const;

Q_SIGNALS:
    void sizeChanged();
    /// Emitted when the state of a server changes.
    void changed(int server);
    void keysRead();
    /// Emitted after remove(), for each server.
    void removed();
    /// Emitted when a requested server cannot be started.
    void failed(const latchkey::base::Error &error);

private:
    /// A server and its connection for readKeys().
    struct Member
    {
        privateserver::PrivateServer *server = nullptr;      // Not owned, or the object in `owned`.
        std::unique_ptr<privateserver::PrivateServer> owned; ///< Null for the first server.
        std::unique_ptr<net::Session> session;               ///< Null until the server has started.
        std::unique_ptr<exchange::LoopDriver> driver;
        std::map<base::Key, KeyContent> contents;
        std::optional<base::Error> refusal; ///< Error reply to the last request.
        bool isRequestPending = false;
        int removals = 0; ///< Number of pending replies to remove().
        int killCount =
            0; ///< Number of times the server was killed. A reply to a request from before a kill is ignored.
    };

    void watch(int index);
    void connectTo(Member &member);
    void hasStarted(int index);
    void settle();
    void forgetContent(int server);
    [[nodiscard]] Member &member(int server) const { return *m_members.at(static_cast<std::size_t>(server)); }

    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    std::vector<std::unique_ptr<Member>> m_members;
    int m_wanted = 1;
    int m_size = 1;
};

} // namespace latchkey::playground
