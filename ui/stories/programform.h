#pragma once

#include "core/stage/racesearch.h"

#include <QVariantMap>
#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace latchkey::ui::stories {

/// Which program's races are sought: its command, what its clients share, and what may go wrong.
///
/// Owned by the ProgramPanel. It starts nothing. What is kept of it from one run of the window to the next is
/// everything but the command, which may hold a password.
class ProgramForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ProgramForm)

public:
    explicit ProgramForm(QWidget *parent = nullptr);
    ~ProgramForm() override;

    /// Error (Usage): no command.
    [[nodiscard]] base::Result<stage::SoughtProgram> program() const;

    /// To be given to restore() in another run.
    [[nodiscard]] QVariantMap kept() const;
    void restore(const QVariantMap &kept);
    /// Puts the keyboard where the command is.
    void enter();

Q_SIGNALS:
    /// The command has been finished with Return.
    void submitted();

private:
    void makeFields();
    void makeFaults();
    void arrange();
    void addLine(QVBoxLayout &lines, std::initializer_list<std::pair<QString, QWidget *>> parts);
    void askForFile();
    void insertFile(const QString &path);
    void askForFolder();

    QLineEdit *m_command;
    QPushButton *m_browse;
    QLineEdit *m_folder;
    QPushButton *m_chooseFolder;
    QSpinBox *m_clients;
    QLineEdit *m_resource;
    QLineEdit *m_data;
    QSpinBox *m_fixedPort;
    QSpinBox *m_crashes;
    QSpinBox *m_passes;
    QSpinBox *m_waits;
    QSpinBox *m_lostReplies;
    QSpinBox *m_preemptions;
    QComboBox *m_longest;
    QLabel *m_hint;
};

} // namespace latchkey::ui::stories
