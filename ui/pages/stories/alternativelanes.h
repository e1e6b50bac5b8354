#pragma once

#include "ui/pages/stories/alternativeview.h"
#include "ui/pages/stories/openedscenario.h"

#include <QScrollArea>
#include <QTimer>

class QSplitter;

namespace latchkey::ui::stories {

/// The shown alternatives of a story, side by side as lanes. All lanes take a step together, and their diagrams start
/// at the same height. If more lanes are shown than fit, the lanes scroll.
///
/// Owned by the view of the story. Clock, random source and appearance are not owned. It does not know when the next
/// step is due, see StoryPlayback.
class AlternativeLanes final : public QScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlternativeLanes)

public:
    /// `program`: path of latchkey-cli.
    AlternativeLanes(QString program, const base::Clock &clock, base::RandomSource &random,
                     theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Replaces the lanes by those of these alternatives, at their start.
    void setStory(const OpenedScenario &story, const std::vector<std::size_t> &alternatives);
    /// Takes a step of all alternatives that are not finished.
    void step();
    /// Returns all alternatives to their start.
    void reset();
    void setSpeed(double speed);
    /// Sets the size of the text of a presentation in pixels; 0: the usual size.
    void setPresenting(int pixels);

    [[nodiscard]] bool isEmpty() const;
    /// Returns whether all alternatives are over.
    [[nodiscard]] bool areAllOver() const;
    /// Returns whether all alternatives have finished the last step.
    [[nodiscard]] bool areAllWaiting() const;
    /// Returns the number of words of the longest shown sentence.
    [[nodiscard]] qsizetype longestSentence() const;

Q_SIGNALS:
    /// Emitted when an alternative has finished a step or has started one.
    void changed();

private:
    [[nodiscard]] QList<AlternativeView *> views() const;
    void align();

    const QString m_program;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    theme::Appearance &m_appearance;
    double m_speed = 1;
    int m_presentedPixels = 0;
    QSplitter *m_splitter;
    QTimer m_alignTimer; ///< Active until the lanes are aligned, after their layout.
};

} // namespace latchkey::ui::stories
