#pragma once

#include "core/foundation/base/error.h"
#include "ui/views/diagram/diagramview.h"

#include <QWidget>

#include <functional>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace latchkey::ui::diagram {

/// A sequence as a story file, with one sentence for each fact that the format cannot express.
struct StoryFile
{
    QByteArray contents;
    QStringList leftOut;
};
using StoryMaker = std::function<base::Result<StoryFile>()>;

/// A sequence diagram with its controls: a line about a conflict of holders, buttons to follow, zoom and save, and the
/// full text of a message.
///
/// It is used by the Playground, the stories and the counterexamples. Owned by its page. Sequence, clock and appearance
/// are not owned.
class DiagramPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DiagramPanel)

public:
    DiagramPanel(const base::Clock &clock, theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Sets the sequence. Null: an empty diagram. A sequence must be removed before it is destroyed.
    void setSequence(const sequence::Sequence *sequence);
    /// Updates the panel after a possible change of the sequence.
    void refresh();
    [[nodiscard]] DiagramView &view() { return *m_view; }
    /// Shows or hides the button that clears the sequence; see clearRequested(). Hidden by default.
    void setClearable(bool isClearable);
    /// Shows the panel without its buttons, and follows new events, as a presentation needs it.
    void setPresented(bool isPresented);
    /// Sets the function that creates a story file from the sequence. Without it, a sequence cannot be saved as a
    /// story.
    void setStoryMaker(StoryMaker maker) { m_storyMaker = std::move(maker); }
    /// Saves the diagram in the format of the file suffix: .png, .txt or .json; SVG for any other suffix. A .json file
    /// is a story and needs a story maker. A sequence must be set.
    [[nodiscard]] base::Result<void> saveAs(const QString &path);

Q_SIGNALS:
    void clearRequested();

private:
    void setUpLayout();
    void applyAppearance();
    void showConflict();
    void showWire();
    void askWhereToSave();
    void saveAndReport(const QString &path);
    void updateFollow();

    theme::Appearance &m_appearance;
    DiagramView *m_view;
    QLabel *m_conflict;
    QWidget *m_buttons; ///< The buttons and the note.
    QPushButton *m_follow;
    QPushButton *m_smaller;
    QPushButton *m_larger;
    QPushButton *m_clear;
    QPushButton *m_save;
    QLabel *m_note; ///< Result of saving, and the number of dropped messages.
    QPlainTextEdit *m_commands;
    StoryMaker m_storyMaker;
    QStringList m_leftOut; ///< Facts that were left out of the last saved story.
};

} // namespace latchkey::ui::diagram
