#pragma once

#include "core/playground/clientprocess.h"
#include "core/stage/toldstory.h"

namespace latchkey::stage {

/// The clients of a story, each a process, and what is known of each: whether it is at an order, held before a command,
/// inside, and what it answered last.
///
/// Inside is who has acquired a lock, until it starts to release it, loses it by its own lights, or crashes. A client
/// that is asleep stays inside. Owned by the player; the processes end with this object.
class Cast final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Cast)

public:
    /// program: latchkey-cli.
    Cast(const QString &program, const QStringList &names, QObject *parent = nullptr);
    ~Cast() override;

    void start(const std::vector<resp::Endpoint> &servers);

    /// Gives the client an order, and has it held as it is told. Error (Usage): it is not in a state to be told that.
    [[nodiscard]] base::Result<void> tell(const QString &name, const playground::ClientOrder &order,
                                          const playground::GoOrder &hold);
    void goOn(const QString &name, const playground::GoOrder &hold);
    /// By how much its clock is ahead from now on. Of one that is dead, nothing happens.
    void setClock(const QString &name, std::chrono::milliseconds ahead);
    void send(const QString &name, Signal signal);
    /// The reply to what it sends next never reaches it.
    void loseReply(const QString &name) { m_members[name].process->tell(playground::LoseReplyOrder()); }
    /// By its own word.
    void setInside(const QString &name, bool isInside) { m_members[name].isInside = isInside; }

    /// It has been given an order and has neither answered nor is it held.
    [[nodiscard]] bool isAtWork(const QString &name) const;
    [[nodiscard]] bool isHeld(const QString &name) const;
    /// Whether the last signal has come about.
    [[nodiscard]] bool hasHeeded(const QString &name) const;
    /// What it answered last; of one that has not answered anything, an empty report.
    [[nodiscard]] playground::ClientReport answer(const QString &name) const;
    /// Renewed or Lost, since the client was last told something.
    [[nodiscard]] bool hasReported(const QString &name, playground::ClientReport::Event event) const;

    void forgetReports(const QString &name) { m_members[name].ofItself.clear(); }

    /// For who writes down what it does.
    [[nodiscard]] playground::ClientProcess &process(const QString &name) { return *m_members.at(name).process; }
    [[nodiscard]] const QStringList &names() const { return m_names; }
    [[nodiscard]] QStringList inside() const;
    [[nodiscard]] std::map<QString, bool> beliefs() const;
    [[nodiscard]] std::map<QString, base::OwnerToken> tokens() const;

Q_SIGNALS:
    /// All of them wait for orders.
    void ready();
    /// Anything of what is asked above.
    void changed();
    void answered(const QString &name, const latchkey::playground::ClientReport &report);
    /// It has sent a command and has its reply.
    void wired(const QString &name, const latchkey::playground::ClientReport &report);
    /// Its process has ended, and nobody has told it to.
    void died(const QString &name);

private:
    struct Member
    {
        std::unique_ptr<playground::ClientProcess> process;
        bool isAtOrder = false;
        bool isHeld = false;
        bool isInside = false;
        std::optional<Signal> signal; ///< The last one.
        base::OwnerToken token;
        playground::ClientReport answer;
        QList<playground::ClientReport::Event> ofItself;
    };

    [[nodiscard]] const Member &member(const QString &name) const { return m_members.at(name); }
    void processChanged(const QString &name);
    void hear(const QString &name, const playground::ClientReport &report);

    QStringList m_names; ///< In the story's order.
    std::map<QString, Member> m_members;
    bool m_isReady = false;
};

} // namespace latchkey::stage
