#pragma once

#include "core/keyspace/watching/keysnapshot.h"
#include "ui/kit/theme/appearance.h"

#include <QFormLayout>

#include <vector>

class QDialog;
class QLabel;
class QTableWidget;

namespace latchkey::ui::inspector {

using Snapshots = std::vector<watching::KeySnapshot>;

/// The subject of a question: the server, and either one key with all its data, or a list of keys with their values.
/// The TTLs count down while the view is shown. It is a layout, so that the dialog can compute the height of a long
/// key. Owned by the layout of a dialog; its labels are children of that dialog. Appearance, clock and snapshots are
/// not owned.
class SnapshotView final : public QFormLayout
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SnapshotView)

public:
    SnapshotView(theme::Appearance &appearance, const base::Clock &clock, const Snapshots &snapshots,
                 const QString &server, QWidget &dialog);

private:
    void addOne(const watching::KeySnapshot &snapshot);
    void addList();
    [[nodiscard]] QLabel *makeValue(const QString &text, const char *name);
    void refresh();

    QWidget &m_dialog;
    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    const Snapshots &m_snapshots;
    QLabel *m_timeLeft = nullptr;   ///< TTL of the only key.
    QTableWidget *m_list = nullptr; ///< List of several keys.
};

/// Resizes a dialog to its content. QDialog would use at most two thirds of the screen and cut long keys.
void fitToContent(QDialog &dialog);

} // namespace latchkey::ui::inspector
