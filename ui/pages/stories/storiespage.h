#pragma once

#include "core/playground/scenarios/scenario.h"
#include "ui/kit/theme/appearance.h"

#include <QPushButton>
#include <QTimer>
#include <QVariantMap>
#include <QWidget>

namespace latchkey::base {
class Clock;
class RandomSource;
} // namespace latchkey::base

class QComboBox;
class QHBoxLayout;
class QLabel;
class QListWidget;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace latchkey::ui::stories {

class ProgramPanel;
class RacePanel;
class AlternativeView;

/// The Stories page: built-in stories and files of the user, played with clients that are processes. The alternatives
/// of a story are side by side and are played or stepped together.
///
/// All shown alternatives take one step. When all have finished it, there is a pause for reading, and then the next
/// step. Schedules found by the race finder are stories too. Owned by the main window. Clock, random source and
/// appearance are not owned.
class StoriesPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoriesPage)

public:
    /// `program`: path of latchkey-cli.
    StoriesPage(QString program, const base::Clock &clock, base::RandomSource &random, theme::Appearance &appearance,
                QWidget *parent = nullptr);
    ~StoriesPage() override;

    /// Moves the keyboard focus to the page.
    void enter();
    /// Shows only the story and its controls, in large type.
    void setPresenting(bool isPresenting);
    [[nodiscard]] bool isPresenting() const { return m_isPresenting; }
    /// Plays or pauses the story.
    void togglePlaying() { m_play->click(); }
    void takeStep() { m_step->click(); }
    void goToStart() { m_back->click(); }
    void findRaces();
    void exploreProgram() { m_explore->click(); }
    void openStory() { m_open->click(); }
    /// Adds a file to the list and shows it. If the file is no story, shows the error, and the page stays as it was.
    void openFile(const QString &path);
    /// Restores the form of the last race search in a program, without its command; see programFormKept().
    void restoreProgramForm(const QVariantMap &kept);

Q_SIGNALS:
    /// Emitted when a presentation starts or ends, before the page changes its own layout.
    void presentingChanged(bool isPresenting);
    /// Emitted with the settings to save, for restoreProgramForm() in a later run.
    void programFormKept(const QVariantMap &kept);

protected:
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    [[nodiscard]] QWidget *makeList();
    [[nodiscard]] QWidget *makeStory();
    [[nodiscard]] QHBoxLayout *makeControls();
    void listBuiltIn();
    /// Adds a story to the list. `file`: content to save. `origin`: displayed origin of the file; empty for a built-in
    /// story.
    void list(scenarios::Scenario scenario, const QByteArray &file, const QString &origin);
    void offerRaces();
    void findRace(const QString &recipe);
    void findRaceInProgram();
    void askForFile();
    void applyAppearance();
    void show(std::size_t index);
    void showAlternatives();
    void addAlternative(std::size_t alternative);
    void alignLanes();
    [[nodiscard]] bool isNarrow() const;
    void nameBack();
    void applySizes();
    void goBack();
    void step();
    void setPlaying(bool isPlaying);
    void stageChanged();
    void refresh();
    [[nodiscard]] bool areAllOver() const;
    [[nodiscard]] bool areAllWaiting() const;
    [[nodiscard]] double speed() const;
    /// Returns the pause between two steps, in which the user reads the shown sentences.
    [[nodiscard]] std::chrono::milliseconds readingTime() const;

    const QString m_program;
    const base::Clock &m_clock;      // Not owned.
    base::RandomSource &m_random;    // Not owned.
    theme::Appearance &m_appearance; // Not owned.
    /// A story in the list.
    struct StoryItem
    {
        scenarios::Scenario scenario;
        QByteArray file;
        QString origin; ///< Displayed origin of the file; empty for a built-in story.
    };
    std::vector<StoryItem> m_stories; ///< In the order of the list.
    scenarios::Scenario m_scenario;   ///< Shown story.
    QByteArray m_storyFile;           ///< File content of the shown story.
    QListWidget *m_list;
    QPushButton *m_explore;
    QPushButton *m_open;
    QLabel *m_problem;
    QLabel *m_title;
    QLabel *m_origin;
    QPushButton *m_race;
    QLabel *m_summary;
    QLabel *m_question;
    QPushButton *m_back;
    QPushButton *m_step;
    QPushButton *m_play;
    QComboBox *m_speed;
    QHBoxLayout *m_choices;
    QScrollArea *m_lanes;
    QSplitter *m_alternatives; ///< Within m_lanes.
    QWidget *m_side = nullptr; ///< List and its buttons.
    QStackedWidget *m_pages;   ///< Pages for the story and the two race finders.
    RacePanel *m_finder;
    ProgramPanel *m_programFinder;
    QPushButton *m_leave; ///< Shown only while presenting.
    bool m_isPresenting = false;
    bool m_canFindRaces = false; ///< Whether the story has recipes to search.
    bool m_isPlaying = false;
    QTimer m_readingTimer; ///< Active between two steps.
    QTimer m_alignTimer;   ///< Active until the lanes are aligned, after their layout.
};

} // namespace latchkey::ui::stories
