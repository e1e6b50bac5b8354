#pragma once

#include "core/playground/clientprotocol.h"

#include <chrono>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace latchkey::stage {

/// Something that happens to a client's process.
enum class Signal : quint8 {
    Crash,  ///< SIGKILL.
    Pause,  ///< SIGSTOP.
    Resume, ///< SIGCONT.
};

/// What the client was held before goes on; see ToldStep::holdBefore.
struct GoOn
{};
/// The answer to what the client was told before is due.
struct AwaitAnswer
{
    /// It comes when the time of this key is over, of which a faster player may cut what is left. Absent: of none.
    std::optional<base::Key> scalable;
    int server = 0;
};
/// The client reports something of itself.
struct AwaitReport
{
    playground::ClientReport::Event event {}; ///< Renewed or Lost.
};
/// A server removes the key because its time is over.
struct AwaitGone
{
    base::Key key;
    int server = 0;
    bool isScalable = false; ///< A faster player may cut what is left of the time.
    /// What is left of the time is cut to this first; absent: it is waited for.
    std::optional<std::chrono::milliseconds> cutTo {};
};
/// The clocks of all clients that live are moved, by the same time, until all of them are past the deadline that is
/// written in the key; also that of a client whose clock is not ahead.
struct MoveClocks
{
    base::Key key;
    int server = 0;
};
/// The deadline that is written in the key passes.
struct AwaitPassed
{
    base::Key key;
    int server = 0;
};
/// Nothing happens but that time passes.
struct Work
{
    std::chrono::milliseconds time {};
};
/// A server is killed.
struct StopServer
{
    int server = 0;
};
/// The step only looks.
struct Look
{};

/// What a step does. Of a ClientOrder, a GoOrder and a ClockOrder are the player's own affair.
using Deed = std::variant<Look, playground::ClientOrder, Signal, GoOn, AwaitAnswer, AwaitReport, AwaitGone, AwaitPassed,
                          Work, StopServer, MoveClocks>;

/// What a server must hold under a key. What is absent is not looked at.
struct KeyExpectation
{
    base::Key key;
    int server = 0;
    std::optional<bool> exists;
    std::optional<bool> expires;             ///< It has a lifetime; false: it exists and has none.
    std::optional<QByteArray> value;         ///< Of a key that holds one value.
    std::map<QByteArray, QByteArray> fields; ///< Of a hash, exactly these; none: not looked at.
    /// Whose token it holds: a client's name.
    QString heldBy;
    std::optional<std::chrono::milliseconds> atLeast; ///< How long it has left.
    std::optional<std::chrono::milliseconds> atMost;  ///< Likewise.
};

/// What a client must have sent last, and been answered. Values need not be the same: tokens and dates never are.
struct SaidExpectation
{
    QString command; ///< Its name: `SET`.
    QString reply;   ///< As Reply::toText() writes it.
};

/// What must be so after a step. What is absent is not looked at.
struct Expectation
{
    QStringList outcomes;                    ///< Of the step's deed: one of these; none: not looked at.
    std::optional<QString> reply;            ///< To a command, as Reply::toText() writes it.
    std::optional<QByteArray> value;         ///< That the client got.
    std::map<QByteArray, QByteArray> fields; ///< Likewise; none: not looked at.
    std::optional<QStringList> inside;       ///< Who is inside the protected resource; in any order.
    std::map<QString, bool> believes;        ///< Whether a client believes that it holds the lock.
    std::vector<KeyExpectation> keys;
    std::optional<QStringList> written; ///< Whose writes the resource has taken so far, in order.
    std::optional<QStringList> refused; ///< Whose writes it has refused so far, in order.
    std::optional<int> recomputed;      ///< How often clients have recomputed a value so far.
    std::optional<SaidExpectation> said {};

    QString place; ///< Where it stands in the file: `steps[3].expect`.
};

/// One sentence, what happens, and what must be so then.
struct ToldStep
{
    QString say;
    QString client; ///< Empty where it is nobody's doing.
    Deed deed;
    /// The client is held before it sends one of these, `DEL`; `WAIT`: before it pauses.
    QList<QByteArray> holdBefore;
    /// It goes on by one of these alone, of a pipeline too, and is held before the next. \a server is whose command
    /// that is, where the pipeline goes to several.
    bool isSingly = false;
    int server = 0;
    bool isInBackground = false;         ///< The story goes on before the client has answered.
    bool losesReply = false;             ///< What it is sent is carried out, and the reply never comes.
    std::chrono::milliseconds passed {}; ///< So much time goes by with it, where lifetimes are held.
    /// Of a client that says itself whether it is inside.
    struct Inside
    {
        bool isSo = true;
        base::Key room {};
    };
    std::optional<Inside> inside {}; ///< From the end of this step on; absent: as before.
    std::vector<Expectation> expectations;
    QString place; ///< Where it stands in the file: `steps[3]`.

    /// What is done, for people: `acquires lock:x by token for 10s`.
    [[nodiscard]] base::Text deedText() const;
};

/// One way in which the story can go.
struct Alternative
{
    enum class Kind : quint8 { Plain, Flawed, Sound };

    QString name;
    QString title;
    Kind kind = Kind::Plain;
    QString recipe;  ///< Its clients' unless a step names another.
    QString verdict; ///< What it shows, as one sentence.
    std::vector<ToldStep> steps;
};

/// A story that people tell with clients that are processes: what each does, one sentence for each step, what must be
/// so then, and the same with other recipes side by side.
///
/// A value, read from a file; see readToldStory(). It does nothing by itself: a StoryPlayer plays one alternative at a
/// time. A recorded conversation is another thing: stories::Story.
struct ToldStory
{
    QString title;
    QString summary;  ///< One or two sentences.
    QString question; ///< For the class; may be empty.
    QString verdict;  ///< What is to be learnt; may be empty.
    int servers = 1;
    QStringList clients;
    /// By how much a client's clock is ahead; of those that are not named, not at all.
    std::map<QString, std::chrono::milliseconds> clockAhead {};
    /// Sent to every server before the first step.
    resp::Commands beforehand {};
    /// No lifetime ends before the story says so; see HeldLifetimes.
    bool holdsLifetimes = false;
    std::vector<Alternative> alternatives; ///< One at least.
};

/// `flawed`; empty for Plain.
[[nodiscard]] QString kindId(Alternative::Kind kind);
/// How an outcome of a client's report is called in files: `not-owner`. Of Done, what the report itself calls it.
[[nodiscard]] QString outcomeId(const playground::ClientReport &report);

} // namespace latchkey::stage
