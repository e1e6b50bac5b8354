#pragma once

#include "core/stage/toldstory.h"
#include "ui/theme/appearance.h"

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
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace latchkey::ui::stories {

class ProgramPanel;
class RacePanel;
class StoryStage;

/// Stories with clients that are processes: those that come with the program, and files of the user's, each alternative
/// beside the others, played or stepped through together.
///
/// The one idea: all alternatives that are shown take a step, and when all have taken it there is time to read, and
/// then the next. What the race finder has found is a story like the others. Owned by the main window; clock, random
/// source and appearance are not owned.
class StoriesPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoriesPage)

public:
    /// program: latchkey-cli.
    StoriesPage(QString program, const base::Clock &clock, base::RandomSource &random, theme::Appearance &appearance,
                QWidget *parent = nullptr);
    ~StoriesPage() override;

    /// Puts the keyboard on the page.
    void enter();
    /// Adds a file to the list, and shows it; where it is no story, says in a sentence why, and shows what was shown.
    void openFile(const QString &path);
    /// What was last sought in a program, without its command; see programFormKept().
    void restoreProgramForm(const QVariantMap &kept);

Q_SIGNALS:
    /// To be given to restoreProgramForm() in another run.
    void programFormKept(const QVariantMap &kept);

protected:
    void hideEvent(QHideEvent *event) override;

private:
    [[nodiscard]] QWidget *makeList();
    [[nodiscard]] QWidget *makeStory();
    [[nodiscard]] QHBoxLayout *makeControls();
    void listBuiltIn();
    /// file: what it is saved as. origin: where it is from, for people; empty: it comes with the program.
    void list(stage::ToldStory story, const QByteArray &file, const QString &origin);
    void offerRaces();
    void findRace(const QString &recipe);
    void findRaceInProgram();
    void askForFile();
    void applyAppearance();
    void show(std::size_t index);
    void showAlternatives();
    void addStage(std::size_t alternative);
    void goBack();
    void step();
    void setPlaying(bool isPlaying);
    void stageChanged();
    void refresh();
    [[nodiscard]] bool areAllOver() const;
    [[nodiscard]] bool areAllWaiting() const;
    [[nodiscard]] double speed() const;
    /// How long what is shown takes to be read.
    [[nodiscard]] std::chrono::milliseconds readingTime() const;

    const QString m_program;
    const base::Clock &m_clock;      // Not owned.
    base::RandomSource &m_random;    // Not owned.
    theme::Appearance &m_appearance; // Not owned.
    /// A story of the list.
    struct Listed
    {
        stage::ToldStory story;
        QByteArray file;
        QString origin; ///< Where it is from; empty: it comes with the program.
    };
    std::vector<Listed> m_stories; ///< As in the list.
    stage::ToldStory m_story;      ///< That is shown.
    QByteArray m_storyFile;        ///< Which it is from.
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
    QSplitter *m_stages;
    QStackedWidget *m_pages; ///< The story, or a race finder.
    RacePanel *m_finder;
    ProgramPanel *m_programFinder;
    bool m_isPlaying = false;
    QTimer m_reading; ///< Between two steps.
};

} // namespace latchkey::ui::stories
