#pragma once

#include "ui/kit/theme/appearance.h"

#include <QVariantMap>
#include <QWidget>

namespace latchkey::base {
class Clock;
class RandomSource;
} // namespace latchkey::base

class QStackedWidget;

namespace latchkey::ui::stories {

class ProgramPanel;
class RacePanel;
class StoryList;
class StoryView;

/// The Stories page: built-in stories and files of the user, played with clients that are processes. The alternatives
/// of a story are side by side and are played or stepped together.
///
/// The page connects the list, the view of the selected story, and the two race finders; schedules found by them are
/// stories too. Owned by the main window. Clock, random source and appearance are not owned.
class StoriesPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoriesPage)

public:
    /// `program`: path of latchkey-cli.
    StoriesPage(const QString &program, const base::Clock &clock, base::RandomSource &random,
                theme::Appearance &appearance, QWidget *parent = nullptr);
    ~StoriesPage() override;

    /// Moves the keyboard focus to the page.
    void takeFocus();
    /// Shows only the story and its controls, in large type.
    void setPresenting(bool isPresenting);
    [[nodiscard]] bool isPresenting() const { return m_isPresenting; }
    /// Plays or pauses the story.
    void togglePlaying();
    void takeStep();
    void goToStart();
    void findRaces();
    void exploreProgram();
    void openStory();
    /// Adds a file to the list and shows it. If the file is no story, shows the error, and the page stays as it was.
    void openFile(const QString &path);
    /// Restores the form of the last race search in a program, without its command; see programFormSaved().
    void restoreProgramForm(const QVariantMap &state);

Q_SIGNALS:
    /// Emitted when a presentation starts or ends, before the page changes its own layout.
    void presentingChanged(bool isPresenting);
    /// Emitted with the settings to save, for restoreProgramForm() in a later run.
    void programFormSaved(const QVariantMap &state);

protected:
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void setUpLayout();
    void connectParts();
    void showStory();
    void findRace(const QString &recipe);
    void findRaceInProgram();
    void applySizes();

    bool m_isPresenting = false;
    StoryList *m_list;
    QStackedWidget *m_pages; ///< Pages for the story and the two race finders.
    StoryView *m_story;
    RacePanel *m_finder;
    ProgramPanel *m_programFinder;
};

} // namespace latchkey::ui::stories
