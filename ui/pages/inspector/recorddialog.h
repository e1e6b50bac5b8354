#pragma once

#include <QDialog>

class QComboBox;
class QHBoxLayout;
class QRadioButton;

namespace latchkey::ui::inspector {

/// A dialog that asks for the content of a recording before its file name, because recordings are given to other
/// people. Owned by its parent.
class RecordDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordDialog)

public:
    /// `server`: display name of the server.
    explicit RecordDialog(const QString &server, QWidget *parent = nullptr);

    [[nodiscard]] bool hasValues() const;
    /// Returns the size limit of the file in bytes.
    [[nodiscard]] qint64 maxBytes() const;

private:
    [[nodiscard]] QHBoxLayout *makeLimit();

    QRadioButton *m_without; ///< First and preselected: a recording for other people should contain no more than
                             ///< necessary.
    QRadioButton *m_with;
    QComboBox *m_sizeLimit;
};

} // namespace latchkey::ui::inspector
