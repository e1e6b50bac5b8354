#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/pages/stories/openedscenario.h"

#include <QWidget>

#include <vector>

class QLabel;
class QListWidget;
class QPushButton;

namespace latchkey::ui::stories {

/// The list of the stories: built-in ones, files of the user, and schedules found by the race finder. Below the list
/// are the buttons that open a file and check a program.
///
/// Owned by the page; the appearance is not owned. The list does not show a story.
class StoryList final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoryList)

public:
    /// A story in the list.
    struct Story
    {
        OpenedScenario opened;
        QString origin; ///< Displayed origin of the file; empty for a built-in story.
    };

    explicit StoryList(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Adds the built-in stories and selects the first.
    void addBuiltIn();
    /// Adds a story. A story of the user, which has an origin, is also selected, and replaces an earlier version of the
    /// same file.
    void add(Story story);
    /// Adds a file and selects it. If the file is no story, shows the error.
    void openFile(const QString &path);
    void clickExplore();
    void clickOpen();

Q_SIGNALS:
    /// Emitted when a story is selected, or the selected story is replaced.
    void selected(const latchkey::ui::stories::StoryList::Story &story);
    /// Emitted when the user clicks a story, also if it was already selected.
    void clicked();
    /// Emitted when the user double-clicks a story, or presses Enter on it.
    void activated();
    void explorationRequested();

private:
    void setUpLayout();
    void applyAppearance();
    void askForFile();
    void select(int row);

    theme::Appearance &m_appearance;
    std::vector<Story> m_stories; ///< In the order of the list.
    QListWidget *m_list;
    QPushButton *m_explore;
    QPushButton *m_open;
    QLabel *m_problem;
};

} // namespace latchkey::ui::stories
