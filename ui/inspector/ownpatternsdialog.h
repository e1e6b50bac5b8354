#pragma once

#include "core/recognition/owndialects.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace latchkey::ui::inspector {

/// Lists what the user has said of locks of their own, to be changed and removed; what was removed can be put back as
/// long as the dialog is open. Says what is wrong with the file where it is broken.
/// Owned by the code that opens it; the dialects are not owned.
class OwnPatternsDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(OwnPatternsDialog)

public:
    OwnPatternsDialog(recognition::OwnDialects &own, QWidget *parent);

Q_SIGNALS:
    /// The user wants to change this one.
    void changeWanted(const latchkey::recognition::LockPattern &pattern);

private:
    void arrange();
    void refresh();
    void refreshButtons();
    [[nodiscard]] const recognition::OwnDialects::Entry *chosen() const;
    void change();
    void remove();
    void undo();

    recognition::OwnDialects &m_own; // Not owned.
    QLabel *m_text;
    QTreeWidget *m_list;
    QLabel *m_note;
    QPushButton *m_change;
    QPushButton *m_remove;
    QPushButton *m_undo;
    QByteArray m_removed; ///< The text of the last one.
};

} // namespace latchkey::ui::inspector
