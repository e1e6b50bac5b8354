#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/pages/detail/detailtext.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace latchkey::ui::detail {

/// A box with one finding: its title, its evidence, its meaning and the advice.
///
/// A changed finding changes the texts of the same labels. So the box keeps its place, and a selection in an unchanged
/// text stays. Owned by the detail panel. The appearance is not owned.
class FindingBox final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FindingBox)

public:
    explicit FindingBox(theme::Appearance &appearance, QWidget *parent);

    /// Shows the finding in a box of this width in pixels.
    void show(const DetailFinding &finding, int width);
    using QFrame::show;

Q_SIGNALS:
    /// Emitted when the user wants the finding as text.
    void copyRequested();

private:
    void applyAppearance();

    theme::Appearance &m_appearance; // Not owned.
    QPushButton *m_copy;
    QList<QLabel *> m_labels; ///< Title, evidence, meaning, advice.
};

} // namespace latchkey::ui::detail
