#pragma once

#include "core/playground/playground/clientprotocol.h"
#include "core/playground/sequence/sequence.h"

#include <chrono>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace latchkey::scenarios {

/// A signal to a client's process.
enum class Signal : quint8 {
    Crash,  ///< SIGKILL.
    Pause,  ///< SIGSTOP.
    Resume, ///< SIGCONT.
};

/// An action that resumes a client at a breakpoint; see ScenarioStep::breakBefore.
struct ResumeClient
{};
/// An action that awaits the answer to the client's previous order.
struct AwaitAnswer
{
    /// Key whose expiry triggers the answer; the player may scale its TTL by the speed. Absent: no such key.
    std::optional<base::Key> scalable;
    int server = 0;
};
/// An action that awaits an unsolicited report of the client.
struct AwaitReport
{
    playground::ClientReport::Event event {}; ///< Renewed or Lost.
};
/// An action that awaits the expiry of a key on a server.
struct AwaitGone
{
    base::Key key;
    int server = 0;
    bool isScalable = false; ///< Whether the player may scale the TTL by the speed.
    /// TTL to set first; absent: the TTL stays unchanged.
    std::optional<std::chrono::milliseconds> cutTo {};
};
/// An action that moves the clocks of all live clients by the same time, until every clock is past the deadline stored
/// in the key. This includes clocks that are not ahead.
struct AdvanceClocks
{
    base::Key key;
    int server = 0;
};
/// An action that awaits the deadline stored in the key.
struct AwaitDeadline
{
    base::Key key;
    int server = 0;
};
/// An action that waits for this time.
struct Work
{
    std::chrono::milliseconds time {};
};
/// An action that kills a server.
struct KillServer
{
    int server = 0;
};
/// An action that kills a server and starts it again, without data.
struct RestartServer
{
    int server = 0;
};
/// An action that cuts the connection between a replica and its server.
struct CutReplica
{
    int server = 0;
    int replica = 0;
};
/// An action that kills a server and promotes one of its replicas, which gets the address of the server.
struct Failover
{
    int server = 0;
    int replica = 0;
};
/// An action that gives a server the keys that it has after a fault. The server continues to run; the player changes
/// the keys by commands. Connections stay open.
struct ChangeServerKeys
{
    enum class Fault : quint8 {
        LostNothing,
        LostWrites, ///< The server has the keys from before the step `keptBefore`.
        LostAll,    ///< The server is empty.
        ClockJump,  ///< The server has no key with a TTL.
    };

    int server = 0;
    Fault fault = Fault::LostAll;
    std::size_t keptBefore = 0; ///< Number of the step, from 0; see ScenarioStep::keepsKeys.
    sequence::ServerEvent event = sequence::ServerEvent::StartedEmpty; ///< The fault, for a diagram.
};
/// An action that only checks expectations.
struct CheckExpectations
{};

/// The action of a step. Among client orders, only the player itself uses ResumeOrder and ClockOrder.
using StepAction =
    std::variant<CheckExpectations, playground::ClientOrder, Signal, ResumeClient, AwaitAnswer, AwaitReport, AwaitGone,
                 AwaitDeadline, Work, KillServer, RestartServer, CutReplica, Failover, AdvanceClocks, ChangeServerKeys>;

/// The expected content of a key on a server. Absent members are not checked.
struct KeyExpectation
{
    base::Key key;
    int server = 0;
    std::optional<int> replica {}; ///< Replica of that server; absent: the server itself.
    std::optional<bool> exists;
    std::optional<bool> expires;             ///< Whether the key has a TTL; false: it exists without one.
    std::optional<QByteArray> value;         ///< Value of a string key.
    std::map<QByteArray, QByteArray> fields; ///< Exact fields of a hash; empty: not checked.
    /// Name of the client that owns the stored token.
    QString heldBy;
    std::optional<std::chrono::milliseconds> atLeast; ///< Minimum TTL.
    std::optional<std::chrono::milliseconds> atMost;  ///< Maximum TTL.
};

/// The expected last command of a client and its reply. Any two bulk strings count as equal, because tokens and dates
/// always differ.
struct CommandExpectation
{
    QString command; ///< Name of the command: `SET`.
    QString reply;   ///< Reply in the format of Reply::toText().
};

/// The expected state after a step. Absent members are not checked.
struct StepExpectation
{
    QStringList outcomes;                    ///< Allowed outcomes of the step; empty: not checked.
    std::optional<QString> reply;            ///< Reply to a command, in the format of Reply::toText().
    std::optional<QByteArray> value;         ///< Value that the client received.
    std::map<QByteArray, QByteArray> fields; ///< Fields that the client received; empty: not checked.
    std::optional<QStringList> inside;       ///< Clients inside the protected resource, in any order.
    std::map<QString, bool> believes;        ///< Whether each client believes that it holds the lock.
    std::vector<KeyExpectation> keys;
    std::optional<QStringList> written; ///< Clients of the accepted writes so far, in order.
    std::optional<QStringList> refused; ///< Clients of the refused writes so far, in order.
    std::optional<int> recomputed;      ///< Number of recomputations by clients so far.
    std::optional<CommandExpectation> lastCommand {};

    QString location; ///< Location in the file: `steps[3].expect`.
};

/// A step: its sentence, its action and its expectations.
struct ScenarioStep
{
    QString say;
    QString client; ///< Empty if the step has no client.
    StepAction action;
    /// Breakpoints: commands before which the client is paused, such as `DEL`; `WAIT`: before it pauses.
    QList<QByteArray> breakBefore;
    /// Whether the commands of a pipeline are sent one by one, and the client is paused before the next command in
    /// breakBefore. `server` selects the command if the pipeline goes to several servers.
    bool sendsOneByOne = false;
    int server = 0;
    bool isInBackground = false; ///< Whether the story continues before the client has answered.
    /// Whether the player first keeps the keys of `server`, for a later ChangeServerKeys.
    bool keepsKeys = false;
    bool losesReply = false;             ///< Whether the request is executed but its reply is lost.
    std::chrono::milliseconds passed {}; ///< Story time that passes with this step, if TTLs are extended.
    /// Report of a client that it is inside or outside. `criticalSection`: name of the critical section; may be empty.
    struct Inside
    {
        bool isInside = true;
        base::Key criticalSection {};
    };
    std::optional<Inside> inside {}; ///< Applies from the end of this step; absent: no change.
    std::vector<StepExpectation> expectations;
    QString location; ///< Location in the file: `steps[3]`.

    /// Returns the action, for users: `acquires lock:x by token, for 10s`; empty if it needs no text.
    [[nodiscard]] base::Text actionText() const;
};

/// One variant of a story.
struct Alternative
{
    enum class Kind : quint8 { Plain, Flawed, Sound };

    QString name;
    QString title;
    Kind kind = Kind::Plain;
    QString recipe;  ///< Default recipe of the clients; a step may name another.
    QString verdict; ///< The lesson, as one sentence.
    std::vector<ScenarioStep> steps;
};

/// A story performed by client processes: the actions, one sentence for each step, and the expectations. The variants
/// of a story, for example with other recipes, are its alternatives.
///
/// A value, read from a file; see readScenario(). A ScenarioPlayer plays one alternative at a time. A recorded
/// conversation is a schedules::RecordedSchedule instead.
struct Scenario
{
    QString title;
    QString summary;  ///< One or two sentences.
    QString question; ///< Question for the audience; may be empty.
    QString verdict;  ///< Lesson of the story; may be empty.
    int servers = 1;
    int replicas = 0; ///< Number of replicas of each server.
    QStringList clients;
    /// Offset by which each client's clock is ahead; default: zero.
    std::map<QString, std::chrono::milliseconds> clockAhead {};
    /// Commands sent to every server before the first step.
    resp::Commands setupCommands {};
    /// Whether a TTL expires only at the steps of the story that contain its expiry; see ExtendedTtls.
    bool extendsTtls = false;
    std::vector<Alternative> alternatives; ///< Never empty.
};

/// Returns the id of a kind, such as `flawed`; empty for Plain.
[[nodiscard]] QString kindId(Alternative::Kind kind);
/// Returns the name of an outcome in files: `not-owner`. If the outcome is Done, returns the report's own name for it.
[[nodiscard]] QString outcomeId(const playground::ClientReport &report);

} // namespace latchkey::scenarios
