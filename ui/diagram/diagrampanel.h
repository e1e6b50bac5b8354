#pragma once

#include "core/base/error.h"
#include "ui/diagram/diagramview.h"

#include <QWidget>

#include <functional>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace latchkey::ui::diagram {

/// What is seen as a story file, and what such a file cannot say, a sentence each.
struct StoryFile
{
    QByteArray contents;
    QStringList leftOut;
};
using StoryMaker = std::function<base::Result<StoryFile>()>;

/// A sequence diagram with what belongs to it: the line that says that several clients believe to hold one lock, the
/// buttons that follow, enlarge and save, and below it what was said in whole.
///
/// The Playground, the stories and counterexamples show theirs in one of these. Owned by its page; sequence, clock and
/// appearance are not owned.
class DiagramPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DiagramPanel)

public:
    DiagramPanel(const base::Clock &clock, theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Null: nothing is shown. A sequence must be taken away before it goes.
    void setSequence(const sequence::Sequence *sequence);
    /// It may have changed.
    void refresh();
    [[nodiscard]] DiagramView &view() { return *m_view; }
    /// Offers to forget what has happened; see clearAsked(). Not unless set.
    void setClearable(bool isClearable);
    /// Offers to save what is seen as a story, made by this when it is asked for. Not unless set.
    void setStoryMaker(StoryMaker maker) { m_storyMaker = std::move(maker); }
    /// As a file of the kind that its name ends in: .png, .txt, .json (a story), or else SVG.
    [[nodiscard]] base::Result<void> saveAs(const QString &path);

Q_SIGNALS:
    void clearAsked();

private:
    void arrange();
    void applyAppearance();
    void showConflict();
    void showWire();
    void askWhereToSave();
    void saveAndTell(const QString &path);
    void updateFollow();

    theme::Appearance &m_appearance;
    DiagramView *m_view;
    QLabel *m_conflict;
    QPushButton *m_follow;
    QPushButton *m_smaller;
    QPushButton *m_larger;
    QPushButton *m_clear;
    QPushButton *m_save;
    QLabel *m_note; ///< What has come of saving, and how much has been given up.
    QPlainTextEdit *m_wire;
    StoryMaker m_storyMaker;
    QStringList m_leftOut; ///< Of what was saved last.
};

} // namespace latchkey::ui::diagram
