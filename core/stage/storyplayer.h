#pragma once

#include "core/playground/sequencerecorder.h"
#include "core/stage/cast.h"
#include "core/stage/heldlifetimes.h"
#include "core/stage/servers.h"

#include <QTimer>

namespace latchkey::stage {

/// How an alternative of a story went.
enum class Verdict : quint8 {
    AsTold,  ///< Every expectation came true.
    Differs, ///< One did not; the story ends there.
    Unknown, ///< It cannot be known: a server or a client has ended by itself, or something took too long.
};

/// A command of a client, with what came back, for people.
struct Exchanged
{
    QString client;
    QString command;
    base::Text reply;
};

/// What has come of a step.
struct StepResult
{
    std::size_t step = 0;
    QString outcome; ///< Of what its client was told; empty where there was nothing to answer.
    playground::ClientReport report;
    std::vector<Exchanged> exchanged; ///< By all clients, since the step before.
    QStringList inside;
    QList<base::Text> differences; ///< Each a sentence that names its place; none: it went as told.
};

/// Plays one alternative of a story: on private servers, with a process for each client, killed and stopped by real
/// signals.
///
///     Empty → Preparing → Resting ⇄ Playing → … → Over      restart() and load() from any of them → Preparing
///                                                          unload() from any of them → Empty
///
/// Each step waits until it has come about (a client has answered, a process is dead or stopped, a server has removed
/// the key), and for no longer than its patience. pause() takes effect when the step under way has ended. A faster or
/// slower player scales work; leases only where the story says that what is left of one may be cut. When it is over
/// servers and clients are gone. Owned by its user; clock and random source are not owned.
class StoryPlayer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StoryPlayer)

public:
    enum class State : quint8 {
        Empty,
        Preparing, ///< Servers and clients are starting.
        Resting,   ///< Before the next step.
        Playing,   ///< A step is under way.
        Over,
    };
    Q_ENUM(State)

    /// program: latchkey-cli.
    StoryPlayer(QString program, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~StoryPlayer() override;

    /// Sets the stage for an alternative, anew where there is one already. It does not play by itself.
    void load(const ToldStory &story, std::size_t alternative);
    /// From the beginning, with new servers and clients, not playing.
    void restart();
    /// Ends servers and clients, and forgets what was loaded.
    void unload();
    /// To the end, or until pause().
    void play();
    void pause();
    /// The next step alone. While one is under way, or before the first can be, it is played as soon as that can be.
    void step();

    /// How many times faster than told: 1 unless set; greater than zero.
    void setSpeed(double speed) { m_speed = speed; }
    /// How long a step may take beyond the time that it is told to take; 30 s unless set.
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isPlaying() const { return m_isPlaying; }
    [[nodiscard]] const ToldStory &story() const { return m_story; }
    [[nodiscard]] const Alternative &alternative() const { return m_story.alternatives.at(m_alternative); }
    /// Of those that have been played.
    [[nodiscard]] const std::vector<StepResult> &results() const { return m_results; }
    /// The next step's number, or that of the one under way.
    [[nodiscard]] std::size_t position() const { return m_results.size(); }
    /// What has happened since it was loaded or restarted, also once it is Over; null while it is Empty. What servers
    /// have is in it as far as they were asked; see setWatching().
    [[nodiscard]] const sequence::Sequence *sequence() const { return m_recorder ? &m_recorder->sequence() : nullptr; }
    /// Whether servers are asked all the time what they have, for a diagram; not unless set.
    void setWatching(bool isWatching);
    /// Once it is Over.
    [[nodiscard]] Verdict verdict() const { return m_verdict; }
    /// Why that is Unknown; else empty.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }

Q_SIGNALS:
    void stateChanged(latchkey::stage::StoryPlayer::State state);
    void stepBegan(std::size_t step);
    void stepEnded(const latchkey::stage::StepResult &result);
    /// The sequence is about to be another object; ask for it anew at the next stateChanged().
    void sequenceGoes();
    void sequenceChanged();
    /// As it happens; see also StepResult.
    void exchanged(const latchkey::stage::Exchanged &exchanged);

private:
    void setState(State state);
    void prepare();
    void forget();
    void castPlays();
    /// What comes before the first step, and then the clients.
    void dress();
    void record();
    void watch();
    /// Takes it all away; from within what it takes away, later.
    void clear();
    void goOnIfWanted();

    void begin();
    void start(const Look &deed);
    void start(const playground::ClientOrder &deed);
    void start(Signal deed);
    void start(GoOn deed);
    void start(const AwaitAnswer &deed);
    void start(AwaitReport deed);
    void start(const AwaitGone &deed);
    void start(const AwaitPassed &deed);
    void start(Work deed);
    void start(StopServer deed);
    void start(const MoveClocks &deed);
    /// Cuts what is left of the key's time, as the speed has it, and then goes on.
    void cutLeft(const KeySeen &seen, std::function<void()> done);
    void lookForEnd(const AwaitGone &deed, bool isFirst);
    void lookForDeadline(const AwaitPassed &deed);

    /// Asks the servers; done is not called once they have been taken away.
    template<typename T>
    void ask(exchange::Exchange<T> question, std::function<void(const T &)> done)
    {
        m_servers->driver().run<T>(std::move(question),
                                   [this, asked = m_servers.get(), done = std::move(done)](base::Result<T> answer) {
                                       if (m_servers.get() != asked || m_isEnding)
                                           return;
                                       if (answer)
                                           done(*answer);
                                       else
                                           fail(answer.error());
                                   });
    }
    /// The same later, by the clock.
    void later(std::chrono::milliseconds time, std::function<void()> what);
    /// Whether the step has come about is asked anew whenever something changes.
    void until(std::function<bool()> isDone);
    void check();
    void tellClient(const playground::ClientOrder &deed);
    void conclude();
    void lookAndJudge();
    void followInside(const ToldStep &step);
    void judge(const std::vector<KeySeen> &keys);
    [[nodiscard]] QString outcome() const;
    void endStep(const StepResult &result);
    void refuse(const base::Text &difference);
    void fail(const base::Error &error);
    void finish(Verdict verdict);

    void setClocks();
    [[nodiscard]] const ToldStep &current() const { return alternative().steps[m_results.size()]; }
    [[nodiscard]] playground::ClientOrder scaled(playground::ClientOrder order) const;
    [[nodiscard]] std::chrono::milliseconds scaled(std::chrono::milliseconds time) const;

    const QString m_program;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    ToldStory m_story;
    std::size_t m_alternative = 0;
    double m_speed = 1;
    std::chrono::milliseconds m_patience;

    State m_state = State::Empty;
    bool m_isPlaying = false;
    bool m_isStepWanted = false;
    bool m_isWatching = false;
    bool m_isLooking = false; ///< Servers have been asked what they have, and have not all answered.
    QTimer m_watch;
    bool m_isEnding = false; ///< The verdict is there, servers and clients are about to go.
    std::unique_ptr<Servers> m_servers;
    std::unique_ptr<playground::SequenceRecorder> m_recorder; ///< Before whom it follows.
    std::unique_ptr<Cast> m_cast;
    Resource m_resource;
    HeldLifetimes m_lifetimes;         ///< Where the story holds them.
    std::map<QString, bool> m_isTaken; ///< Each client's last write.
    std::chrono::milliseconds m_clocksMoved {};
    int m_recomputed = 0;
    std::function<bool()> m_isDone; ///< Of the step under way; null while it is not to be asked.
    QTimer m_look;                  ///< Asks it again, for what nobody announces.
    QTimer m_late;                  ///< Its patience.
    QTimer m_wait;                  ///< For what it has to wait by the clock.
    std::vector<Exchanged> m_exchanged;
    std::vector<StepResult> m_results;
    Verdict m_verdict = Verdict::Unknown;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::stage
