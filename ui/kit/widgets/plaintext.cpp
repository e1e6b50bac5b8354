#include "ui/kit/widgets/plaintext.h"

#include <QFontMetrics>
#include <QLabel>
#include <QLocale>
#include <QTextBoundaryFinder>

namespace latchkey::ui::widgets {

namespace {

/// Returns whether a line may break beside the character by the rules of its script, as in Chinese.
bool isBreakOpportunity(QChar character)
{
    constexpr char16_t firstOfEastAsia = 0x2e80;
    return character.unicode() >= firstOfEastAsia;
}

/// Makes words that do not fit breakable at any place. Other words are unchanged, so that a copy has the original text.
QString breakable(const QString &text, const QFontMetrics &metrics, int width)
{
    constexpr QChar zeroWidthSpace(0x200b);
    QString result;
    qsizetype start = 0;
    const auto takeWord = [&](qsizetype end) {
        const QStringView word = QStringView(text).sliced(start, end - start);
        const bool isBroken = metrics.horizontalAdvance(word.toString()) > width;
        for (qsizetype i = 0; i < word.size(); ++i) {
            const bool isJoint = i > 0 && !isBreakOpportunity(word[i]) && !isBreakOpportunity(word[i - 1]);
            if (isJoint && isBroken && !word[i].isLowSurrogate() && !word[i].isMark())
                result += zeroWidthSpace;
            result += word[i];
        }
    };
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] != u' ' && text[i] != u'\n')
            continue;
        takeWord(i);
        result += text[i];
        start = i + 1;
    }
    takeWord(text.size());
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
    setBreakable(label, text, width);
    label.setMinimumHeight(text.isEmpty() ? 0 : label.heightForWidth(width));
}

void setBreakable(QLabel &label, const QString &text, int width)
{
    label.ensurePolished(); // The font is that of the style sheet only after polishing.
    label.setText(breakable(text, label.fontMetrics(), width));
}

void wrapAt(int width, QLabel &label, const QString &text)
{
    label.setWordWrap(true);
    label.setFixedWidth(width);
    setWrapped(label, text, width);
}

QLabel *makeWrappedLabel(const QString &objectName, const QString &text, int width, QWidget *parent)
{
    QLabel *label = makePlainLabel(objectName, {}, parent);
    wrapAt(width, *label, text);
    return label;
}

QString inLines(const QString &text, int maxWidth, const std::function<int(const QString &)> &widthOf)
{
    QString result;
    int width = 0;
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    for (qsizetype at = 0, next = finder.toNextBoundary(); next >= 0; at = next, next = finder.toNextBoundary()) {
        const QString character = text.sliced(at, next - at);
        const int own = widthOf(character);
        width += own;
        if (width > maxWidth) {
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
    constexpr int maxLineLength = 80;
    if (text.isEmpty())
        return {};
    const QString shown = text.size() <= longest ? text : text.first(longest) + QChar(u'\u2026');
    const QString lines = inLines(shown, maxLineLength, [](const QString &) { return 1; });
    return QStringLiteral("<p style=\"white-space:pre\">%1</p>").arg(lines.toHtmlEscaped());
}

QString numberText(qint64 number)
{
    return QLocale().toString(number);
}

} // namespace latchkey::ui::widgets
