#include "ui/views/commandlog/foldedcommandlog.h"

#include "core/playground/sequence/wiretext.h"

#include <QRegularExpression>

#include <algorithm>

namespace latchkey::ui::commandlog {

using sequence::shapeOf;
using sequence::withShortHex;

QString FoldedCommandLog::identityOf(const CommandLogLine &line) const
{
    // A remaining TTL varies like a clock, even with few digits. The replies -1 and -2 do not vary.
    static const QRegularExpression countdown(QStringLiteral("^\\(integer\\) [0-9]+$"));
    const bool isCountdown = line.command.startsWith(QLatin1String("PTTL ")) && countdown.match(line.reply).hasMatch();
    return QStringList {line.client, QString::number(m_operations.value(line.client)), shapeOf(line.command),
                        isCountdown ? QString(QChar(u'\u2026')) : shapeOf(line.reply)}
        .join(QChar(u'\n'));
}

std::optional<std::size_t> FoldedCommandLog::repeated(const CommandLogLine &line) const
{
    const QString identity = identityOf(line);
    const std::size_t end = m_identities.size();
    for (std::size_t i = end; i-- > end - std::min(foldWindow, end);) {
        if (m_identities[i] == identity)
            return i;
    }
    return std::nullopt;
}

void FoldedCommandLog::add(CommandLogLine line)
{
    const QString identity = identityOf(line); // Computed from the unshortened texts, because shortened texts may look
                                               // equal.
    const auto earlier = repeated(line);
    line.command = withShortHex(line.command);
    line.reply = withShortHex(line.reply);
    if (earlier) {
        line.count = m_lines[*earlier].count + 1;
        m_lines[*earlier] = std::move(line);
        return;
    }
    m_identities.push_back(identity);
    m_lines.push_back(std::move(line));
}

void FoldedCommandLog::removeFirst()
{
    m_lines.pop_front();
    m_identities.pop_front();
}

} // namespace latchkey::ui::commandlog
