#pragma once

#include "core/inspect/recognition/userdialects.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace latchkey::ui::inspector {

/// A dialog that lists the lock patterns of the user, to change and remove them. A removed pattern can be restored
/// while the dialog is open. If the file is invalid, the dialog shows the error. Owned by the code that opens it. The
/// dialects are not owned.
class UserPatternsDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(UserPatternsDialog)

public:
    UserPatternsDialog(recognition::UserDialects &own, QWidget *parent);

Q_SIGNALS:
    /// Emitted when the user wants to change this pattern.
    void changeRequested(const latchkey::recognition::LockPattern &pattern);

private:
    void setUpLayout();
    void refresh();
    void refreshButtons();
    [[nodiscard]] const recognition::UserDialects::Entry *chosen() const;
    void change();
    void remove();
    void undo();

    recognition::UserDialects &m_own; // Not owned.
    QLabel *m_text;
    QTreeWidget *m_list;
    QLabel *m_note;
    QPushButton *m_change;
    QPushButton *m_remove;
    QPushButton *m_undo;
    QByteArray m_removed; ///< Text of the pattern that was removed last.
};

} // namespace latchkey::ui::inspector
