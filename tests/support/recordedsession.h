#pragma once

#include "core/inspect/inspection/serverregistry.h"
#include "core/inspect/recording/recorder.h"
#include "tests/support/await.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace latchkey::test {

/// A recording of a real server in a file: a lock is held and released, another lock expires, a third lock never
/// expires. Each time below lies in the recording after its own event and before the next event.
class RecordedSession final
{
public:
    static inline const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    using Duration = std::chrono::nanoseconds;

    explicit RecordedSession(bool hasValues = true)
    {
        TestServer server;
        inspection::ServerRegistry registry(base::SystemClock::instance(), base::SystemRandom::instance());
        const auto live = registry.open(server.endpoint(), false);
        live->start();
        isMade = waitFor([&] {
            return live->watcher().phase() == watching::Watcher::Phase::Watching && live->watcher().hasChangeEvents()
                && live->locks().isIdle()
                && live->keyEventTracker().eventCoverage(0).depth != events::EventCoverage::Depth::None;
        });
        auto writer = recording::RecordingWriter::create(path(), true);
        isMade = isMade && writer.has_value();
        if (!isMade)
            return;
        recording::Recorder recorder(*live, std::move(*writer),
                                     {hasValues, {}, {}, recording::Recorder::defaultMaxBytes, {}},
                                     base::SystemRandom::instance());
        const auto holds = [&](const char *key) { return live->holds().history().holds({key, 0}); };
        const auto until = [&](auto &&condition) { isMade = isMade && waitFor(condition); };
        server({"SET", "lock:a", token, "PX", "60000"});
        until([&] { return holds("lock:a").size() == 1 && holds("lock:a").back().holder; });
        held = recorder.duration();
        server({"DEL", "lock:a"});
        until([&] { return holds("lock:a").back().isOver(); });
        released = recorder.duration();
        server({"SET", "lock:b", token, "PX", "300"});
        until([&] { return holds("lock:b").size() == 1 && holds("lock:b").back().isOver(); });
        expired = recorder.duration();
        server({"SET", "lock:c", token});
        until([&] { return live->locks().findingCount() > 0; });
        ended = recorder.duration();
        // One more change is recorded after it: the time of a recording advances only with its contents.
        server({"SET", "cart", "book", "PX", "60000"});
        until([&] { return live->store().known().table.find("cart").has_value(); });
    }

    [[nodiscard]] QString path() const { return m_folder.filePath(QStringLiteral("session.latchkey-recording")); }
    [[nodiscard]] QString pathOf(const QString &name) const { return m_folder.filePath(name); }
    [[nodiscard]] QByteArray bytes() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Writes another file into the folder of the recording. Returns its path.
    [[nodiscard]] QString write(const QString &name, const QByteArray &contents) const
    {
        QFile file(pathOf(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            qFatal("%s cannot be written", qPrintable(name));
        return file.fileName();
    }

    bool isMade = false;
    Duration held {};     ///< Time at which lock:a is held.
    Duration released {}; ///< Time at which lock:a is released.
    Duration expired {};  ///< Time at which lock:b has expired.
    Duration ended {};    ///< Time at which lock:c exists and has a finding.

private:
    QTemporaryDir m_folder;
};

} // namespace latchkey::test
