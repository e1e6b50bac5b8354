#pragma once

#include "core/explore/racesearch/racesearch.h"
#include "core/playground/scenarios/scenario.h"
#include "ui/kit/theme/appearance.h"
#include "ui/pages/stories/raceanswers.h"

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace latchkey::ui::stories {

/// The base class of a panel that runs the race finder: progress, and a verdict per promise. The derived panel adds the
/// form of its search, and the texts.
///
/// The finder is a separate process; its results stay after a cancellation. Owned by the page. The appearance is not
/// owned.
class RaceSearchPanel : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RaceSearchPanel)

public:
    ~RaceSearchPanel() override;

    [[nodiscard]] const racesearch::RaceSearch &search() const { return m_search; }

Q_SIGNALS:
    /// Emitted when the user wants to play a schedule. `file`: content of the story file.
    void chosen(const latchkey::scenarios::Scenario &scenario, const QByteArray &file);
    /// Emitted when the user returns to the story.
    void backRequested();

protected:
    /// The constant parts of a panel.
    struct Kind
    {
        QString name;      ///< Prefix of the object names, such as `race`.
        QString startKind; ///< Kind of the start button for the style sheet.
        bool hasClaims;    ///< Whether a recipe claims the promises.
    };

    /// `finder`: path of latchkey-cli.
    RaceSearchPanel(const Kind &kind, const QString &finder, theme::Appearance &appearance, QWidget *parent);

    /// Adds the head, which contains leaveButton(), startButton() and statusLabel(), and all parts below it.
    void layOut(QWidget *head);
    [[nodiscard]] QLabel *titleLabel() const { return m_title; }
    [[nodiscard]] QPushButton *leaveButton() const { return m_leave; }
    [[nodiscard]] QPushButton *startButton() const { return m_start; }
    [[nodiscard]] QLabel *statusLabel() const { return m_status; }
    [[nodiscard]] QProgressBar *progressBar() const { return m_progress; }
    [[nodiscard]] RaceAnswers *answers() const { return m_answers; }
    [[nodiscard]] racesearch::RaceSearch &finder() { return m_search; }
    /// Sets an error of the form, or of playing a story. Empty: no error.
    void setProblem(const QString &problem) { m_problem = problem; }
    [[nodiscard]] bool isRunning() const { return m_search.state() == racesearch::RaceSearch::State::Running; }
    /// Sets the verdicts again after a new answer or a change of language.
    void showAnswers();

    virtual void start() = 0;
    /// Called when a search starts or ends.
    virtual void stateChanged() { refresh(); }
    virtual void refresh();
    [[nodiscard]] virtual std::vector<RaceAnswers::Line> lines() const = 0;
    /// Returns the notes below the verdicts. Empty without notes.
    [[nodiscard]] virtual QString notes() const { return {}; }
    [[nodiscard]] virtual QString titleText() const = 0;
    /// Returns whether the start button repeats the last search.
    [[nodiscard]] virtual bool canRepeat() const = 0;
    /// Returns the status of a running search.
    [[nodiscard]] virtual QString runningText() const = 0;
    /// Returns the result for all promises together.
    [[nodiscard]] virtual QString resultText() const = 0;
    /// Returns the completed part of the search, from 0 to 1. Absent if it is unknown.
    [[nodiscard]] virtual std::optional<double> progressed() const = 0;

private:
    void startOrCancel();
    [[nodiscard]] QString status() const;

    const QString m_startKind;
    theme::Appearance &m_appearance; // Not owned.
    QLabel *m_title;
    QPushButton *m_start;
    QPushButton *m_leave;
    QLabel *m_status;
    QProgressBar *m_progress;
    RaceAnswers *m_answers;
    QString m_problem;
    racesearch::RaceSearch m_search;
};

} // namespace latchkey::ui::stories
