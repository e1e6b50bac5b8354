#include "core/playground/sequence/sequencetexts.h"

#include <algorithm>

namespace latchkey::sequence {

using base::Text;

namespace {

Text markSentence(const Mark &mark)
{
    switch (mark.kind) {
    case Mark::Kind::Started:
        return Text(QT_TRANSLATE_NOOP("core", "%1 has started"), mark.who);
    case Mark::Kind::Crashed:
        return Text(QT_TRANSLATE_NOOP("core", "%1 has crashed"), mark.who);
    case Mark::Kind::Paused:
        return Text(QT_TRANSLATE_NOOP("core", "%1 is paused"), mark.who);
    case Mark::Kind::Resumed:
        return Text(QT_TRANSLATE_NOOP("core", "%1 is resumed"), mark.who);
    case Mark::Kind::Lost:
        return mark.text.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "%1 has lost the lock"), mark.who)
                                   : Text(QT_TRANSLATE_NOOP("core", "%1 has lost the lock: %2"), mark.who, mark.text);
    case Mark::Kind::Taken:
        return Text(QT_TRANSLATE_NOOP("core", "the resource accepts the write of %1"), mark.who);
    case Mark::Kind::Refused:
        return Text(QT_TRANSLATE_NOOP("core", "the resource refuses the write of %1"), mark.who);
    case Mark::Kind::Killed:
        return Text(QT_TRANSLATE_NOOP("core", "%1 was killed and lost its data"), mark.who);
    case Mark::Kind::StartedEmpty:
        return Text(QT_TRANSLATE_NOOP("core", "%1 was restarted without data"), mark.who);
    case Mark::Kind::Restarted:
        return Text(QT_TRANSLATE_NOOP("core", "%1 was restarted with its saved data"), mark.who);
    case Mark::Kind::FailedOver:
        return Text(QT_TRANSLATE_NOOP("core", "%1: a replica has taken over"), mark.who);
    case Mark::Kind::ClockJumped:
        return Text(QT_TRANSLATE_NOOP("core", "%1: the clock has jumped forward"), mark.who);
    case Mark::Kind::Suspended:
        return Text(QT_TRANSLATE_NOOP("core", "%1 is frozen and does not respond"), mark.who);
    case Mark::Kind::Continued:
        return Text(QT_TRANSLATE_NOOP("core", "%1 is resumed"), mark.who);
    case Mark::Kind::LeaseEnded:
        return Text(QT_TRANSLATE_NOOP("core", "%1: the lease of %2 has ended"), mark.who, mark.text);
    }
    Q_UNREACHABLE();
}

} // namespace

Text markText(const Mark &mark)
{
    switch (mark.kind) {
    case Mark::Kind::Started:
        return Text(mark.who);
    case Mark::Kind::Crashed:
        return Text(QT_TRANSLATE_NOOP("core", "crashed"));
    case Mark::Kind::Paused:
        return Text(QT_TRANSLATE_NOOP("core", "paused"));
    case Mark::Kind::Resumed:
        return Text(QT_TRANSLATE_NOOP("core", "resumed"));
    case Mark::Kind::Lost:
        return Text(QT_TRANSLATE_NOOP("core", "lock lost"));
    case Mark::Kind::Taken:
        return Text(QT_TRANSLATE_NOOP("core", "write accepted"));
    case Mark::Kind::Refused:
        return Text(QT_TRANSLATE_NOOP("core", "write refused"));
    case Mark::Kind::Killed:
        return Text(QT_TRANSLATE_NOOP("core", "killed"));
    case Mark::Kind::StartedEmpty:
        return Text(QT_TRANSLATE_NOOP("core", "started, empty"));
    case Mark::Kind::Restarted:
        return Text(QT_TRANSLATE_NOOP("core", "restarted"));
    case Mark::Kind::FailedOver:
        return Text(QT_TRANSLATE_NOOP("core", "failover"));
    case Mark::Kind::ClockJumped:
        return Text(QT_TRANSLATE_NOOP("core", "clock jump"));
    case Mark::Kind::Suspended:
        return Text(QT_TRANSLATE_NOOP("core", "frozen"));
    case Mark::Kind::Continued:
        return Text(QT_TRANSLATE_NOOP("core", "continues"));
    case Mark::Kind::LeaseEnded:
        return Text(QT_TRANSLATE_NOOP("core", "lease ended"));
    }
    Q_UNREACHABLE();
}

Text rowText(const Row &row)
{
    if (const auto *mark = std::get_if<Mark>(&row))
        return markSentence(*mark);
    const auto &message = std::get<Message>(row);
    const Text exchanged(QStringLiteral("%1 \u2192 %2").arg(message.command, message.reply.toString()));
    if (message.count == 1)
        return Text::about(message.who, exchanged);
    return Text::about(message.who, Text(QStringLiteral("%1  \u00d7 %2").arg(exchanged.toString()).arg(message.count)));
}

Text overlapText(const Overlap &overlap)
{
    const QString key = base::printable(overlap.key.bytes(), 60);
    if (overlap.who.size() == 2)
        return Text(QT_TRANSLATE_NOOP("core", "%1 and %2 both believe that they hold %3"), overlap.who[0],
                    overlap.who[1], key);
    return Text::counted(overlap.who.size(), QT_TRANSLATE_N_NOOP("core", "%n clients believe that they hold %1: %2"),
                         key, overlap.who.join(QStringLiteral(", ")));
}

QString elapsedText(const Sequence &sequence, base::MonotonicTime time)
{
    const auto since = std::chrono::floor<std::chrono::milliseconds>(time - sequence.beginning());
    // Fewer decimals for later times, to keep the width constant.
    const int decimals = since < std::chrono::seconds(100) ? 3 : since < std::chrono::seconds(10'000) ? 1 : 0;
    return QStringLiteral("+%1 s").arg(static_cast<double>(since.count()) / 1000.0, 0, 'f', decimals);
}

QStringList textLines(const Sequence &sequence)
{
    std::vector<std::pair<base::MonotonicTime, QString>> lines;
    for (const Row &row : sequence.rows())
        lines.emplace_back(timeOf(row), rowText(row).toString());
    for (const Overlap &overlap : sequence.overlaps())
        lines.emplace_back(overlap.from, overlapText(overlap).toString());
    std::ranges::stable_sort(lines, {}, &std::pair<base::MonotonicTime, QString>::first);
    QStringList texts;
    for (const auto &[time, text] : lines)
        texts += elapsedText(sequence, time) + QStringLiteral("  ") + text;
    return texts;
}

} // namespace latchkey::sequence
