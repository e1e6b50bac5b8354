#pragma once

#include "core/ssh/questions.h"
#include "core/ssh/tunnel.h"

#include <QPointer>
#include <QTimer>

#include <memory>
#include <vector>

namespace latchkey::ssh {

/// The tunnels of this process: one for all connections that go the same way, so that nobody logs in, or is asked,
/// twice.
///
/// One that is open and that nobody uses stays for a minute, for a server that is tried again and again; one that is
/// not open yet ends with the last who waits for it, and its question with it. All of them end with the program,
/// however it ends. One for the whole process: people and their terminal are so as well. Main thread only.
class Tunnels final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Tunnels)

public:
    [[nodiscard]] static Tunnels &ofThisProcess();

    /// Who is asked what ssh wants to know; null: a person at the terminal. Not owned.
    void setQuestions(Questions *questions) { m_questions = questions; }

    /// A tunnel that is open or on its way. Error: see Tunnel::start().
    [[nodiscard]] base::Result<std::shared_ptr<Tunnel>> toward(const Hop &hop, const Target &target,
                                                               std::chrono::milliseconds connectTimeout);

    /// How many there are that have not ended.
    [[nodiscard]] int count() const;
    /// Forgets all of them; those that carry connections go with the last of these.
    void clear();

private:
    Tunnels();

    struct Way
    {
        Hop hop;
        Target target;
        std::weak_ptr<Tunnel> tunnel;
        std::shared_ptr<Tunnel> kept; ///< Once it is open.
        bool wasIdle = false;         ///< When last looked at.
    };
    void keep(const Tunnel &opened);
    void sweep();
    void close();

    QPointer<Questions> m_questions;
    std::vector<Way> m_ways;
    QTimer m_sweep;
};

/// Keeps the tunnel for as long as the device lives, which goes through it.
void keepFor(QObject &device, std::shared_ptr<Tunnel> tunnel);

} // namespace latchkey::ssh
