#pragma once

#include <QDialog>

class QComboBox;
class QHBoxLayout;
class QRadioButton;

namespace latchkey::ui::inspector {

/// Asks what is to be in a recording, before it is asked where to put it: it will be given to others.
/// Owned by its parent.
class RecordDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordDialog)

public:
    /// server: as people are shown it.
    explicit RecordDialog(const QString &server, QWidget *parent = nullptr);

    [[nodiscard]] bool hasValues() const;
    /// Size limit of the file.
    [[nodiscard]] qint64 mostBytes() const;

private:
    [[nodiscard]] QHBoxLayout *makeLimit();

    QRadioButton *m_without; ///< First, also for the keyboard: what is sent on should say no more than it has to.
    QRadioButton *m_with;
    QComboBox *m_most;
};

} // namespace latchkey::ui::inspector
