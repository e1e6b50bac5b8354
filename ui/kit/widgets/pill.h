#pragma once

#include "ui/kit/theme/appearance.h"

#include <QWidget>

namespace latchkey::ui::widgets {

/// A coloured capsule with a short text, such as a state or a version. Owned by its parent. The appearance is not
/// owned.
class Pill final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Pill)

public:
    /// The meaning of a pill, which determines its colour.
    enum class Tone : quint8 { Neutral, Accent, Good, Warning, Critical, Endless };

    explicit Pill(theme::Appearance &appearance, QWidget *parent = nullptr);

    void set(const QString &text, Tone tone);
    /// Sets whether a text that does not fit is cut at its end, with the full text as tool tip. Otherwise the pill is
    /// as wide as its text.
    void setElided(bool isElided);
    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] Tone tone() const { return m_tone; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    theme::Appearance &m_appearance;
    QString m_text;
    Tone m_tone = Tone::Neutral;
    bool m_isElided = false;
};

/// Returns the colour of a tone in the theme.
[[nodiscard]] QColor colourOf(Pill::Tone tone, const theme::Theme &theme);

} // namespace latchkey::ui::widgets
