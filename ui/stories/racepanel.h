#pragma once

#include "core/stage/racesearch.h"
#include "core/stage/toldstory.h"
#include "ui/theme/appearance.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace latchkey::ui::stories {

class RaceAnswers;

/// The race finder on one recipe: how far it is, what it says of each promise, and the shortest schedule for each that
/// is broken, to be played.
///
/// The finder is a process of its own, and what it has found stays when it is cancelled. Owned by the page; the
/// appearance is not owned.
class RacePanel final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RacePanel)

public:
    /// program: latchkey-cli.
    RacePanel(const QString &program, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~RacePanel() override;

    /// Starts on that recipe, unless it is at it, or has answered already.
    void find(const QString &recipe);
    [[nodiscard]] const stage::RaceSearch &search() const { return m_search; }

Q_SIGNALS:
    /// Somebody wants to see this.
    /// file: the story as a file.
    void chosen(const latchkey::stage::ToldStory &story, const QByteArray &file);
    /// Or the story again.
    void left();

private:
    void makeChoices();
    [[nodiscard]] QWidget *makeHead();
    void startOrCancel();
    void start();
    void showAnswers();
    [[nodiscard]] QString verdictOf(const stage::RaceSearch::Answer &answer) const;
    /// Anew, in another language.
    void word();
    void refresh();
    [[nodiscard]] QString status() const;
    /// What it has come to if nothing is broken.
    [[nodiscard]] QString allHold() const;

    theme::Appearance &m_appearance; // Not owned.
    QLabel *m_title;
    QComboBox *m_clients;
    QComboBox *m_faults;
    QPushButton *m_start;
    QPushButton *m_leave;
    QLabel *m_status;
    QProgressBar *m_progress;
    RaceAnswers *m_answers;
    QString m_recipe;
    stage::RaceSearch m_search;
};

} // namespace latchkey::ui::stories
