#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/kit/theme/appearance.h"
#include "ui/pages/inspector/endedkeysmodel.h"

#include <QDialog>
#include <QPointer>
#include <QTimer>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;

namespace latchkey::ui::inspector {

/// The list of the keys that have ended within the last hour, with a filter, and a sentence about gaps in the
/// observation.
///
/// New keys are added at the top while the list shows its top and no row is selected. Otherwise a button counts them,
/// so that no row moves while the user reads. Owned by its parent. Appearance and server are not owned.
class EndedKeysDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EndedKeysDialog)

public:
    EndedKeysDialog(theme::Appearance &appearance, inspection::InspectedServer &server, QWidget *parent = nullptr);
    ~EndedKeysDialog() override;

Q_SIGNALS:
    /// Emitted when the user wants to export the keys that match the filter.
    void exportRequested(const latchkey::base::Glob &filter);

private:
    void setUpLayout();
    void makeList();
    [[nodiscard]] QWidget *makeControls();
    void refresh();
    /// Adds the new keys, and shows the top.
    void showNewest();
    [[nodiscard]] bool isRead() const;

    theme::Appearance &m_appearance;
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<EndedKeysModel> m_model;
    QLineEdit *m_filter;
    QLabel *m_coverage;
    QTreeView *m_list;
    QPushButton *m_newer;
    QPushButton *m_export;
    QTimer m_refresh;
};

} // namespace latchkey::ui::inspector
