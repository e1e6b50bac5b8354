#pragma once

#include "core/explore/racesearch/racesearch.h"

#include <QVariantMap>
#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace latchkey::ui::stories {

class SearchLimitForm;
class ServerFaultForm;

/// A form for a program to check for races: its command, the resources that its clients share, the limits of the
/// faults, and the promises about server faults.
///
/// Owned by the ProgramPanel. It starts no process. All fields are saved between runs of the window except the command,
/// which may contain a password.
class ProgramForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ProgramForm)

public:
    explicit ProgramForm(QWidget *parent = nullptr);
    ~ProgramForm() override;

    /// Returns the input. Error (Usage): no command, or a pattern that is wrong.
    [[nodiscard]] base::Result<racesearch::ProgramToExplore> program() const;
    /// Moves the keyboard focus to the field of the error that program() returns, and marks a wrong pattern.
    void focusInvalidField();

    /// Returns the settings to save, for restoreState() in a later run.
    [[nodiscard]] QVariantMap saveState() const;
    void restoreState(const QVariantMap &state);
    /// Moves the keyboard focus to the command.
    void takeFocus();

Q_SIGNALS:
    /// Emitted when Return is pressed in a field for text.
    void submitted();

private:
    void makeFields();
    void makeServers();
    void makePatterns();
    [[nodiscard]] std::optional<base::Error> errorOf(const QLineEdit &commands) const;
    void makePromises();
    void setUpLayout();
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
    QLineEdit *m_locks;
    QLineEdit *m_inside;
    QLineEdit *m_outside;
    QSpinBox *m_servers;
    QSpinBox *m_fixedPort;
    SearchLimitForm *m_limits;
    QComboBox *m_promises; ///< Promises about server faults.
    ServerFaultForm *m_serverFaults;
    QLabel *m_hint;
};

} // namespace latchkey::ui::stories
