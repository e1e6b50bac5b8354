#include "ui/widgets/plaintext.h"

#include <QLabel>
#include <QTextBoundaryFinder>

namespace latchkey::ui::widgets {

namespace {

QString breakable(const QString &text)
{
    constexpr qsizetype longWord = 50;
    constexpr QChar zeroWidthSpace(0x200b);
    QString result;
    for (const QString &word : text.split(u' ')) {
        if (!result.isEmpty())
            result += u' ';
        for (qsizetype i = 0; i < word.size(); ++i) {
            if (i > 0 && word.size() > longWord && !word[i].isLowSurrogate() && !word[i].isMark())
                result += zeroWidthSpace;
            result += word[i];
        }
    }
    return result;
}

} // namespace

QLabel *makePlainLabel(const QString &objectName, const QString &text, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setObjectName(objectName);
    label->setTextFormat(Qt::PlainText);
    label->setText(text);
    return label;
}

void setWrapped(QLabel &label, const QString &text, int width)
{
    label.setText(breakable(text));
    label.setMinimumHeight(text.isEmpty() ? 0 : label.heightForWidth(width));
}

QString inLines(const QString &text, int most, const std::function<int(const QString &)> &widthOf)
{
    QString result;
    int width = 0;
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    for (qsizetype at = 0, next = finder.toNextBoundary(); next >= 0; at = next, next = finder.toNextBoundary()) {
        const QString character = text.sliced(at, next - at);
        const int own = widthOf(character);
        width += own;
        if (width > most) {
            result += u'\n';
            width = own;
        }
        result += character;
    }
    return result;
}

QString toolTipText(const QString &text)
{
    constexpr qsizetype longest = 1500;
    constexpr int longestLine = 80;
    if (text.isEmpty())
        return {};
    const QString shown = text.size() <= longest ? text : text.first(longest) + QChar(u'\u2026');
    const QString lines = inLines(shown, longestLine, [](const QString &) { return 1; });
    return QStringLiteral("<p style=\"white-space:pre\">%1</p>").arg(lines.toHtmlEscaped());
}

} // namespace latchkey::ui::widgets
