#pragma once

#include <QColor>

namespace latchkey::ui::theme {

enum class Scheme : quint8 { Light, Dark };

/// The program's colours, by what they mean.
///
/// Every colour that text is written in can be read (4.5:1 and more) on all that text stands on: window, surface,
/// raised, what is chosen, and a pill in its own colour. Nothing else in the program names a colour: a widget asks for
/// the text or the warning, and light and dark follow. A value type; the Appearance has the one in use.
struct Theme
{
    Scheme scheme = Scheme::Light;
    QColor window;  ///< Behind everything.
    QColor surface; ///< Cards, tables, fields.
    QColor raised;  ///< What lies on a surface: a hovered row, a button.
    QColor rail;    ///< The navigation at the left.
    QColor border;
    QColor text;
    QColor muted;    ///< Secondary text; still readable on surface and window.
    QColor faint;    ///< Text of least weight: what is gone, a placeholder; still readable wherever text stands.
    QColor disabled; ///< Text and icons of what cannot be used now, and decoration: the one colour that may be pale.
    QColor accent;   ///< What can be acted on, what is chosen.
    QColor onAccent;
    QColor accentSoft; ///< Behind what is chosen.
    QColor good;       ///< Held, connected, plenty of time.
    QColor warning;    ///< Ends soon; needs care.
    QColor critical;   ///< Ends now; lost; dangerous.
    QColor endless;    ///< Without expiry.
    QColor track;      ///< The empty part of a bar.
};

[[nodiscard]] const Theme &theme(Scheme scheme);

/// A colour laid thinly over another: for the background of a pill in that colour.
[[nodiscard]] QColor tint(const QColor &colour, const QColor &over, double share);

} // namespace latchkey::ui::theme
