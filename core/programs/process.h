#pragma once

#include "core/children/child.h"
#include "core/children/warden.h"
#include "core/programs/program.h"
#include "core/programs/proxy.h"

namespace latchkey::programs {

/// One process of a program, from its start on, with the server that it believes to have.
///
/// It stands still wherever it waits for a reply, for as long as one likes: settle() brings it to such a point. Ends
/// with this process, also where that is killed. Owned by the Behaviour.
class Process final
{
public:
    /// Error: Usage where there is no such program, else Local.
    [[nodiscard]] static base::Result<std::unique_ptr<Process>> start(const Program &program,
                                                                      const children::Warden &warden);
    ~Process();
    Q_DISABLE_COPY_MOVE(Process)

    /// Waits until it can go no further by itself: it waits for replies alone, or has ended. Error (Protocol): it does
    /// neither within the program's patience, what it does cannot be explored, or the program says that it is to stop.
    [[nodiscard]] base::Result<void> settle();

    [[nodiscard]] std::vector<races::Offer> offers() const { return m_proxy->offers(); }
    void answer(int conversation, const resp::Reply &reply) { m_proxy->answer(conversation, reply); }
    void drop(int conversation) { m_proxy->drop(conversation); }

    /// It has ended, and everything that it has sent has been dealt with.
    [[nodiscard]] bool isOver() const { return m_hasEnded && m_proxy->offers().empty(); }
    [[nodiscard]] int exitCode() const { return m_child.exitCode(); }
    /// Nothing has come from it since it settled, and it has not ended meanwhile.
    [[nodiscard]] bool isUndisturbed();
    /// The end of what it has printed.
    [[nodiscard]] QString lastWords();
    /// The same within a sentence.
    [[nodiscard]] static base::Text told(const QString &lastWords);
    [[nodiscard]] bool hasConnected() const { return m_proxy->hasConnected(); }
    [[nodiscard]] bool hasAskedForResp3() const { return m_proxy->hasAskedForResp3(); }

    /// Values that are this process's own, in the order in which it has sent them first.
    QList<QByteArray> tokens;

private:
    Process(const Program &program, std::unique_ptr<Proxy> proxy);
    [[nodiscard]] base::Error whyNotSettled() const;

    const std::chrono::milliseconds m_patience;
    const std::function<bool()> m_isToStop;
    std::unique_ptr<Proxy> m_proxy;
    children::Child m_child; // Ends before its server does.
    bool m_hasEnded = false;
};

} // namespace latchkey::programs
