#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/theme/appearance.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QTreeWidget;

namespace latchkey::ui::help {

/// A dialog to find an action of the window by words of its name, and to run it.
///
/// Up and Down move the selection while the focus stays in the field; Return runs the selected action; Esc closes the
/// dialog. A disabled action is shown with the reason and cannot be run. Owned by the code that opens it. Registry and
/// appearance are not owned.
class ActionFinder final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ActionFinder)

public:
    ActionFinder(actions::ActionRegistry &registry, theme::Appearance &appearance, QWidget *parent);

Q_SIGNALS:
    /// Emitted when the user has chosen an action, after the dialog has closed. `index`: see ActionRegistry::run().
    void chosen(int index);

private:
    enum Column : int { NameColumn, GroupColumn, ShortcutColumn, ColumnCount };

    void setUpLayout();
    void fill();
    void runCurrent();

    actions::ActionRegistry &m_registry; // Not owned.
    theme::Appearance &m_appearance;     // Not owned.
    QLineEdit *m_filter;
    QTreeWidget *m_list;
    QLabel *m_empty;
};

} // namespace latchkey::ui::help
