#pragma once

#include "core/stage/racesearch.h"
#include "core/stage/toldstory.h"
#include "ui/theme/appearance.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::stories {

/// What the race finder says of each promise, a line for each, and the shortest schedule of the one that is chosen, to
/// be played.
///
/// It is given all of it whenever there is more, or another language; the choice stays. Owned by a panel, which words
/// the verdicts; the appearance is not owned.
class RaceAnswers final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RaceAnswers)

public:
    enum class Tone : quint8 { Good, Warning, Critical, Muted };

    struct Line
    {
        stage::RaceSearch::Answer answer;
        QString verdict;
        Tone tone = Tone::Good;
    };

    /// name: what the names of its parts begin with, `race`. hasClaims: promises are claimed, or not.
    RaceAnswers(const QString &name, bool hasClaims, theme::Appearance &appearance, QWidget *parent = nullptr);
    ~RaceAnswers() override;

    void setLines(std::vector<Line> lines);
    /// Below all of them; empty: nothing.
    void setNotes(const QString &notes);

Q_SIGNALS:
    /// Somebody wants to see this. file: the story as a file.
    void chosen(const latchkey::stage::ToldStory &story, const QByteArray &file);
    /// That cannot be: why.
    void refused(const latchkey::base::Error &error);

private:
    void makeList(const QString &name);
    void makeSchedule();
    /// Null where there is none.
    [[nodiscard]] const Line *selected() const;
    void showSelected();
    void paint();
    void play();

    theme::Appearance &m_appearance; // Not owned.
    std::vector<Line> m_lines;
    QStandardItemModel *m_model;
    QTreeView *m_list;
    QLabel *m_about;            ///< Of the promise that is chosen in the list,
    QPlainTextEdit *m_schedule; ///< and the shortest schedule that breaks it.
    QPushButton *m_play;
    QLabel *m_notes;
};

} // namespace latchkey::ui::stories
