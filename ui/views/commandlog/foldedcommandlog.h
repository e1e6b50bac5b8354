#pragma once

#include <QHash>
#include <QString>

#include <deque>
#include <optional>

namespace latchkey::ui::commandlog {

/// A command of a client and its reply, with the number of repetitions.
struct CommandLogLine
{
    QString client;
    QString command;
    QString reply;
    int count = 1;
};

/// The latest commands, with repetitions folded.
///
/// A client that waits for a lock retries up to 20 times a second, with several commands per retry. A repeated command
/// is counted in its earlier line, if that is one of the last `foldWindow` lines. A count in an older line would not be
/// visible. Two commands of a client are equal if they and their replies differ only in long numbers, tokens and
/// remaining TTLs. The line shows the latest command and reply, with shortened tokens. Only commands of one operation
/// are folded, such as an acquire with all its retries; a new acquire starts a new line. A value type without widget
/// and signals.
class FoldedCommandLog final
{
public:
    static constexpr std::size_t maxLines = 1000;
    /// Number of lines in which an equal command is searched.
    static constexpr std::size_t foldWindow = 10;

    /// Returns the index of the equal line in lines(). Absent if there is none, so that `line` would be a new line.
    [[nodiscard]] std::optional<std::size_t> repeated(const CommandLogLine &line) const;
    /// Adds a line, or counts a repetition. The caller limits the number of lines to maxLines.
    void add(CommandLogLine line);
    void removeFirst();
    /// Ends the current operation of a client. Later commands of the client are not folded with earlier ones.
    void closeOperation(const QString &client) { ++m_operations[client]; }
    [[nodiscard]] const std::deque<CommandLogLine> &lines() const { return m_lines; }

private:
    [[nodiscard]] QString identityOf(const CommandLogLine &line) const;

    std::deque<CommandLogLine> m_lines;
    std::deque<QString> m_identities; ///< Identities of the lines; equal for a line and its repetitions.
    QHash<QString, int> m_operations; ///< Number of ended operations of each client.
};

} // namespace latchkey::ui::commandlog
