#pragma once

#include "core/inspection/acts.h"
#include "ui/inspector/acttext.h"

#include <QObject>
#include <QTimer>

namespace latchkey::ui::inspector {

/// An act on several keys while it is carried out: on one after the other, so that it can be ended between any two.
///
/// Tells how far it is as soon as that takes long enough to be noticed. Where the connection is lost, or the server is
/// disarmed, the others are not tried: the reason is theirs too.
/// Owned by the ActFlow.
class ActRun final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ActRun)

public:
    /// What is done to one key.
    struct Step
    {
        keyspace::KeySnapshot before;
        std::function<void(const inspection::Acts::Done &)> start;
    };
    /// What a key was before it was changed, and after.
    struct Change
    {
        keyspace::KeySnapshot before;
        keyspace::KeySnapshot after;
    };

    ActRun(ActKind kind, std::vector<Step> steps, QObject *parent);

    void start();
    /// Ends it before the next key.
    void cancel();

    [[nodiscard]] ActKind kind() const { return m_kind; }
    [[nodiscard]] const std::vector<ActedOn> &acted() const { return m_acted; }
    /// Keys that it has not come to, as it was cancelled.
    [[nodiscard]] int leftOut() const { return static_cast<int>(m_steps.size() - m_acted.size()); }
    /// Of those that were changed.
    [[nodiscard]] const std::vector<Change> &changes() const { return m_changes; }

Q_SIGNALS:
    /// It goes on, and takes long.
    void progressed(int done, int all);
    void finished();

private:
    void next();
    void ended(const base::Result<keyspace::Acted> &acted);
    void giveUp(const base::Error &error);
    void finish();

    const ActKind m_kind;
    const std::vector<Step> m_steps;
    std::vector<ActedOn> m_acted;
    std::vector<Change> m_changes;
    QTimer m_progress;
    bool m_isCancelled = false;
};

} // namespace latchkey::ui::inspector
