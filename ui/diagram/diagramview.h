#pragma once

#include "ui/diagram/diagramlayout.h"
#include "ui/diagram/speechcache.h"
#include "ui/theme/appearance.h"

#include <QAbstractScrollArea>
#include <QTimer>

namespace latchkey::ui::diagram {

/// A sequence diagram that grows while things happen: a lane for each client and server, commands and replies as
/// arrows, holds as bars.
///
/// The wheel scrolls, with Shift sideways, and with Ctrl it makes all of it larger or smaller. Up and down go from line
/// to line, Enter or a click shows what was said in whole, left, right, Page Up and Page Down scroll, + and - zoom,
/// Home goes to the beginning, End to now, which is then followed; Space pauses that, or goes on. Only what is on
/// screen is painted, and nothing while nothing changes. Owned by its parent; sequence, clock and appearance are not
/// owned.
class DiagramView final : public QAbstractScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DiagramView)

public:
    DiagramView(const base::Clock &clock, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~DiagramView() override;

    /// Null: nothing is shown. A sequence must be taken away before it goes.
    void setSequence(const sequence::Sequence *sequence);
    [[nodiscard]] const sequence::Sequence *sequence() const { return m_sequence; }
    /// It may have changed: it is painted soon, with what else changes meanwhile.
    void refresh();
    /// What is said where nothing has happened yet.
    void setEmptyText(const QString &text);

    /// Whether the lower edge keeps to now.
    [[nodiscard]] bool isFollowing() const { return m_isFollowing; }
    void setFollowing(bool isFollowing);
    /// How many times larger than the window's own letters.
    [[nodiscard]] double scale() const { return m_scale; }
    void setScale(double scale);
    void zoom(double factor) { setScale(m_scale * factor); }
    /// The row that is chosen; absent: none is.
    [[nodiscard]] std::optional<std::size_t> current() const;
    /// As it stands now.
    [[nodiscard]] const DiagramLayout &diagramLayout();
    /// Or when its sequence ended.
    [[nodiscard]] base::MonotonicTime now() const;
    [[nodiscard]] QFont textFont() const;
    [[nodiscard]] QFont codeFont() const;

    [[nodiscard]] QSize sizeHint() const override { return {560, 360}; }

Q_SIGNALS:
    void followingChanged(bool isFollowing);
    void scaleChanged(double scale);
    /// By a click or the keyboard; see current().
    void currentChanged();
    void rowActivated(std::size_t row);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void layOut();
    void updateBars();
    void tick();
    /// What has changed between heading and legend; those too, where somebody has come or gone.
    void updateChanged();
    void describe();
    void moveCurrent(int by);
    void choose(std::optional<std::size_t> row);
    void bringIntoView(std::size_t row);
    /// Between heading and legend.
    [[nodiscard]] QRect body() const;
    [[nodiscard]] std::optional<std::size_t> rowAt(QPoint position);

    const base::Clock &m_clock;                     // Not owned.
    theme::Appearance &m_appearance;                // Not owned.
    const sequence::Sequence *m_sequence = nullptr; // Not owned.
    DiagramLayout m_layout;
    SpeechCache m_speech;
    quint64 m_laidOut = 0; ///< The revision for which that is.
    bool m_isLayoutOld = true;
    std::vector<sequence::Lane> m_headed; ///< Those whose names have been painted, or are about to be.
    double m_scale = 1;
    bool m_isFollowing = true;
    std::optional<quint64> m_current; ///< Counted from the first row that there ever was.
    std::optional<QPoint> m_draggedFrom;
    QString m_emptyText;
    QTimer m_live; ///< While something goes on and somebody looks.
    QTimer m_soon;
};

} // namespace latchkey::ui::diagram
