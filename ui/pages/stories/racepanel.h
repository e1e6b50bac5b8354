#pragma once

#include "core/explore/racesearch/racesearch.h"
#include "core/playground/scenarios/scenario.h"
#include "ui/kit/theme/appearance.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace latchkey::ui::stories {

class RaceAnswers;

/// A panel that runs the race finder on one recipe: progress, a verdict per promise, and the shortest schedule of each
/// broken promise. The schedule can be played as a story.
///
/// The finder is a separate process; its results stay after a cancellation. Owned by the page. The appearance is not
/// owned.
class RacePanel final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RacePanel)

public:
    /// `program`: path of latchkey-cli.
    RacePanel(const QString &program, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~RacePanel() override;

    /// Starts a search for that recipe, unless such a search is running or has finished. A search that failed or was
    /// cancelled is repeated.
    void find(const QString &recipe);
    [[nodiscard]] const racesearch::RaceSearch &search() const { return m_search; }

Q_SIGNALS:
    /// Emitted when the user wants to play a schedule. `file`: content of the story file.
    void chosen(const latchkey::scenarios::Scenario &story, const QByteArray &file);
    /// Emitted when the user returns to the story.
    void left();

private:
    void makeChoices();
    [[nodiscard]] QWidget *makeHead();
    void startOrCancel();
    void start();
    void showAnswers();
    [[nodiscard]] QString verdictOf(const racesearch::RaceSearch::Answer &answer) const;
    /// Sets all texts again after a change of language.
    void word();
    void refresh();
    [[nodiscard]] QString status() const;
    /// Returns the text of the result if no promise is broken.
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
    racesearch::RaceSearch m_search;
};

} // namespace latchkey::ui::stories
