#pragma once

#include "core/inspection/inspectedserver.h"
#include "ui/inspector/actrun.h"
#include "ui/inspector/removaltext.h"
#include "ui/widgets/banner.h"

#include <QPointer>
#include <QTimer>

#include <functional>
#include <optional>

class QDialog;

namespace latchkey::ui::inspector {

/// What was done, in a sentence, and how to undo it; empty where nothing can be undone. Or how far it is, and how to
/// end it there.
struct ActReport
{
    widgets::Banner::Tone tone = widgets::Banner::Tone::Info;
    QString text;
    std::function<void()> undo;
    std::function<void()> cancel {};
};

/// The way from a wish to change keys to what has become of it: looks at them, asks, acts, reports, undoes.
///
/// Each key is changed only if it still is what the question has shown. On a server that is not armed the wish waits:
/// the question is asked once it is armed, and forgotten if it is not. What was done can be undone until it would make
/// no difference any more, or the server is disarmed. What takes long says how far it is, and can be cancelled: the
/// look at the keys before the question too. Owned by KeyActs; appearance, clock, the window that asks and the server
/// are not owned.
class ActFlow final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ActFlow)

public:
    /// No more can be looked through before saying yes.
    static constexpr std::size_t mostKeys = 100;

    ActFlow(theme::Appearance &appearance, const base::Clock &clock, QWidget &window);

    void setServer(inspection::InspectedServer *server);
    /// kind: Delete, SetEnd or Release.
    void ask(ActKind kind, const std::vector<base::Key> &keys);
    /// The server is not to be armed.
    void forget() { m_waiting.reset(); }

Q_SIGNALS:
    void armingWanted();
    /// However the question was answered.
    void answered();
    void reported(const latchkey::ui::inspector::ActReport &report);
    /// What was reported last cannot be undone any more, or cancelled.
    void undoEnded();

private:
    struct Looking;
    /// A wish that waits for arming.
    struct Waiting
    {
        ActKind kind;
        std::vector<base::Key> keys;
    };
    void armedChanged(bool isArmed);
    void look(ActKind kind, const std::vector<base::Key> &keys);
    void looked(const Looking &looking);
    void tellLooking(const std::shared_ptr<Looking> &looking);
    void askAboutEnds(const Releasables &keys);
    void askAboutDeletion(const Releasables &keys);
    void askAboutRelease(const Releasables &keys);
    void open(QDialog &question);
    void carryOut(ActKind kind, std::vector<ActRun::Step> steps);
    void undo(ActKind kind, const std::vector<ActRun::Change> &changes);
    void tellProgress(ActRun &run, int done, int all);
    void report(ActRun &run);
    void limitUndo(const std::vector<ActRun::Change> &changes);

    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QWidget &m_window;
    QPointer<inspection::InspectedServer> m_server;
    std::optional<Waiting> m_waiting;
    QTimer m_undoEnds;
};

} // namespace latchkey::ui::inspector
