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

/// The examinations of the locks of a listing: they read the companion keys that recognition requests.
///
/// Several examinations run concurrently on the event loop, over one connection, so that a slow server does not delay
/// each lock by several round trips. Facts about the server are read once. Owned by the listing. The recogniser and the
/// driver are not owned. It does not decide which locks are examined.
class LockExaminations final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockExaminations)

public:
    /// `mayBegin`: whether the limit of commands permits another examination now; empty without a limit. The commands
    /// of an examination are known only after their replies, so with a limit one examination runs at a time.
    LockExaminations(const recognition::Recogniser &recogniser, exchange::LoopDriver &driver,
                     std::function<bool()> mayBegin, QObject *parent = nullptr);
    ~LockExaminations() override;

    /// Continues the examinations of these recognised locks, and emits finished(). Drops the results of earlier
    /// examinations. A lost connection ends all examinations.
    void begin(std::vector<detection::KeyExamination> examinations);
    /// Returns the known context of the server. A recognition with this context needs fewer reads.
    [[nodiscard]] const recognition::ServerContext &serverContext() const { return m_known; }
    /// Returns the result for a key; null if it was not examined.
    [[nodiscard]] detection::KeyExamination *examinationOf(const QByteArray &key);
    /// Returns why some keys were not examined. Absent if all were examined, or if their values are not readable.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    /// Returns the coverage of a listing, with the refused companion keys added. Their values might have changed the
    /// recognised kind of a lock.
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
    QTimer m_retryTimer; ///< Active while the limit permits no examination.
    std::deque<detection::KeyExamination> m_waiting;
    std::size_t m_running = 0;
    bool m_isFirstDone = false;
    QHash<QByteArray, detection::KeyExamination> m_results;
    recognition::ServerContext m_known; ///< The loaded scripts, if known.
    std::optional<base::Error> m_error;
    int m_refusedCount = 0;    ///< Number of keys with a refused companion key.
    QByteArray m_firstRefused; ///< The first refused companion key.
};

} // namespace latchkey::cli
