#pragma once

#include "core/playground/playground/serverpool.h"

#include <QList>
#include <QObject>
#include <QStringList>

namespace latchkey::playground {
class SequenceRecorder;
}

namespace latchkey::ui::playground {

/// The servers of the Playground as lanes of the recorded sequence: their names, and their ends and starts.
///
/// The lane of a removed server stays. Owned by the page. Server pool and recorder are not owned. It does not record
/// the content of keys, see ServerContents.
class ServerLanes final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerLanes)

public:
    ServerLanes(latchkey::playground::SequenceRecorder &recorder, latchkey::playground::ServerPool &serverPool,
                QObject *parent = nullptr);

    /// Removes the whole recording, and adds the lanes of the current servers.
    void restart();
    /// Names the lanes in the current language, and adds those of new servers.
    void refresh();

private:
    [[nodiscard]] QStringList names() const;
    void recordState(int server);

    latchkey::playground::SequenceRecorder &m_recorder;
    latchkey::playground::ServerPool &m_serverPool;
    QList<latchkey::playground::ServerPool::State> m_states; ///< Recorded states by lane.
};

} // namespace latchkey::ui::playground
