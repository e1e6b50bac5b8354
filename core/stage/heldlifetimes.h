#pragma once

#include "core/base/bytes.h"
#include "core/exchange/exchange.h"
#include "core/resp/command.h"

#include <QSet>
#include <QString>

#include <chrono>
#include <vector>

namespace latchkey::stage {

/// Keeps the lifetimes of a story's keys from ending of themselves: people read for longer than the leases of programs
/// last, and what ends when is the story's to say.
///
/// The one idea: before a client's command every key has what it had left when the command before had been answered,
/// and between commands hours more. Not while a client watches keys (WATCH), which another lifetime would be a change
/// of. A value of the player's, which does the asking.
class HeldLifetimes final
{
public:
    /// A key that has been given more.
    struct Held
    {
        base::Key key;
        int server = 0;
        std::chrono::milliseconds left {}; ///< What it had.
    };

    /// What the client is about to send.
    void follow(const QString &client, const resp::Command &command);
    /// It is dead, or its connection is.
    void forget(const QString &client) { m_watching.remove(client); }
    /// Nothing is to be touched.
    [[nodiscard]] bool isToWait() const { return !m_watching.isEmpty(); }

    /// Time goes by in the story: so much less is left of each.
    void pass(std::chrono::milliseconds time);
    void keep(std::vector<Held> held) { m_held = std::move(held); }
    [[nodiscard]] const std::vector<Held> &held() const { return m_held; }

    /// Whether a key has so much left because it has been given it.
    [[nodiscard]] static bool isOfHeld(std::chrono::milliseconds left);

private:
    QSet<QString> m_watching; ///< Clients.
    std::vector<Held> m_held;
};

/// Gives hours more to all keys with a lifetime, and says what they had; of those that still have more, what they had
/// then.
[[nodiscard]] exchange::Exchange<std::vector<HeldLifetimes::Held>> hold(int servers,
                                                                        std::vector<HeldLifetimes::Held> held);
/// They have again what they had.
[[nodiscard]] exchange::Exchange<bool> letGo(std::vector<HeldLifetimes::Held> held);

} // namespace latchkey::stage
