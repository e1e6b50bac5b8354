#pragma once

#include <QCache>
#include <QFont>
#include <QStaticText>

class QPainter;

namespace latchkey::ui::diagram {

/// Lines of text that have been laid out, and cut to the room that there is: most of what a diagram's painting takes,
/// and the same from frame to frame. Owned by the view; it is cleared when the letters change.
class SpeechCache final
{
public:
    /// What is left out where there is no room for all of it.
    enum class Cut : quint8 {
        End,
        Hex,    ///< Most of each token, and then the end.
        Values, ///< Of a command, likewise, then the middle of its longest words: what it does, and how, stays.
    };

    struct Speech
    {
        QStaticText text;
        double width = 0;
    };

    SpeechCache();

    /// In the painter's font, which is always the same for the same text. room: in whole pixels.
    [[nodiscard]] const Speech &of(const QPainter &painter, const QString &text, int room, Cut cut = Cut::End);
    void clear() { m_known.clear(); }

private:
    QCache<std::pair<QString, int>, Speech> m_known;
};

/// As much of the text as there is room for.
[[nodiscard]] QString cutShort(const QFontMetrics &metrics, const QString &text, double width,
                               SpeechCache::Cut cut = SpeechCache::Cut::End);

} // namespace latchkey::ui::diagram
