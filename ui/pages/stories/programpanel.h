#pragma once

#include "core/explore/racesearch/racesearch.h"
#include "core/playground/scenarios/scenario.h"
#include "ui/kit/theme/appearance.h"

#include <QFrame>
#include <QVariantMap>

class QLabel;
class QProgressBar;
class QPushButton;

namespace latchkey::ui::stories {

class ProgramForm;
class RaceAnswers;

/// A panel that runs the race finder on a program of the user: form, progress, and a verdict per promise.
///
/// The panel shows either the form or the answers, so that each fits in a small window. The form keeps its content. The
/// finder is a separate process; its results stay after a cancellation. Owned by the page. The appearance is not owned.
class ProgramPanel final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ProgramPanel)

public:
    /// `finder`: path of latchkey-cli.
    ProgramPanel(const QString &finder, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~ProgramPanel() override;

    /// Moves the keyboard focus to the next useful widget.
    void enter();
    /// Restores the fields of the form, see ProgramForm.
    void restoreForm(const QVariantMap &kept);
    [[nodiscard]] const racesearch::RaceSearch &search() const { return m_search; }

Q_SIGNALS:
    /// Emitted when the user wants to play a schedule. `file`: content of the story file.
    void chosen(const latchkey::scenarios::Scenario &story, const QByteArray &file);
    /// Emitted when the user returns to the story.
    void left();
    /// Emitted when a search starts, with the fields of the form.
    void formKept(const QVariantMap &kept);

private:
    [[nodiscard]] QWidget *makeHead();
    void startOrCancel();
    void start();
    void stateChanged();
    void setFormShown(bool isShown);
    void showAnswers();
    void refresh();
    [[nodiscard]] QString status() const;

    theme::Appearance &m_appearance; // Not owned.
    QLabel *m_title;
    QPushButton *m_leave;
    ProgramForm *m_form;
    QPushButton *m_start;
    QPushButton *m_change;
    QLabel *m_status;
    QProgressBar *m_progress;
    RaceAnswers *m_answers;
    QString m_problem; ///< Error of the form, or of playing a story; empty without an error.
    bool m_isFormShown = true;
    racesearch::RaceSearch m_search;
};

} // namespace latchkey::ui::stories
