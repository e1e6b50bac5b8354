#pragma once

#include <QHash>
#include <QString>

#include <deque>
#include <optional>

namespace latchkey::ui::wire {

/// A command that a client has sent and what came back, as often as it was said again.
struct WireLine
{
    QString client;
    QString command;
    QString reply;
    int count = 1;
};

/// What was said lately, with repetitions folded.
///
/// A client that waits for a lock tries ten times a second, and each try may be several commands. What it says again is
/// counted at the line where it said it before, if that is one of the last few: farther up nobody would see the count
/// go on. Two commands are the same if they differ in nothing but long numbers, tokens and what a PTTL counts, which
/// are clocks and chance; the line shows the latest, with what is long cut short. Only what belongs to one act is
/// folded, one acquire with all its tries: who acquires once more wants to see a new line. A value type: no widget, no
/// signals.
class WireFold final
{
public:
    static constexpr std::size_t mostLines = 1000;
    /// So far up a repetition is looked for.
    static constexpr std::size_t lookBack = 10;

    /// Where this is a repetition of, among lines(); nothing where it is none and would be a line of its own.
    [[nodiscard]] std::optional<std::size_t> repeated(const WireLine &line) const;
    /// Adds it, or counts it where it is a repetition. The code that shows the lines keeps them below mostLines.
    void add(WireLine line);
    void removeFirst();
    /// The client has been answered: what it says from now on is something new.
    void closeAct(const QString &client) { ++m_acts[client]; }
    [[nodiscard]] const std::deque<WireLine> &lines() const { return m_lines; }

private:
    [[nodiscard]] QString identityOf(const WireLine &line) const;

    std::deque<WireLine> m_lines;
    std::deque<QString> m_identities; ///< Of the lines; the same for a line and its repetition.
    QHash<QString, int> m_acts;       ///< How many each client has closed.
};

} // namespace latchkey::ui::wire
