#pragma once

#include "core/keyspace/coverage.h"
#include "core/resp/connection.h"

#include <QObject>

#include <array>

namespace latchkey::keyspace {

/// The meter of a connection's coverage: which questions about keys the server answers, and since when it does not.
///
/// It listens to all that is said over the connection (see tap()), so that no reader of keys has to report its
/// refusals. A connection that is silent for 1.5 s, an error that every command gets (BUSY, MASTERDOWN …) and a refused
/// question make the watching blind, from the last good reply on.
/// Owned by the watcher, or by a command that reads once; the clock is not owned. It sends nothing.
class CoverageMeter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CoverageMeter)

public:
    /// A server that has not answered for this long is not seen.
    static constexpr std::chrono::milliseconds longestSilence {1500};

    explicit CoverageMeter(const base::Clock &clock, QObject *parent = nullptr);
    ~CoverageMeter() override;

    /// For the connection that is measured.
    [[nodiscard]] resp::Connection::Tap tap();

    // For connections that stay: from then on silence counts.

    /// Makes the watching blind until the first connection; without effect after it. The time before the first
    /// connection is no part of the answer, and does not count once there is one.
    void awaitConnection(const base::Error &why);
    void connected();
    void lost(const base::Error &why);
    /// While paused nothing is asked, and silence does not count.
    void setPaused(bool isPaused);
    /// Looks whether the server is silent; to be called many times a second.
    void check();
    /// Why the last scan did not come to its end; absent: it did.
    void setScanFailure(const std::optional<base::Error> &why);
    void setChangesDenied(const std::optional<base::Error> &why) { m_changesDenied = why; }

    /// The error that the server answers every question with, for now; absent: it does not.
    [[nodiscard]] const std::optional<base::Error> &trouble() const { return m_trouble; }
    /// The command that finds out whether that is over.
    [[nodiscard]] const resp::Command &probe() const { return m_probe; }

    /// What a scan has come to.
    struct Scanned
    {
        bool isAll = false;
        qint64 keys = 0;
        std::optional<qint64> of;
    };
    [[nodiscard]] Coverage coverage(const Scanned &scanned, std::chrono::nanoseconds lag = {}) const;

Q_SIGNALS:
    /// A time in which nothing is seen has begun or ended: see Coverage::blindness(). Emitted before the sender of the
    /// command hears the reply.
    void sightChanged();
    /// All questions may be asked again.
    void troubleEnded();

private:
    /// Place of a command among those that are measured; -1: it is not about a key.
    using Place = qint8;
    static constexpr std::size_t commandCount = 14;
    static constexpr std::size_t questionCount = 4;

    /// What is known of one command.
    struct Standing
    {
        std::optional<base::MonotonicTime> good; ///< The last good reply.
        std::optional<base::Error> refusal;
        base::MonotonicTime refusedAt;
        bool isOfTheKey = false; ///< The refusal may be about that key alone.

        [[nodiscard]] bool isOfSomeKeys() const { return isOfTheKey && good.has_value(); }
    };

    [[nodiscard]] static Place placeOf(const resp::Command &command);
    void heard(const std::vector<Place> &places, const resp::Command &last,
               const base::Result<resp::Connection::Delivery> &outcome);
    void noteAnswer(base::MonotonicTime received);
    void grant(Place place, base::MonotonicTime at);
    void refuse(Place place, const resp::Command &command, const resp::Reply &reply, base::MonotonicTime at);
    void update();
    void setBlind(std::optional<std::size_t> &open, const std::optional<Coverage::Blindness> &blindness);
    [[nodiscard]] std::optional<Coverage::Blindness> wholeBlindness() const;
    /// The refusal of a question, whatever command it is asked by; absent: it is answered.
    struct Refusal
    {
        base::Error why;
        std::optional<base::MonotonicTime> good; ///< The last good reply before.
        bool isOfSomeKeys = false;
    };
    [[nodiscard]] std::optional<Refusal> refusalOf(KeyQuestion question) const;

    const base::Clock &m_clock; // Not owned.
    const base::MonotonicTime m_began;
    std::array<Standing, commandCount> m_standings;
    std::optional<base::MonotonicTime> m_good; ///< The last good reply to any of them.
    bool m_isWatching = false;                 ///< There is a connection that stays.
    bool m_wasConnected = false;
    bool m_isPaused = false;
    base::MonotonicTime m_heard; ///< The last reply of any kind.
    int m_silentChecks = 0;
    std::optional<base::Error> m_lost; ///< Until the first good reply over the next connection.
    std::optional<base::Error> m_trouble;
    Place m_troubled = -1;
    resp::Command m_probe;
    std::optional<base::Error> m_scanFailure;
    std::optional<base::Error> m_changesDenied;
    std::vector<Coverage::Blindness> m_blindness;
    std::optional<std::size_t> m_open; ///< The place of the one that goes on.
    std::array<std::optional<std::size_t>, questionCount> m_openOf;
};

} // namespace latchkey::keyspace
