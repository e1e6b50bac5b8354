#pragma once

#include "core/rows/gonekeys.h"
#include "ui/inspector/statustext.h"
#include "ui/theme/appearance.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace latchkey::ui::inspector {

/// A line below the table about the keys that went within the last minute, which unfolds to one line for each. It is
/// always there, so that no row moves when a key goes.
/// Owned by the page; the appearance is not owned.
class GoneStrip final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GoneStrip)

public:
    explicit GoneStrip(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// gone: those that were rows, the last one first.
    void show(const GoneCount &count, const std::vector<rows::GoneKey> &gone, base::MonotonicTime now);

private:
    QToolButton *m_fold;
    QLabel *m_summary;
    QLabel *m_list;
};

} // namespace latchkey::ui::inspector
