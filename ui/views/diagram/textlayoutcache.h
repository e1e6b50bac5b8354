#pragma once

#include <QCache>
#include <QFont>
#include <QStaticText>

class QPainter;

namespace latchkey::ui::diagram {

/// A cache of texts with their layout, cut to the available width. Text layout takes most of the painting time of a
/// diagram and is the same in each frame. Owned by the view, which clears the cache when the font changes.
class TextLayoutCache final
{
public:
    /// The way in which a text is shortened.
    enum class Cut : quint8 {
        End,
        Hex,    ///< Shortens tokens first, and then cuts the end.
        Values, ///< For a command: shortens tokens first, and then cuts the middle of the longest words. The command
                ///< name and the options stay.
    };

    struct TextLayout
    {
        QStaticText text;
        double width = 0;
    };

    TextLayoutCache();

    /// Returns the layout of a text in the painter's font. `room`: width in whole pixels. The cache does not
    /// distinguish fonts, so a text must always have the same font.
    [[nodiscard]] const TextLayout &layoutOf(const QPainter &painter, const QString &text, int room,
                                             Cut cut = Cut::End);
    void clear() { m_known.clear(); }

private:
    QCache<std::pair<QString, std::pair<int, int>>, TextLayout> m_known; // By text, width and cut.
};

/// Returns the text shortened to the width.
[[nodiscard]] QString cutShort(const QFontMetrics &metrics, const QString &text, double width,
                               TextLayoutCache::Cut cut = TextLayoutCache::Cut::End);

} // namespace latchkey::ui::diagram
