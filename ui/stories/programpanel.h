#pragma once

#include "core/stage/racesearch.h"
#include "core/stage/toldstory.h"
#include "ui/theme/appearance.h"

#include <QFrame>
#include <QVariantMap>

class QLabel;
class QProgressBar;
class QPushButton;

namespace latchkey::ui::stories {

class ProgramForm;
class RaceAnswers;

/// The race finder on a program of the user's: the form, how far it is, and what it says of each promise.
///
/// Either the form is shown or the answers, so that there is room for each in a small window; the form keeps what is in
/// it. The finder is a process of its own, and what it has found stays when it is cancelled. Owned by the page; the
/// appearance is not owned.
class ProgramPanel final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ProgramPanel)

public:
    /// finder: latchkey-cli.
    ProgramPanel(const QString &finder, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~ProgramPanel() override;

    /// Puts the keyboard where one goes on.
    void enter();
    /// See ProgramForm.
    void restoreForm(const QVariantMap &kept);
    [[nodiscard]] const stage::RaceSearch &search() const { return m_search; }

Q_SIGNALS:
    /// Somebody wants to see this. file: the story as a file.
    void chosen(const latchkey::stage::ToldStory &story, const QByteArray &file);
    /// Or the story again.
    void left();
    /// A search has been started with this in the form.
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
    QString m_problem; ///< With the form, or with playing a story; empty: none.
    bool m_isFormShown = true;
    stage::RaceSearch m_search;
};

} // namespace latchkey::ui::stories
