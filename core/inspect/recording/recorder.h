#pragma once

#include "core/foundation/base/globs.h"
#include "core/inspect/inspection/inspectedserver.h"
#include "core/inspect/recording/format.h"
#include "core/inspect/recording/recordingwriter.h"
#include "core/inspect/recording/valuemask.h"

#include <memory>

namespace latchkey::recording {

/// A recorder of the observations of a server with their times. Conclusions are not recorded, because a replay draws
/// them again, except the recognition of an omitted value.
///
/// The recorder first writes the known keys, in slices, and then listens. If keys are already known, it repeats the
/// requests for server facts and scripts once. It sends nothing else. Owned by the code that wants a recording; the
/// server is not owned and outlives it.
class Recorder final : public QObject, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Recorder)

public:
    struct Options
    {
        bool hasValues = true;
        base::Globs globs;                        ///< Patterns of the recorded keys.
        QString program;                          ///< Version of the program.
        qint64 maxBytes = defaultMaxBytes;        ///< Size limit in bytes; the line that reaches it is the last one.
        std::optional<base::MonotonicTime> began; ///< Start of the recording, see RecordedClock; absent: now.
    };
    static constexpr qint64 defaultMaxBytes = 1LL << 30;

    Recorder(inspection::InspectedServer &server, std::unique_ptr<RecordingWriter> writer, const Options &options,
             base::RandomSource &random, QObject *parent = nullptr);
    /// Calls finish() without returning its result.
    ~Recorder() override;

    /// Ends the recording and writes the rest. Error: the reason why the recording is incomplete. A second call returns
    /// the same result.
    base::Result<void> finish();

    [[nodiscard]] qint64 size() const { return m_writer->size(); }
    [[nodiscard]] std::chrono::nanoseconds duration() const { return m_server.clock().now() - m_began; }
    [[nodiscard]] bool hasValues() const { return m_options.hasValues; }
    [[nodiscard]] qint64 maxBytes() const { return m_options.maxBytes; }
    /// See RecordingWriter.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_writer->error(); }

Q_SIGNALS:
    /// Emitted when recording has stopped, because the size limit is reached or the file cannot be written.
    void failed(const latchkey::base::Error &error);

private:
    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void eventCoverageChanged(events::NodeIndex node, const events::EventCoverage &eventCoverage) override;
    void flushAnnounced(events::NodeIndex node, base::MonotonicTime received, events::FlushKind kind) override;
    void receivedUpTo(events::NodeIndex node, base::MonotonicTime time) override;

    void begin();
    void takeKnown();
    void append(keys::KeyId id, events::Observations &observations) const;
    void requestAgain();
    void answered(const resp::Commands &commands, const net::Connection::Delivery &delivery);
    void noteWatched();
    void noteCoverage();
    /// Returns whether a coverage differs from the last written one, except for its time.
    [[nodiscard]] bool isNew(events::Coverage::Parts coverage) const;
    void noteGap();
    void writeCoverage(const events::Coverage &coverage, bool isGapChanged, base::MonotonicTime at);
    void noteShown();
    template<typename What>
    void write(What &&what);
    template<typename What>
    void writeAt(base::MonotonicTime at, What &&what);
    void writeAll(events::Observations observations);
    void recordRecognised(const QByteArray &key, const keys::RawValue &value);
    [[nodiscard]] WatchState watched() const;

    inspection::InspectedServer &m_server; // Not owned.
    std::unique_ptr<RecordingWriter> m_writer;
    const Options m_options;
    const ValueMask m_mask;
    const base::MonotonicTime m_began;
    Encoder m_encoder;
    WatchState m_watched;                             ///< The last written state.
    std::optional<events::Coverage::Parts> m_covered; ///< The last written coverage.
    QTimer m_knownKeysTimer;
    quint32 m_nextKnown = 0;       ///< The first previously known key that is not written yet.
    bool m_isKnownTaken = false;   ///< Whether all previously known keys were written.
    QSet<QByteArray> m_seenBefore; ///< Keys that were observed before all previously known keys were written.
    bool m_hasUnshown = false;
    bool m_isFinished = false;
};

} // namespace latchkey::recording
