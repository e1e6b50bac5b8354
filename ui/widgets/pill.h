#pragma once

#include "ui/theme/appearance.h"

#include <QWidget>

namespace latchkey::ui::widgets {

/// A short word in a coloured capsule: a state, a version.
/// Owned by its parent; the appearance is not owned.
class Pill final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Pill)

public:
    enum class Tone : quint8 { Neutral, Accent, Good, Warning, Critical, Endless };

    explicit Pill(theme::Appearance &appearance, QWidget *parent = nullptr);

    void set(const QString &text, Tone tone);
    /// Where there is not enough room its end gives way, and the tool tip has the whole; else it takes the room.
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

/// The colour that a tone has at the moment.
[[nodiscard]] QColor colourOf(Pill::Tone tone, const theme::Theme &theme);

} // namespace latchkey::ui::widgets
