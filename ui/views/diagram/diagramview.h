#pragma once

#include "ui/kit/widgets/followingscrollarea.h"
#include "ui/views/diagram/diagramlayout.h"
#include "ui/views/diagram/textlayoutcache.h"

#include <QTimer>

namespace latchkey::ui::diagram {

/// A live sequence diagram: a lane for each client and server, commands and replies as arrows, holds as bars.
///
/// Mouse: the wheel scrolls; with Shift it scrolls sideways, and with Ctrl it zooms. A click shows the full text of a
/// row. Keyboard: Up and Down select a row, Enter shows its full text. Left, Right, Page Up and Page Down scroll; + and
/// - zoom. Home scrolls to the start; End scrolls to the current moment and follows it; Space toggles following. Only
/// the visible part is painted, and only after changes. Owned by its parent. Sequence, clock and appearance are not
/// owned.
class DiagramView final : public widgets::FollowingScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DiagramView)

public:
    DiagramView(const base::Clock &clock, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~DiagramView() override;

    /// Sets the sequence. Null: an empty diagram. A sequence must be removed before it is destroyed.
    void setSequence(const sequence::Sequence *sequence);
    [[nodiscard]] const sequence::Sequence *sequence() const { return m_sequence; }
    /// Schedules a repaint after a possible change of the sequence. Several changes are painted together.
    void refresh();
    /// Sets the text of an empty diagram.
    void setEmptyText(const QString &text);

    /// Returns the zoom factor, relative to the application font.
    [[nodiscard]] double scale() const { return m_scale; }
    void setScale(double scale);
    void zoom(double factor) override { setScale(m_scale * factor); }
    /// Returns the selected row. Absent without a selection.
    [[nodiscard]] std::optional<std::size_t> current() const;
    /// Returns the up-to-date layout.
    [[nodiscard]] const DiagramLayout &diagramLayout();
    /// Returns the current time, or the end of the sequence.
    [[nodiscard]] base::MonotonicTime now() const;
    [[nodiscard]] QFont textFont() const;
    [[nodiscard]] QFont codeFont() const;

    [[nodiscard]] QSize sizeHint() const override { return {560, 360}; }

Q_SIGNALS:
    void scaleChanged(double scale);
    /// Emitted when the user selects a row by mouse or keyboard; see current().
    void currentChanged();
    void rowActivated(std::size_t row);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void updateFollowing() override { updateBars(); }
    void press(QPoint position) override;
    [[nodiscard]] QString toolTipAt(QPoint position) override;

    void layOut();
    void updateBars();
    void tick();
    /// Updates the area between heading and legend; updates those too if lanes were added or removed.
    void updateChanged();
    void describe();
    void moveCurrent(int by);
    void choose(std::optional<std::size_t> row);
    void bringIntoView(std::size_t row);
    /// Returns the area between heading and legend.
    [[nodiscard]] QRect body() const;
    [[nodiscard]] std::optional<std::size_t> rowAt(QPoint position);

    const base::Clock &m_clock;                     // Not owned.
    const sequence::Sequence *m_sequence = nullptr; // Not owned.
    DiagramLayout m_layout;
    TextLayoutCache m_textLayouts;
    quint64 m_laidOut = 0; ///< Revision of the sequence for which the layout was made.
    bool m_isLayoutOld = true;
    std::vector<sequence::Lane> m_headed; ///< Lanes of the last painted heading.
    double m_scale = 1;
    std::optional<quint64> m_current; ///< Index counted from the first row of the sequence, including dropped rows.
    QString m_emptyText;
    QTimer m_repaintTimer; ///< Active while the diagram changes and is visible.
    QTimer m_updateTimer;
};

} // namespace latchkey::ui::diagram
