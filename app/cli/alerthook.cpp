#include "app/cli/alerthook.h"

#include "app/cli/exitcode.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"

#include <algorithm>
#include <csignal>
#include <unistd.h>

namespace latchkey::cli {

using help::CommandLine;
using process::Launch;
using process::OrphanReaper;

AlertHook::AlertHook(QByteArray command, std::chrono::milliseconds longest, OrphanReaper reaper)
    : m_command(std::move(command))
    , m_longest(longest)
    , m_reaper(std::move(reaper))
{}

AlertHook::~AlertHook() = default;

tl::expected<std::unique_ptr<AlertHook>, std::error_code> AlertHook::start(const QByteArray &command,
                                                                           std::chrono::milliseconds longest)
{
    auto reaper = OrphanReaper::start();
    if (!reaper)
        return tl::unexpected(reaper.error());
    return std::unique_ptr<AlertHook>(new AlertHook(command, longest, std::move(*reaper)));
}

void AlertHook::call(Call call)
{
    if (m_waiting.size() >= maxWaiting) {
        m_hasFailed = true;
        if (!std::exchange(m_isOverflowReported, true))
            printError(
                CommandLine::tr("watch: --exec: %1 alerts wait for the command; further ones are not passed to it")
                    .arg(maxWaiting));
        return;
    }
    m_waiting.push_back(std::move(call));
    next();
}

/// Starts waiting calls, except those of an alert whose command is already running.
void AlertHook::next()
{
    while (m_running.size() < maxConcurrent) {
        const auto ready = std::ranges::find_if(m_waiting, [this](const Call &call) {
            return std::ranges::none_of(m_running,
                                        [&](const auto &running) { return running->call.alert == call.alert; });
        });
        if (ready == m_waiting.end())
            break;
        Call call = std::move(*ready);
        m_waiting.erase(ready);
        run(std::move(call));
    }
    if (m_waiting.empty())
        m_isOverflowReported = false;
    if (isIdle())
        Q_EMIT idle();
}

void AlertHook::run(Call call)
{
    Launch launch;
    launch.words = {"/bin/sh", "-c", m_command};
    launch.environment = call.environment;
    launch.environment += {OrphanReaper::variable(), m_reaper.mark()};
    launch.input = Launch::Channel::Piped;
    launch.hasOwnGroup = true;
    // Standard output is reserved for the lines of watch, which other programs parse.
    launch.preExecHook = [] { return ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0; };
    m_running.push_back(std::make_unique<Running>());
    Running *running = m_running.back().get();
    running->call = std::move(call);
    if (const auto started = running->child.start(launch); !started) {
        fail(CommandLine::tr("watch: --exec: cannot run the command for %1: %2")
                 .arg(running->call.title, QString::fromStdString(started.error().message())));
        m_running.pop_back();
        return;
    }
    running->child.write(running->call.input);
    running->child.endInput();
    running->limit.setSingleShot(true);
    connect(&running->limit, &QTimer::timeout, this, [this, running] {
        fail(CommandLine::tr("watch: --exec: the command for %1 was ended after %2")
                 .arg(running->call.title, base::formatDuration(m_longest)));
        running->child.signal(SIGKILL);
    });
    // Queued, because the child must not be destroyed in its own signal.
    connect(&running->child, &process::Child::ended, this, [this, running] { ended(running); }, Qt::QueuedConnection);
    running->limit.start(m_longest);
}

void AlertHook::ended(const Running *running)
{
    const bool isInTime = running->limit.isActive();
    if (const int code = running->child.exitCode(); code != 0 && isInTime)
        fail(CommandLine::tr("watch: --exec: the command for %1 ended with the exit code %2")
                 .arg(running->call.title, QString::number(code)));
    std::erase_if(m_running, [running](const auto &each) { return each.get() == running; });
    next();
}

void AlertHook::stop()
{
    if (const std::size_t left = m_running.size() + m_waiting.size(); left > 0)
        fail(CommandLine::tr("watch: --exec: stopped before the command had ended for %1 alerts").arg(left));
    m_waiting.clear();
    m_running.clear();
}

void AlertHook::fail(const QString &message)
{
    m_hasFailed = true;
    printError(message);
}

} // namespace latchkey::cli
