#pragma once

#include "core/base/uniquequeue.h"
#include "core/keyspace/commandbudget.h"
#include "core/keyspace/completion.h"
#include "core/keyspace/valuereader.h"

#include <optional>

namespace latchkey::keyspace {

/// Which values are read next, and when.
///
/// In this order: what has to be read at once, because it has just changed; what is on screen, every second; what
/// somebody wishes to know of keys that are not on screen; and, where the rows are sorted by it, what all others lack.
/// One batch at a time, within the budget, with two exceptions that are stated where they are asked for.
/// Owned by the Watcher, which tells it when there is a connection; what is known, fan-out and budget are not owned.
class ValueQueue final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValueQueue)

public:
    /// How far the watching has come, which says what may be read.
    enum class Stage : quint8 { Scanning, Watching };

    ValueQueue(const keys::KnownKeys &known, const FanOut &fanOut, CommandBudget &budget, const base::Clock &clock,
               QObject *parent = nullptr);

    /// Null: there is none any more, and what was waiting for it is forgotten.
    void setConnection(resp::Connection *connection);
    /// While paused nothing is read.
    void setPaused(bool isPaused) { m_isPaused = isPaused; }
    void setStage(Stage stage) { m_stage = stage; }

    /// The keys on screen.
    void setAttention(const std::vector<keys::KeyId> &ids);
    /// Reads the types, or the values, of all keys that lack them.
    void setCompletion(std::optional<ValueReader::What> what) { m_completion.want(what); }
    /// Whether that is held to the budget: it is, unless set.
    void setCompletionFree(bool isFree) { m_isCompletionFree = isFree; }
    /// Reads this key with the next batch: its value is shown, and may be another one now.
    void readAtOnce(const QByteArray &name, Source source);
    /// Since when the oldest of those waits; max(): none does.
    [[nodiscard]] base::MonotonicTime oldestWaiting() const
    {
        return m_waiting.empty() ? base::MonotonicTime::max() : m_waitingSince;
    }
    /// Sends what readAtOnce() has collected, unless a batch is under way, after which it is sent by itself.
    void readWaiting();
    /// Reads these keys, of which somebody wants to know more, when nothing more urgent is to be read. A key that waits
    /// already is not read twice.
    void wish(const QList<QByteArray> &names);
    /// From now on wishes are not held to the budget, until allWished() has been said and there are none left.
    void freeWishes();
    /// All has been wished for that there is to wish for at first.
    void allWished() { m_areAllWished = true; }
    /// How many wishes wait, or are being read.
    [[nodiscard]] qsizetype wishes() const { return m_wished.size() + m_wishesUnderWay; }

    /// Reads what is due.
    void tick(base::MonotonicTime now);

private:
    [[nodiscard]] bool isReady() const;
    void read(std::vector<QByteArray> names, ValueReader::What what, Source source);
    [[nodiscard]] bool readAttention(base::MonotonicTime now);
    [[nodiscard]] bool readWished(base::MonotonicTime now);
    [[nodiscard]] bool readLacking(base::MonotonicTime now);
    [[nodiscard]] std::size_t affordable(base::MonotonicTime now, int commandsPerKey) const;
    /// A batch is over: the next one, where it need not wait for a tick.
    void goOn();
    void settle();

    const keys::KnownKeys &m_known; // Not owned.
    CommandBudget &m_budget;        // Not owned.
    const base::Clock &m_clock;     // Not owned.
    ValueReader m_reader;
    Completion m_completion;
    QPointer<resp::Connection> m_connection; // Not owned.
    Stage m_stage = Stage::Scanning;
    bool m_isPaused = false;
    bool m_isFree = false; ///< The batch under way is not held to the budget.
    quint64 m_settled = 0; ///< The reader's commands, as far as the budget knows.
    std::vector<keys::KeyId> m_attention;
    base::MonotonicTime m_nextAttention;
    std::vector<QByteArray> m_waiting;
    base::MonotonicTime m_waitingSince;
    Source m_waitingSource = Source::Read;
    base::UniqueQueue<QByteArray> m_wished;
    qsizetype m_wishesUnderWay = 0; ///< In the batch that is being read.
    bool m_isCompletionFree = false;
    bool m_areWishesFree = false;
    bool m_areAllWished = false;
};

} // namespace latchkey::keyspace
