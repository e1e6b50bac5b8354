#include "ui/pages/inspector/countchip.h"

#include <QLocale>

#include <algorithm>

namespace latchkey::ui::inspector {

namespace {

constexpr qsizetype usualRoom = 999;

/// Returns the width as QPushButton::sizeHint() measures it: the advance of a text can differ by a pixel.
int widthOf(const QFontMetrics &metrics, const QString &text)
{
    return metrics.size(Qt::TextShowMnemonic, text).width();
}

QString withCount(const QString &name, const QString &count)
{
    return CountChip::tr("%1 %2", "a chip and how many keys it shows").arg(name, count);
}

} // namespace

CountChip::CountChip(const QString &name, QWidget *parent)
    : QPushButton(name, parent)
    , m_name(name)
    , m_longest(usualRoom)
{
    setProperty("kind", QStringLiteral("chip"));
    setCheckable(true);
}

void CountChip::setName(const QString &name)
{
    m_name = name;
    refresh();
}

void CountChip::setCount(qsizetype count)
{
    m_count = count;
    while (m_longest < count)
        m_longest = m_longest * 10 + 9;
    refresh();
}

void CountChip::setCountShown(bool isShown)
{
    m_isCountShown = isShown;
    refresh();
}

void CountChip::forgetLongestCount()
{
    m_longest = usualRoom;
    setCount(m_count);
}

/// Returns the width of the count with its widest digit, because the digits of some fonts have different widths.
int CountChip::countRoom() const
{
    const QFontMetrics metrics = fontMetrics();
    const QString nines = QLocale().toString(m_longest);
    int width = 0;
    for (int digit = 0; digit <= 9; ++digit) {
        QString count = nines;
        count.replace(QLocale().toString(9), QLocale().toString(digit));
        width = std::max(width, widthOf(metrics, withCount(m_name, count)));
    }
    return width - widthOf(metrics, m_name);
}

QSize CountChip::sizeHint() const
{
    const QFontMetrics metrics = fontMetrics();
    QSize size = QPushButton::sizeHint();
    size.rwidth() += widthOf(metrics, m_name) - widthOf(metrics, text());
    if (m_isCountShown)
        size.rwidth() += countRoom();
    return size;
}

void CountChip::refresh()
{
    const QString all = m_count > 0 ? withCount(m_name, QLocale().toString(m_count)) : m_name;
    if (const QString shown = m_isCountShown ? all : m_name; text() != shown)
        setText(shown);
    if (const QString toolTip = m_isCountShown ? QString() : all; this->toolTip() != toolTip)
        setToolTip(toolTip);
    updateGeometry();
}

} // namespace latchkey::ui::inspector
