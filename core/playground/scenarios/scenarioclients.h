#pragma once

#include "core/playground/playground/clientprocess.h"
#include "core/playground/scenarios/scenario.h"

namespace latchkey::scenarios {

/// The client processes of a story, with the known state of each: busy with an order, paused at a breakpoint, inside,
/// last answer.
///
/// A client is inside from its acquisition of a lock until it begins the release, reports the lock lost, or crashes. A
/// paused client stays inside. Owned by the player. The processes end with this object.
class ScenarioClients final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScenarioClients)

public:
    /// Creates the clients without processes. `program`: path of latchkey-cli.
    ScenarioClients(const QString &program, const QStringList &names, QObject *parent = nullptr);
    ~ScenarioClients() override;

    /// Starts the processes of all clients on these servers.
    void start(const std::vector<net::Endpoint> &servers);

    /// Gives the client an order, and sets its breakpoints. Error (Usage): the client's state does not allow the
    /// order.
    [[nodiscard]] base::Result<void> sendOrder(const QString &name, const playground::ClientOrder &order,
                                               const playground::ResumeOrder &hold);
    /// Resumes the client at its breakpoint, and sets the next breakpoints.
    void resume(const QString &name, const playground::ResumeOrder &hold);
    /// Sets how far the client's clock is ahead from now on. Has no effect on a dead client.
    void setClock(const QString &name, std::chrono::milliseconds ahead);
    /// Sends the signal to the client's process.
    void send(const QString &name, Signal signal);
    /// Drops the reply to the client's next request.
    void loseReply(const QString &name) { m_members[name].process->sendOrder(playground::LoseReplyOrder()); }
    /// Records the client's own statement of whether it is inside.
    void setInside(const QString &name, bool isInside) { m_members[name].isInside = isInside; }

    /// Lets all live clients connect to the server again; see isReconnected().
    void reconnect(int server);
    /// Returns whether every client has done so that is neither dead nor paused.
    [[nodiscard]] bool isReconnected() const;

    /// Returns whether the client has an order that is neither answered nor paused at a breakpoint.
    [[nodiscard]] bool isBusy(const QString &name) const;
    /// Returns whether the client is paused at a breakpoint.
    [[nodiscard]] bool isAtBreakpoint(const QString &name) const;
    /// Returns whether the last signal to the client's process has taken effect.
    [[nodiscard]] bool hasSignalTakenEffect(const QString &name) const;
    /// Returns the client's last answer; an empty report if it has not answered anything.
    [[nodiscard]] playground::ClientReport answer(const QString &name) const;
    /// Returns whether the client has reported Renewed or Lost since its last order.
    [[nodiscard]] bool hasReported(const QString &name, playground::ClientReport::Event event) const;

    /// Forgets the unsolicited reports of the client; see hasReported().
    void forgetReports(const QString &name) { m_members[name].unsolicited.clear(); }

    /// Returns the client's process, for an object that records its events.
    [[nodiscard]] playground::ClientProcess &process(const QString &name) { return *m_members.at(name).process; }
    [[nodiscard]] const QStringList &names() const { return m_names; }
    /// Returns the clients that are inside, in story order.
    [[nodiscard]] QStringList inside() const;
    /// Returns whether each client is alive and believes that it holds a lock.
    [[nodiscard]] std::map<QString, bool> beliefs() const;
    [[nodiscard]] std::map<QString, base::OwnerToken> tokens() const;

Q_SIGNALS:
    /// Emitted when all clients are ready for orders.
    void ready();
    /// Emitted when the result of any query above changes.
    void changed();
    void answered(const QString &name, const latchkey::playground::ClientReport &report);
    /// Emitted when the client has sent a command and received its reply.
    void commandLogged(const QString &name, const latchkey::playground::ClientReport &report);
    /// Emitted when the client's process ends unexpectedly.
    void died(const QString &name);

private:
    struct Member
    {
        std::unique_ptr<playground::ClientProcess> process;
        bool isAtOrder = false;
        bool isAtBreakpoint = false;
        bool isInside = false;
        bool isReconnecting = false;
        std::optional<Signal> signal; ///< The last signal sent.
        base::OwnerToken token;
        playground::ClientReport answer;
        QList<playground::ClientReport::Event> unsolicited;
    };

    [[nodiscard]] const Member &member(const QString &name) const { return m_members.at(name); }
    void processChanged(const QString &name);
    void receive(const QString &name, const playground::ClientReport &report);

    QStringList m_names; ///< In story order.
    std::map<QString, Member> m_members;
    bool m_isReady = false;
};

} // namespace latchkey::scenarios
