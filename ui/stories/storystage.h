#pragma once

#include "core/stage/storyplayer.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/pill.h"

#include <QFrame>

class QLabel;

namespace latchkey::ui::diagram {
class DiagramPanel;
}

namespace latchkey::ui::stories {

class RecipeView;

/// One alternative of a story, as it is played: the sentence, what the recipe sends, the diagram, and how it ends.
///
/// Servers and clients start with its first step, so that a story that is only looked at costs nothing. Owned by the
/// page; clock, random source and appearance are not owned.
class StoryStage final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoryStage)

public:
    StoryStage(const QString &program, const base::Clock &clock, base::RandomSource &random,
               theme::Appearance &appearance, QWidget *parent = nullptr);
    ~StoryStage() override;

    /// file: what the story is saved as, all its alternatives with it.
    void setStory(const stage::ToldStory &story, std::size_t alternative, const QByteArray &file);
    /// The next step, as soon as it can be.
    void step();
    /// Before the first step: what was there is ended.
    void reset();
    void setSpeed(double speed) { m_player.setSpeed(speed); }
    /// It can be stepped on: nothing is under way, and it is not over.
    [[nodiscard]] bool isWaiting() const;
    [[nodiscard]] bool isOver() const { return m_player.state() == stage::StoryPlayer::State::Over; }
    [[nodiscard]] const stage::StoryPlayer &player() const { return m_player; }
    [[nodiscard]] diagram::DiagramPanel &panel() { return *m_diagram; }
    /// The sentence of the step that was taken last, or of the first.
    [[nodiscard]] QString sentence() const;

Q_SIGNALS:
    /// Whether it waits, or is over.
    void changed();

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void arrange();
    /// What is composed of several texts: the title, and how far it is.
    void word();
    void showStep(std::size_t step);
    void showResult(const stage::StepResult &result);
    void showState();
    void showVerdict();
    void tell(const QString &verdict, const QString &tone);

    stage::ToldStory m_story;
    std::size_t m_alternative = 0;
    std::size_t m_begun = 0;   ///< Steps.
    bool m_isStepping = false; ///< From when a step is asked for until it has ended.
    widgets::Pill *m_kind;
    QLabel *m_title;
    QLabel *m_count;
    QLabel *m_sentence;
    RecipeView *m_recipe;
    diagram::DiagramPanel *m_diagram;
    QLabel *m_verdict;
    stage::StoryPlayer m_player;
};

} // namespace latchkey::ui::stories
