#include "ui/kit/widgets/sentence.h"

#include <QCoreApplication>

#include <algorithm>

namespace latchkey::ui::widgets {

QString sentence(const QString &message)
{
    const QString word = message.section(u' ', 0, 0);
    const bool isWord = !word.isEmpty() && std::ranges::all_of(word, [](QChar c) { return c.isLetter(); });
    return isWord ? message.at(0).toUpper() + message.sliced(1) : message;
}

QString fullSentence(const QString &message)
{
    return QCoreApplication::translate("latchkey::ui::widgets", "%1.").arg(sentence(message));
}

} // namespace latchkey::ui::widgets
