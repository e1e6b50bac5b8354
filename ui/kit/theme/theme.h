#pragma once

#include <QColor>

namespace latchkey::ui::theme {

/// The colour scheme.
enum class Scheme : quint8 { Light, Dark };

/// The colours of the program, named by their purpose.
///
/// Each text colour has a contrast of at least 4.5:1 on every background of text: window, surface, raised, selection,
/// and a pill in the same colour. No other code defines colours: a widget uses the colour of a purpose, such as text or
/// warning, and therefore supports both schemes. A value type; the Appearance has the current one.
struct Theme
{
    Scheme scheme = Scheme::Light;
    QColor window;  ///< Background of the window.
    QColor surface; ///< Background of cards, tables and fields.
    QColor raised;  ///< Background of elements on a surface: a hovered row, a button.
    QColor rail;    ///< Background of the navigation at the left.
    QColor border;
    QColor text;
    QColor muted;      ///< Secondary text; still readable on surface and window.
    QColor faint;      ///< Text of lowest importance, such as placeholders; readable on every background.
    QColor disabled;   ///< Disabled text and icons, and decoration: the only colour that may have a low contrast.
    QColor accent;     ///< Active elements and selection.
    QColor onAccent;   ///< Text and icons on the accent colour.
    QColor accentSoft; ///< Background of the selection.
    QColor good;       ///< Held, connected, or far from the expiry.
    QColor warning;    ///< Close to the expiry; needs attention.
    QColor critical;   ///< At the expiry, lost, or dangerous.
    QColor endless;    ///< Without expiry.
    QColor track;      ///< Empty part of a bar.
};

[[nodiscard]] const Theme &theme(Scheme scheme);

/// Blends a colour over another one, for the background of a pill. `share`: part of the first colour, from 0 to 1.
[[nodiscard]] QColor tint(const QColor &colour, const QColor &over, double share);

} // namespace latchkey::ui::theme
