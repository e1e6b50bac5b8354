#pragma once

#include "core/inspect/inspection/keychangequeue.h"
#include "ui/pages/inspector/keychangetext.h"

#include <QObject>
#include <QTimer>

namespace latchkey::ui::inspector {

/// A running change of several keys. It handles one key after the other, so that it can be cancelled between two
/// keys.
///
/// The run reports progress once it takes noticeably long. If the connection is lost or the server is disarmed, the
/// remaining keys fail with the same error and are not tried. Owned by the KeyChangeFlow.
class KeyChangeRun final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyChangeRun)

public:
    /// The change of one key.
    struct Step
    {
        watching::KeySnapshot before;
        std::function<void(const inspection::KeyChangeQueue::Done &)> start;
    };
    /// A key before and after its change.
    struct Change
    {
        watching::KeySnapshot before;
        watching::KeySnapshot after;
    };

    KeyChangeRun(KeyChangeKind kind, std::vector<Step> steps, QObject *parent);

    void start();
    /// Stops the run before the next key.
    void cancel();

    [[nodiscard]] KeyChangeKind kind() const { return m_kind; }
    [[nodiscard]] const std::vector<KeyChangeResult> &results() const { return m_results; }
    /// Returns the number of keys not handled because the run was cancelled.
    [[nodiscard]] int leftOut() const { return static_cast<int>(m_steps.size() - m_results.size()); }
    /// Returns the keys that were changed.
    [[nodiscard]] const std::vector<Change> &changes() const { return m_changes; }

Q_SIGNALS:
    /// Emitted after each key once the run takes noticeably long.
    void progressed(int done, int all);
    void finished();

private:
    void next();
    void ended(const base::Result<watching::ChangeResult> &result);
    void abort(const base::Error &error);
    void finish();

    const KeyChangeKind m_kind;
    const std::vector<Step> m_steps;
    std::vector<KeyChangeResult> m_results;
    std::vector<Change> m_changes;
    QTimer m_progress;
    bool m_isCancelled = false;
};

} // namespace latchkey::ui::inspector
