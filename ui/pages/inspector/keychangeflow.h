#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "ui/kit/widgets/banner.h"
#include "ui/pages/inspector/keychangerun.h"
#include "ui/pages/inspector/removaltext.h"

#include <QPointer>
#include <QTimer>

#include <functional>
#include <optional>

class QDialog;

namespace latchkey::ui::inspector {

/// A message about a change: its result with a function that undoes the change, or its progress with a function that
/// cancels the change. Both functions may be empty.
struct KeyChangeReport
{
    widgets::Banner::Tone tone = widgets::Banner::Tone::Info;
    QString text;
    std::function<void()> undo;
    std::function<void()> cancel {};
};

/// The flow of a change of keys: reads the keys, asks, changes them, reports, undoes.
///
/// A key is changed only if its state is still that of the question. If the server is not armed, the request waits: the
/// question appears once the server is armed. If arming is refused, the request is dropped. Undo is offered until it
/// would have no effect, or until the server is disarmed. A slow change reports its progress and can be cancelled, also
/// while it reads the keys before the question. Owned by KeyActionBar. Appearance, clock, parent window of the
/// questions and server are not owned.
class KeyChangeFlow final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyChangeFlow)

public:
    /// Maximum number of keys per change: a user cannot check more keys before confirming.
    static constexpr std::size_t maxKeys = 100;

    KeyChangeFlow(theme::Appearance &appearance, const base::Clock &clock, QWidget &window);

    void setServer(inspection::InspectedServer *server);
    /// Sets the name of the server in the questions. Empty: they show its URL.
    void setServerName(const QString &name) { m_serverName = name; }
    /// Starts the flow. `kind`: Delete, SetExpiry or Release.
    void ask(KeyChangeKind kind, const std::vector<base::Key> &keys);
    /// Drops the waiting request, because the user refused to arm the server.
    void forget() { m_waiting.reset(); }

Q_SIGNALS:
    void armingRequested();
    /// Emitted when the question is closed, regardless of the answer.
    void answered();
    void reported(const latchkey::ui::inspector::KeyChangeReport &report);
    /// Emitted when the last report can no longer be undone or cancelled.
    void undoEnded();

private:
    [[nodiscard]] QString serverText() const;
    struct PendingRead;
    /// A request that waits for arming.
    struct Waiting
    {
        KeyChangeKind kind;
        std::vector<base::Key> keys;
    };
    void armedChanged(bool isArmed);
    void readKeys(KeyChangeKind kind, const std::vector<base::Key> &keys);
    void keysRead(const PendingRead &pending);
    void showReadProgress(const std::shared_ptr<PendingRead> &pending);
    void askAboutEnds(const ReleasePlans &keys);
    void askAboutDeletion(const ReleasePlans &keys);
    void askAboutRelease(const ReleasePlans &keys);
    void open(QDialog &question);
    void execute(KeyChangeKind kind, std::vector<KeyChangeRun::Step> steps);
    void undo(KeyChangeKind kind, const std::vector<KeyChangeRun::Change> &changes);
    void showProgress(KeyChangeRun &run, int done, int all);
    void report(KeyChangeRun &run);
    void limitUndo(const std::vector<KeyChangeRun::Change> &changes);

    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    QWidget &m_window;
    QPointer<inspection::InspectedServer> m_server;
    QString m_serverName; ///< Empty: the server was not saved under a name.
    std::optional<Waiting> m_waiting;
    QTimer m_undoTimer;
};

} // namespace latchkey::ui::inspector
