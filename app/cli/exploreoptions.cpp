#include "app/cli/exploreoptions.h"

#include "app/cli/option.h"
#include "app/help/commandline.h"

namespace latchkey::cli {

using help::CommandLine;

QList<QCommandLineOption> recipeOptions()
{
    return {
        makeOption(
            "clients", "N",
            CommandLine::tr(
                "number of clients, 1 to 4. Default: 2, then 3, then 4, while the promise holds and all schedules "
                "can be searched within seconds; each result has its number of clients. Of a program: 2")),
        makeOption(
            "form", "script|single|both",
            CommandLine::tr("how a lock compares its token and acts on it: script, the default; single, by the single "
                            "command of newer servers; or both, one after the other (with --json an object for each)")),
        makeOption("promise", "PROMISE",
                   CommandLine::tr("only this promise; may be repeated. Default: all, except failover-safe, "
                                   "restart-safe, server-clock-safe and partition-safe, which are about faults of "
                                   "servers")),
        makeOption("without", "FAULT",
                   CommandLine::tr("only for a recipe: excludes a fault, crashes or lapses; may be repeated")),
        makeOption("max", "N", CommandLine::tr("limit of states for each promise")),
        makeOption("for", "DURATION",
                   CommandLine::tr("time limit. Each promise may use the remaining time divided by the number of "
                                   "promises without a result")),
        makeOption("save", "DIR",
                   CommandLine::tr("writes a story for each broken promise, as DIR/RECIPE.PROMISE.json")),
        makeOption("junit", "FILE",
                   CommandLine::tr("writes the verdicts as JUnit XML, for continuous integration: a test case for each "
                                   "promise")),
        makeOption("sarif", "FILE",
                   CommandLine::tr("writes the verdicts as SARIF 2.1.0, for code scanning: a result for each broken "
                                   "promise")),
        makeOption("html", "DIR",
                   CommandLine::tr("writes a page with the sequence diagram of each broken promise, as "
                                   "DIR/RECIPE.PROMISE.html")),
        makeOption("baseline", "FILE",
                   CommandLine::tr("broken promises that are known, from --write-baseline: they do not change the exit "
                                   "code")),
        makeOption("write-baseline", "FILE",
                   CommandLine::tr("writes the known broken promises: those of --baseline and of this search, without "
                                   "those that hold now")),
        makeOption(
            "progress", "",
            CommandLine::tr(
                "with --json: prints lines before the result: one for each promise with a result, {answered: {id, "
                "…}, story: {…}}, and in between ten a second, {progress: {promise, clients, states, most_states, "
                "depth, steps, seconds}}, for a program also starts; an error as a line {error: SENTENCE}")),
    };
}

QList<QCommandLineOption> programOptions()
{
    return {
        makeOption("resource", "KEY", CommandLine::tr("key that all clients work on, for lost-update")),
        makeOption("data", "GLOB", CommandLine::tr("keys that need no expiry; may be repeated")),
        makeOption("lock", "GLOB",
                   CommandLine::tr(
                       "keys that are locks, for owner-only-release; may be repeated. Default: keys written before the "
                       "client is inside, except counters: numbers without a token that are never deleted. A counter "
                       "is a lock if no other key is one")),
        makeOption("inside", "COMMAND",
                   CommandLine::tr("pattern of the command after which a client is inside, instead of ECHO, such as "
                                   "'SET lock * NX': the words in this order, after the second with any others between "
                                   "them. The reply must be a success: not nil, 0 or an error; or one word after ->, "
                                   "such as 'EVALSHA * 1 lock -> nil'. May be repeated")),
        makeOption("outside", "COMMAND",
                   CommandLine::tr("pattern of the command after which a client is not inside, such as 'DEL lock -> "
                                   "any'; may be repeated. Without it, a client is inside until it ends. All patterns "
                                   "are one critical section")),
        makeOption("servers", "N",
                   CommandLine::tr("servers of each process, 1 to 7, for locks on a majority of several servers; "
                                   "default 1. REDIS_URLS and REDIS_HOSTS name them, separated by commas; REDIS_URL "
                                   "is the first")),
        makeOption("fixed-port", "PORT",
                   CommandLine::tr("for a program that always connects to 127.0.0.1:PORT: each process has "
                                   "its own network namespace; the system must allow user namespaces")),
        makeOption("crashes", "N", CommandLine::tr("crashes per schedule; default 1")),
        makeOption(
            "expirations", "N",
            CommandLine::tr(
                "expirations per schedule; default 1. For mutual-exclusion, only the keys of dead processes expire. An "
                "expiration during a pause of the process that wrote the key is not counted, and not excluded")),
        makeOption("timer-steps", "N",
                   CommandLine::tr("how often the clock may advance to the next timeout of a process; default 3")),
        makeOption("lost-replies", "N", CommandLine::tr("lost replies per schedule; default 0")),
        makeOption("preemptions", "N",
                   CommandLine::tr("preemptions per schedule; default: no limit. Most races need one "
                                   "or two, and a limit reduces the number of schedules")),
        makeOption("random", "RUNS",
                   CommandLine::tr(
                       "number of random schedules, the same ones every time, for programs with too many schedules. A "
                       "counterexample may not be the shortest. Without one the verdict is unknown: the exit code is "
                       "never 0")),
        makeOption("commands", "N", CommandLine::tr("commands per client; default 200")),
    };
}

} // namespace latchkey::cli
