#pragma once

#include "core/foundation/process/child.h"
#include "core/playground/lab/expirymeter.h"
#include "core/playground/lab/prefixcleanup.h"
#include "core/redis/privateserver/privateserver.h"

#include <memory>

namespace latchkey::lab {

/// A run of the lab: a writer process writes the keys of a plan and is killed, and the run measures the keys' expiry.
///
///     Idle → Starting → Writing → Waiting → Cleaning → Over        Starting, Writing, Waiting → Cleaning, by cancel()
///
/// Without a given server, the run starts a private server that ends with it. On any other server, it removes all keys
/// with the plan's prefix at the end, also after cancellation, failure or destruction. The writer is a process. It is
/// killed with SIGKILL according to the plan, and by the kernel when this program ends. Owned by the code that shows
/// it. Clock and random source are not owned.
class LabRun final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LabRun)

public:
    enum class Phase : quint8 { Idle, Starting, Writing, Waiting, Cleaning, Over };
    Q_ENUM(Phase)

    /// Counts of the results for one recipe.
    struct RecipeCounts
    {
        QString recipe;
        int keys = 0;
        int ending = 0;     ///< Keys with a TTL.
        int persistent = 0; ///< Keys without a TTL that hold data.
        int empty = 0;      ///< Keys without a TTL that hold only the recipe's placeholder.
        int absent = 0;     ///< Keys that do not exist.

        friend bool operator==(const RecipeCounts &, const RecipeCounts &) = default;
    };

    /// Creates an idle run. `writerProgram`: path of latchkey-cli.
    LabRun(QString writerProgram, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~LabRun() override;

    /// Starts the run; once per object. `plan`: a valid plan. `server`: absent for a private server.
    void start(const Plan &plan, const std::optional<net::Endpoint> &server);
    void cancel();

    [[nodiscard]] Phase phase() const { return m_phase; }
    [[nodiscard]] const Plan &plan() const { return m_plan; }
    /// Returns the number of keys with a completed or paused write.
    [[nodiscard]] int written() const { return m_written; }
    /// Returns the number of writes that were paused when the writer was killed.
    [[nodiscard]] int killedWrites() const { return m_killedWrites; }
    /// Returns the meter; null before the server is ready.
    [[nodiscard]] const ExpiryMeter *meter() const { return m_meter.get(); }
    /// Returns the known results by recipe, in plan order.
    [[nodiscard]] std::vector<RecipeCounts> recipeCounts() const;
    [[nodiscard]] bool isCancelled() const { return m_isCancelled; }
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }
    [[nodiscard]] bool isOnOwnServer() const { return m_isOnOwnServer; }

Q_SIGNALS:
    void phaseChanged();
    /// Emitted at most ten times a second while keys are written or expire.
    void progressed();

private:
    void setPhase(Phase phase);
    void begin(const net::Endpoint &server);
    void launchWriter();
    void readWriter();
    void writerReported(const QJsonObject &report);
    void writerEnded(int exitCode);
    void cleanUp();
    void releaseAll();
    void fail(const base::Error &error);

    const QString m_writerProgram;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    Plan m_plan;
    Phase m_phase = Phase::Idle;
    std::unique_ptr<privateserver::PrivateServer> m_server;
    net::Endpoint m_endpoint;
    std::unique_ptr<ExpiryMeter> m_meter;
    std::unique_ptr<process::Child> m_writer;
    QByteArray m_unread; ///< Incomplete line of the writer's output.
    std::unique_ptr<PrefixCleanup> m_cleanup;
    QTimer m_reportTimer;
    bool m_isOnOwnServer = false;
    int m_written = 0;
    int m_killedWrites = 0;
    bool m_isCancelled = false;
    std::optional<base::Error> m_error;
};

/// The verdict on a promise of a recipe, from its counts. The promises are those of the race finder.
///
/// Only some promises can be checked by counts; see verdictsOn().
struct PromiseVerdict
{
    catalogue::Promise promise = catalogue::Promise::NoImmortalData;
    bool isClaimed = false;
    int broken = 0; ///< Number of keys that break the promise.
    base::Text text;
};

/// Returns the verdicts on `no-immortal-data` and `no-immortal-key`, the two promises that counts can refute.
[[nodiscard]] std::vector<PromiseVerdict> verdictsOn(const LabRun::RecipeCounts &counts);

} // namespace latchkey::lab
