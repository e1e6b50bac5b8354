#pragma once

#include "core/base/deadline.h"
#include "core/exchange/loopdriver.h"
#include "core/resp/session.h"
#include "core/server/privateserver.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::playground {

/// The private servers of a playground: the one that it always has, and up to four beside it, so that a recipe which
/// uses several can lose some.
///
/// Each can be killed, which empties it, started again where it was, and stopped for a while. What each has under a key
/// is asked by a connection of its own, and only when somebody wants to know. The first server is another's, and is not
/// owned; the others end with this object.
class Fleet final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Fleet)

public:
    static constexpr int most = 5;

    enum class State : quint8 {
        Starting,
        Up,
        Frozen, ///< Stopped: it answers nobody, and keeps what it has.
        Gone,   ///< Killed, and empty when it comes back.
    };
    Q_ENUM(State)

    /// What a server had under a key when it was last asked.
    struct Seen
    {
        bool exists = false;
        base::Deadline deadline = base::Deadline::never();
        QByteArray value; ///< Empty where it is no string.
    };

    /// Clock and random source are not owned.
    Fleet(const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~Fleet() override;

    /// The first server; null: it has gone. It must be ready, and stay until this
    /// is told of another.
    void setFirst(server::PrivateServer *first);
    /// How many there are to be, from 1 to most. Those that are too many end at once; sizeChanged() follows when those
    /// that are missing can be used.
    void setSize(int size);
    /// How many there are and can be, or could be, used.
    [[nodiscard]] int size() const { return m_size; }
    /// That were asked for: they may be starting.
    [[nodiscard]] int wanted() const { return m_wanted; }
    /// Of all that there are; none while there is no first.
    [[nodiscard]] std::vector<resp::Endpoint> endpoints() const;
    /// Of one that there is not, Starting: nothing can be done to it.
    [[nodiscard]] State state(int server) const;

    /// SIGKILL; only while it is Up or Frozen. Its clients lose their connections, and it has nothing any more.
    void crash(int server);
    /// Only while it is Gone.
    void restart(int server);
    /// SIGSTOP and SIGCONT; only while it is Up, and Frozen.
    void freeze(int server);
    void thaw(int server);

    /// Asks every server that is Up what it has under these keys, unless it is being asked already; looked() follows.
    void look(const std::vector<base::Key> &keys);
    /// Absent: it has not been asked for the key, or has not answered.
    [[nodiscard]] std::optional<Seen> seen(int server, const base::Key &key) const;

Q_SIGNALS:
    void sizeChanged();
    /// Its state.
    void changed(int server);
    void looked();
    /// One that was wanted could not be started.
    void failed(const latchkey::base::Error &error);

private:
    /// A server, and the connection for looking at it.
    struct Member
    {
        server::PrivateServer *server = nullptr;      // Not owned, or by the next.
        std::unique_ptr<server::PrivateServer> owned; ///< Null for the first.
        std::unique_ptr<resp::Session> session;       ///< Once it has started.
        std::unique_ptr<exchange::LoopDriver> driver;
        std::map<base::Key, Seen> seen;
        bool isBeingAsked = false;
        int lives = 0; ///< How often it has been killed. What one life has answered says nothing of the next.
    };

    void watch(int place);
    void connectTo(Member &member);
    void hasStarted(int place);
    void settle();
    [[nodiscard]] Member &member(int server) const { return *m_members.at(static_cast<std::size_t>(server)); }

    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    std::vector<std::unique_ptr<Member>> m_members;
    int m_wanted = 1;
    int m_size = 1;
};

} // namespace latchkey::playground
