#include "ui/kit/theme/appearance.h"

#include "ui/kit/theme/stylesheet.h"

#include <QApplication>
#include <QStyleFactory>

#include <algorithm>

namespace latchkey::ui::theme {

namespace {

/// Returns the scheme of the desktop. Its palette is the only source in Qt 6.4.
Scheme schemeOf(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? Scheme::Dark : Scheme::Light;
}

/// Adds font families for Chinese text. Otherwise a system in another language may choose a Japanese font, with
/// different characters.
QStringList withChinese(QStringList families)
{
    return families << QStringLiteral("Noto Sans CJK SC") << QStringLiteral("Source Han Sans SC")
                    << QStringLiteral("WenQuanYi Micro Hei") << QStringLiteral("WenQuanYi Zen Hei");
}

/// Returns the font of the interface. "Sans Serif" means that the desktop has no setting; the first font that matches
/// this name is seldom a good one.
QFont interfaceFont(QFont font)
{
    const QString given = font.family();
    if (given.isEmpty() || given.startsWith(QLatin1String("Sans")))
        font.setFamilies(
            withChinese({QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans"), given}));
    else
        font.setFamilies(withChinese({given}));
    font.setPointSizeF(std::max(font.pointSizeF(), 9.5));
    return font;
}

/// Returns the font with which the program started, not one that an earlier object has scaled.
QFont defaultFont()
{
    static const QFont font = QApplication::font();
    return font;
}

QFont monospacedFont(const QFont &like)
{
    QFont font(withChinese({QStringLiteral("JetBrains Mono"), QStringLiteral("Noto Sans Mono"),
                            QStringLiteral("DejaVu Sans Mono"), QStringLiteral("monospace")}));
    font.setStyleHint(QFont::Monospace);
    // Keys and values are displayed unchanged: "->" must not become an arrow.
    font.setStyleStrategy(QFont::PreferNoShaping);
    font.setPointSizeF(like.pointSizeF());
    return font;
}

} // namespace

Appearance::Appearance(QApplication &application)
    : m_application(application)
    , m_systemScheme(schemeOf(QApplication::palette()))
    , m_scheme(m_systemScheme)
    , m_usualFont(interfaceFont(defaultFont()))
{
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    apply();
}

void Appearance::setMode(Mode mode)
{
    m_mode = mode;
    const Scheme wanted = mode == Mode::System ? m_systemScheme : mode == Mode::Dark ? Scheme::Dark : Scheme::Light;
    if (wanted == m_scheme)
        return;
    m_scheme = wanted;
    apply();
    Q_EMIT changed();
}

void Appearance::setTextScale(double scale)
{
    const double wanted = std::clamp(scale, minTextScale, maxTextScale);
    if (wanted == m_textScale)
        return;
    m_textScale = wanted;
    apply();
    Q_EMIT changed();
}

void Appearance::apply()
{
    QFont font = m_usualFont;
    font.setPointSizeF(font.pointSizeF() * m_textScale);
    if (font != QApplication::font())
        QApplication::setFont(font);
    m_monospaced = monospacedFont(font);
    QApplication::setPalette(palette(theme()));
    m_application.setStyleSheet(styleSheet(theme(), m_textScale));
}

} // namespace latchkey::ui::theme
