#pragma once

#include "core/inspect/detection/keyexamination.h"
#include "core/keyspace/events/coverage.h"

#include <QHash>
#include <QTimer>

#include <deque>
#include <functional>
#include <optional>

namespace latchkey::exchange {
class LoopDriver;
}

namespace latchkey::cli {

/// The examinations of the locks of a listing: they read the companion keys that recognition asks for.
///
/// Several examinations run at a time on the event loop, over one connection, so that a slow server does not delay each
/// lock by several round trips. Facts about the server are read once. Owned by the listing. The recogniser and the
/// driver are not owned. It does not decide which locks are examined.
class LockExaminations final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockExaminations)

public:
    /// mayBegin: whether the limit of commands permits another examination now; empty without a limit. The commands of
    /// an examination are known only after their replies, so with a limit one examination runs at a time.
    LockExaminations(const recognition::Recogniser &recogniser, exchange::LoopDriver &driver,
                     std::function<bool()> mayBegin, QObject *parent = nullptr);
    ~LockExaminations() override;

    /// Continues these examinations of locks that were read and recognised, and emits finished(). The results of
    /// earlier ones are dropped. A lost connection ends all examinations.
    void begin(std::vector<detection::KeyExamination> examinations);
    /// Returns the facts about the server that are known so far. A recognition that uses them has fewer questions.
    [[nodiscard]] const recognition::ServerContext &serverContext() const { return m_known; }
    /// Returns the result for a key; null if it was not examined.
    [[nodiscard]] detection::KeyExamination *of(const QByteArray &key);
    /// Returns why some keys were not examined; absent: all were, or their values may not be read.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    /// Returns this coverage of a listing, and in it the companion keys that the server refused. Their values might
    /// have changed the recognised kind of a lock.
    [[nodiscard]] events::Coverage addedTo(const events::Coverage &coverage) const;

Q_SIGNALS:
    void finished();

private:
    void beginMore();
    void noteRefusals(const detection::KeyExamination &examination);
    void take(const QByteArray &key, base::Result<detection::KeyExamination> result);

    const recognition::Recogniser &m_recogniser; // Not owned.
    exchange::LoopDriver &m_driver;              // Not owned.
    const std::function<bool()> m_mayBegin;
    QTimer m_retry; ///< Runs while the limit permits no examination.
    std::deque<detection::KeyExamination> m_waiting;
    std::size_t m_running = 0;
    bool m_isFirstDone = false;
    QHash<QByteArray, detection::KeyExamination> m_results;
    recognition::ServerContext m_known; ///< The loaded scripts, once they are known.
    std::optional<base::Error> m_error;
    int m_refusedCount = 0;    ///< Number of keys with a companion key that was refused.
    QByteArray m_firstRefused; ///< The first refused companion key.
};

} // namespace latchkey::cli
