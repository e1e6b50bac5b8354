#pragma once

#include "core/explore/racesearch/racesearch.h"
#include "core/playground/scenarios/scenario.h"
#include "ui/kit/theme/appearance.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::stories {

/// A list of the race finder's verdicts, one per promise, with the shortest schedule of the selected promise. The
/// schedule can be played as a story.
///
/// All lines are set again after each new answer or change of language; the selection stays. Owned by a panel, which
/// writes the texts of the verdicts. The appearance is not owned.
class RaceAnswers final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RaceAnswers)

public:
    enum class Tone : quint8 { Good, Warning, Critical, Muted };

    /// A verdict on a promise, with its text and tone.
    struct Line
    {
        racesearch::RaceSearch::Answer answer;
        QString verdict;
        Tone tone = Tone::Good;
    };

    /// `name`: prefix of the object names of its parts, such as `race`. `hasClaims`: whether the recipe claims
    /// promises.
    RaceAnswers(const QString &name, bool hasClaims, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~RaceAnswers() override;

    void setLines(std::vector<Line> lines);
    /// Sets the notes below the list. Empty without notes.
    void setNotes(const QString &notes);

Q_SIGNALS:
    /// Emitted when the user wants to play a schedule. `file`: content of the story file.
    void chosen(const latchkey::scenarios::Scenario &scenario, const QByteArray &file);
    /// Emitted if the schedule cannot be played.
    void refused(const latchkey::base::Error &error);

private:
    void makeList(const QString &name);
    void makeSchedule();
    /// Returns the selected line. Null without a selection.
    [[nodiscard]] const Line *selected() const;
    void showSelected();
    void paint();
    void play();

    theme::Appearance &m_appearance; // Not owned.
    std::vector<Line> m_lines;
    QStandardItemModel *m_model;
    QTreeView *m_list;
    QLabel *m_about;            ///< Description of the selected promise.
    QPlainTextEdit *m_schedule; ///< Shortest schedule that breaks the selected promise.
    QPushButton *m_play;
    QLabel *m_notes;
};

} // namespace latchkey::ui::stories
