#pragma once

#include "core/playground/scenarios/scenarioplayer.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/pill.h"

#include <QFrame>

class QLabel;

namespace latchkey::ui::diagram {
class DiagramPanel;
}

namespace latchkey::ui::stories {

class RecipeView;

/// A view of one alternative of a story while it is played: sentence, commands of the recipe, diagram and verdict.
///
/// Servers and clients start with the first step, so that a story that is not played costs nothing. Owned by the page.
/// Clock, random source and appearance are not owned.
class AlternativeView final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlternativeView)

public:
    AlternativeView(const QString &program, const base::Clock &clock, base::RandomSource &random,
                    theme::Appearance &appearance, QWidget *parent = nullptr);
    ~AlternativeView() override;

    /// Sets the story. `file`: content to save, with all alternatives of the story.
    void setStory(const scenarios::Scenario &scenario, std::size_t alternative, const QByteArray &file);
    /// Takes the next step as soon as possible.
    void step();
    /// Ends all processes and returns to the state before the first step.
    void reset();
    void setSpeed(double speed) { m_player.setSpeed(speed); }
    /// Returns whether the next step can be taken: no step is running, and the story is not over.
    [[nodiscard]] bool isWaiting() const;
    [[nodiscard]] bool isOver() const { return m_player.state() == scenarios::ScenarioPlayer::State::Over; }
    [[nodiscard]] const scenarios::ScenarioPlayer &player() const { return m_player; }
    [[nodiscard]] diagram::DiagramPanel &panel() { return *m_diagram; }
    /// Sets the size of the text of a presentation in pixels; 0: the usual size. The sentences get it from the page.
    void setPresenting(int pixels);
    /// The heights in pixels of the texts above the diagram.
    struct HeadHeights
    {
        int title = 0;
        int sentence = 0;
    };
    /// Returns the heights that the texts need at their current widths.
    [[nodiscard]] HeadHeights neededHeights() const;
    /// Sets the heights of the texts, so that the diagrams of all alternatives are aligned.
    void setHeadHeights(const HeadHeights &heights);
    /// Returns the sentence of the last step, or of the first step if none was taken.
    [[nodiscard]] QString sentence() const;

    /// Returns a size in which all texts are complete at the current width, and some rows of the diagram visible.
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// Emitted when isWaiting() or isOver() may have changed.
    void changed();
    /// Emitted when neededHeights() may have changed.
    void headChanged();

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void setUpLayout();
    /// Sets all texts in the current language: the title, the progress, the sentence of the step, and the verdict.
    void updateTexts();
    void showStep(std::size_t step);
    void showResult(const scenarios::StepResult &result);
    void showState();
    /// Shows the verdict of the player, or the differences of the last step that has any; nothing before there is one.
    void showVerdict();
    void setVerdictText(const QString &verdict, const QString &tone);

    scenarios::Scenario m_scenario;
    std::size_t m_alternative = 0;
    std::size_t m_begun = 0;         ///< Number of steps begun.
    QList<base::Text> m_differences; ///< Of the last step that did not meet its expectations.
    bool m_isPresenting = false;
    bool m_isStepping = false; ///< Whether a step was requested and has not ended.
    widgets::Pill *m_kind;
    QLabel *m_title;
    QLabel *m_count;
    QLabel *m_sentence;
    RecipeView *m_recipe;
    diagram::DiagramPanel *m_diagram;
    QLabel *m_verdict;
    scenarios::ScenarioPlayer m_player;
};

} // namespace latchkey::ui::stories
