#pragma once

#include "core/children/child.h"
#include "core/lab/expirymeter.h"
#include "core/lab/sweep.h"
#include "core/server/privateserver.h"

#include <memory>

namespace latchkey::lab {

/// One run of the lab: has the keys of a plan written by a process, kills that process, and measures what becomes of
/// the keys.
///
///     Idle → Starting → Writing → Waiting → Cleaning → Over        any of them but the first → Cleaning, by cancel()
///
/// Without a server it starts one of its own, which is gone with it; on any other it removes all keys below the plan's
/// prefix when it is over, also when it is cancelled, has failed or is destroyed. The writer is a process, killed by
/// SIGKILL where the plan says so, and by the kernel where this program ends. Owned by the code that shows it; clock
/// and random source are not owned.
class LabRun final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LabRun)

public:
    enum class Phase : quint8 { Idle, Starting, Writing, Waiting, Cleaning, Over };
    Q_ENUM(Phase)

    /// What has become of the keys of one recipe.
    struct Tally
    {
        QString recipe;
        int keys = 0;
        int ending = 0;  ///< They had a lifetime.
        int endless = 0; ///< They were left without one, and hold data,
        int empty = 0;   ///< or nothing but what the recipe puts in its place.
        int absent = 0;  ///< Nothing of them is there.

        friend bool operator==(const Tally &, const Tally &) = default;
    };

    /// writerProgram: latchkey-cli.
    LabRun(QString writerProgram, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~LabRun() override;

    /// Once per object, with a plan that is in order. server: absent for one of its own.
    void start(const Plan &plan, const std::optional<resp::Endpoint> &server);
    void cancel();

    [[nodiscard]] Phase phase() const { return m_phase; }
    [[nodiscard]] const Plan &plan() const { return m_plan; }
    /// Keys whose write has ended or stands still.
    [[nodiscard]] int written() const { return m_written; }
    /// The writer was killed while so many writes stood still.
    [[nodiscard]] int killedWrites() const { return m_killedWrites; }
    /// Null before it is measured.
    [[nodiscard]] const ExpiryMeter *meter() const { return m_meter.get(); }
    /// By recipe, in the order of the plan, as far as is known.
    [[nodiscard]] std::vector<Tally> tallies() const;
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    [[nodiscard]] bool isOnOwnServer() const { return m_isOnOwnServer; }

Q_SIGNALS:
    void phaseChanged();
    /// More keys have been written, or have ended; told a few times a second.
    void progressed();

private:
    void setPhase(Phase phase);
    void begin(const resp::Endpoint &server);
    void launchWriter();
    void readWriter();
    void writerSaid(const QJsonObject &report);
    void writerEnded(int exitCode);
    void cleanUp();
    void letGo();
    void fail(const base::Error &error);

    const QString m_writerProgram;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    Plan m_plan;
    Phase m_phase = Phase::Idle;
    std::unique_ptr<server::PrivateServer> m_server;
    resp::Endpoint m_endpoint;
    std::unique_ptr<ExpiryMeter> m_meter;
    std::unique_ptr<children::Child> m_writer;
    QByteArray m_unread; ///< The beginning of a line of its.
    std::unique_ptr<Sweep> m_sweep;
    QTimer m_tell;
    bool m_isOnOwnServer = false;
    int m_written = 0;
    int m_killedWrites = 0;
    bool m_isCancelled = false;
    std::optional<base::Error> m_error;
};

/// What a tally says of a promise of its recipe, in the race finder's words; absent: nothing, the promise is of
/// something else.
struct PromiseVerdict
{
    caches::Promise promise = caches::Promise::NoImmortalData;
    bool isClaimed = false;
    int broken = 0; ///< By so many keys.
    base::Text text;
};

/// `no-immortal-data` and `no-immortal-key`: the two that a lab can break.
[[nodiscard]] std::vector<PromiseVerdict> verdictsOn(const LabRun::Tally &tally);

} // namespace latchkey::lab
