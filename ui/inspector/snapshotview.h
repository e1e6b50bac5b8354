#pragma once

#include "core/keyspace/keysnapshot.h"
#include "ui/theme/appearance.h"

#include <QFormLayout>

#include <vector>

class QDialog;
class QLabel;
class QTableWidget;

namespace latchkey::ui::inspector {

using Snapshots = std::vector<keyspace::KeySnapshot>;

/// What a question is about: the server, and one key with all that is known of it, or a list of several with their
/// values. The time that they have left goes on while it is shown.
/// A layout, so that the dialog around it knows how high a long key is.
/// Owned by the layout of a dialog, whose children its labels are; appearance, clock and snapshots are not owned.
class SnapshotView final : public QFormLayout
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SnapshotView)

public:
    SnapshotView(theme::Appearance &appearance, const base::Clock &clock, const Snapshots &snapshots,
                 const QString &server, QWidget &dialog);

private:
    void addOne(const keyspace::KeySnapshot &snapshot);
    void addList();
    [[nodiscard]] QLabel *makeValue(const QString &text, const char *name);
    void refresh();

    QWidget &m_dialog;
    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    const Snapshots &m_snapshots;
    QLabel *m_timeLeft = nullptr;   ///< Of the only one.
    QTableWidget *m_list = nullptr; ///< Of several.
};

/// Makes a dialog as high as what is in it. By itself it takes two thirds of the screen at most, and cuts long keys.
void fitToContent(QDialog &dialog);

} // namespace latchkey::ui::inspector
