#pragma once

#include "ui/kit/theme/icons.h"
#include "ui/kit/theme/theme.h"

#include <QFont>
#include <QObject>

class QApplication;

namespace latchkey::ui::theme {

/// The current appearance of the program: light or dark scheme, fonts and icons.
///
/// The scheme follows the desktop unless the user has chosen one. Painting code calls theme() for each paint event, and
/// repaints after changed(). Owned by main(); other objects have a reference.
class Appearance final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Appearance)

public:
    enum class Mode : quint8 { System, Light, Dark };
    Q_ENUM(Mode)

    explicit Appearance(QApplication &application);

    void setMode(Mode mode);
    [[nodiscard]] Mode mode() const { return m_mode; }

    static constexpr double minTextScale = 0.75;
    static constexpr double maxTextScale = 2.5;
    /// Scales all text of the program. `scale`: from minTextScale to maxTextScale; 1 is the usual size.
    void setTextScale(double scale);
    [[nodiscard]] double textScale() const { return m_textScale; }

    [[nodiscard]] const Theme &theme() const { return ui::theme::theme(m_scheme); }
    [[nodiscard]] QIcon icon(const QString &name) { return m_icons.icon(name, theme().muted, theme().disabled); }
    [[nodiscard]] QIcon icon(const QString &name, const QColor &colour)
    {
        return m_icons.icon(name, colour, theme().disabled);
    }
    [[nodiscard]] QPixmap pixmap(const QString &name, const QColor &colour, int size, qreal pixelRatio)
    {
        return m_icons.pixmap(name, colour, size, pixelRatio);
    }
    /// Returns the font for keys, values and changing digits. All its characters have the same width.
    [[nodiscard]] const QFont &monospaced() const { return m_monospaced; }

Q_SIGNALS:
    void changed();

private:
    void apply();

    QApplication &m_application; // Not owned.
    const Scheme m_systemScheme;
    Mode m_mode = Mode::System;
    Scheme m_scheme;
    double m_textScale = 1;
    const QFont m_usualFont; ///< Font of the interface at scale 1.
    Icons m_icons;
    QFont m_monospaced;
};

} // namespace latchkey::ui::theme
