#pragma once

#include <QCache>
#include <QFont>
#include <QStaticText>

class QPainter;

namespace latchkey::ui::diagram {

/// As much of the text as there is room for.
[[nodiscard]] QString cutShort(const QFontMetrics &metrics, const QString &text, double width);

/// Lines of text that have been laid out, and cut to the room that there is: most of what a diagram's painting takes,
/// and the same from frame to frame. Owned by the view; it is cleared when the letters change.
class SpeechCache final
{
public:
    struct Speech
    {
        QStaticText text;
        double width = 0;
    };

    SpeechCache();

    /// In the painter's font, which is always the same for the same text. room: in whole pixels.
    [[nodiscard]] const Speech &of(const QPainter &painter, const QString &text, int room);
    void clear() { m_known.clear(); }

private:
    QCache<std::pair<QString, int>, Speech> m_known;
};

} // namespace latchkey::ui::diagram
