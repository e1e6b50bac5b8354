#pragma once

#include "core/playground/playground/clientprocess.h"
#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/scenarios/resource.h"
#include "ui/kit/theme/appearance.h"
#include "ui/pages/playground/believedholder.h"

#include <QWidget>

namespace latchkey::ui::diagram {
class DiagramPanel;
}

namespace latchkey::ui::playground {

class ResourceView;
class StableLabel;

/// A panel with the diagram of the recorded sequence, the resource that the locks protect and, while presenting, a
/// sentence about the last result. The panel records the writes to the resource.
///
/// Owned by the page. Recorder, appearance and clock are not owned.
class SequencePanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SequencePanel)

public:
    SequencePanel(latchkey::playground::SequenceRecorder &recorder, theme::Appearance &appearance,
                  const base::Clock &clock, QWidget *parent = nullptr);

    /// Shows a client's report in the sentence, and a write to the resource.
    void showReport(const latchkey::playground::ClientProcess &client,
                    const latchkey::playground::ClientReport &report);
    /// Shows the clients that believe that they hold a lock, by key.
    void showHolders(const BelievedHolders &inside);
    /// Replaces the resource by an unused one, and shows a sentence.
    void restart(const QString &sentence);
    /// Shows the sentence, and the diagram as a presentation does, or as usual.
    void setPresenting(bool isPresenting);
    /// Moves the keyboard focus to the diagram.
    void takeFocus();
    /// Sets the scale of the diagram; 1: as usual.
    void setScale(double scale);

private:
    void setUpLayout();
    void setUpDiagram();
    void retranslate();

    latchkey::playground::SequenceRecorder &m_recorder;
    scenarios::Resource m_resource;
    diagram::DiagramPanel *m_diagram;
    ResourceView *m_resourceView;
    StableLabel *m_sentence;
};

} // namespace latchkey::ui::playground
