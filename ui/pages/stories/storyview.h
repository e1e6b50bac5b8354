#pragma once

#include "ui/pages/stories/openedscenario.h"
#include "ui/pages/stories/storyplayback.h"

#include <QWidget>

namespace latchkey::base {
class Clock;
class RandomSource;
} // namespace latchkey::base

namespace latchkey::ui::theme {
class Appearance;
}

class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace latchkey::ui::stories {

/// A view of one story: its texts, the controls that play it, and its alternatives side by side.
///
/// Owned by the page. Clock, random source and appearance are not owned. It does not know the list of the stories.
class StoryView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoryView)

public:
    /// `program`: path of latchkey-cli.
    StoryView(const QString &program, const base::Clock &clock, base::RandomSource &random,
              theme::Appearance &appearance, QWidget *parent = nullptr);
    ~StoryView() override;

    /// Shows a story at its start. `origin`: displayed origin of the file; empty for a built-in story.
    void setStory(const OpenedScenario &story, const QString &origin);
    void play() { m_playback.setPlaying(true); }
    void pause() { m_playback.setPlaying(false); }
    /// Moves the keyboard focus to the button that plays the story.
    void takeFocus();
    void clickPlay();
    void clickStep();
    void clickBack();
    /// Does nothing while no race can be searched.
    void clickRace();
    /// Shows only the parts for a presentation, or all parts.
    void setPresenting(bool isPresenting);
    /// Sets the size of the text of a presentation in pixels; 0: the usual size.
    void setPresentedPixels(int pixels);
    /// Sets whether the alternatives need the room of the texts of some buttons.
    void setNarrow(bool isNarrow);

Q_SIGNALS:
    /// Emitted when the user requests a race search for a recipe.
    void raceRequested(const QString &recipe);
    /// Emitted when the user ends a presentation.
    void leaveRequested();

private:
    void setUpLayout();
    [[nodiscard]] QHBoxLayout *makeControls();
    void connectControls();
    void applyAppearance();
    void makeChoices();
    void offerRaces();
    void showAlternatives();
    void nameBack();
    void refresh();

    theme::Appearance &m_appearance;
    OpenedScenario m_story;
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
    AlternativeLanes *m_lanes;
    QPushButton *m_leave; ///< Shown only while presenting.
    StoryPlayback m_playback;
    bool m_isPresenting = false;
    bool m_isNarrow = true;
    bool m_canFindRaces = false; ///< Whether the story has recipes to search.
};

} // namespace latchkey::ui::stories
