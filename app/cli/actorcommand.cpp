// actor: a client of the playground, as a process. It reads orders as JSON lines from standard input, and writes
// reports as JSON lines to standard output.

#include "app/cli/command.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"
#include "core/playground/playground/playgroundclient.h"

#include <QCoreApplication>
#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace latchkey::cli {

using playground::ClientReport;
using playground::PlaygroundClient;

namespace {

/// A reader of standard input by lines, until its end.
class OrderLines final
{
public:
    explicit OrderLines(PlaygroundClient &client)
        : m_client(client)
        , m_input(STDIN_FILENO, QSocketNotifier::Read)
    {
        QObject::connect(&m_input, &QSocketNotifier::activated, &m_input, [this] { read(); });
    }

private:
    void read()
    {
        std::array<char, 4096> bytes {};
        const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            return;
        if (count > 0)
            m_buffer.append(bytes.data(), count);
        else
            m_buffer += '\n'; // The last line is valid without a newline.
        for (qsizetype end = m_buffer.indexOf('\n'); end >= 0; end = m_buffer.indexOf('\n')) {
            const QByteArray line = m_buffer.first(end).trimmed();
            m_buffer.remove(0, end + 1);
            if (!line.isEmpty())
                m_client.order(line);
        }
        if (count <= 0) {
            m_input.setEnabled(false);
            m_client.endOrders();
        }
    }

    PlaygroundClient &m_client; // Not owned.
    QSocketNotifier m_input;
    QByteArray m_buffer;
};

void write(const ClientReport &report)
{
    const QByteArray line = files::toLine(toJson(report)) + '\n';
    // The reader of the reports has exited, so the actor is no longer needed.
    if (std::fwrite(line.constData(), 1, static_cast<std::size_t>(line.size()), stdout) == 0
        || std::fflush(stdout) != 0) {
        std::clearerr(stdout);
        QCoreApplication::quit();
    }
}

ExitCode runActor(const Arguments &arguments)
{
    const auto endpoints = arguments.endpoints();
    if (!endpoints)
        return printError(endpoints.error());
    std::signal(SIGPIPE, SIG_IGN);
    PlaygroundClient client(*endpoints, base::SystemClock::instance(), base::SystemRandom::instance());
    QObject::connect(&client, &PlaygroundClient::reported, &client, &write);
    QObject::connect(&client, &PlaygroundClient::finished, QCoreApplication::instance(), &QCoreApplication::quit);
    const OrderLines orders(client);
    client.start();
    return QCoreApplication::exec() == 0 ? ExitCode::Yes : ExitCode::Error;
}

} // namespace

Command actorCommand()
{
    return {
        "actor",
        {"", 0, 0},
        QT_TRANSLATE_NOOP("CommandLine", "one client process, controlled by standard input"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Acts as one client: reads orders as JSON lines, writes reports as JSON lines, until its input ends or it is killed.
It holds at most one lock, renews it where the recipe asks for that, and when it ends it releases nothing.

Orders:   {"do": "acquire", "recipe": R, "key": K, "lease_ms": N, "unit": "s"|"ms", "token": T, "wait_ms": N}
          {"do": "extend", "lease_ms": N}   {"do": "release"}   {"do": "quit"}
          {"do": "put", "recipe": R, "key": K, "value": V, "lifetime_ms": N}
          {"do": "get", "recipe": R, "key": K}
          {"do": "recompute", "key": K, "value": V, "lifetime_ms": N, "work_ms": N, "policy": "wait"|"stale"|"none"}
          {"do": "send", "words": [WORD…]}   {"do": "write"}
          {"do": "go", "before": [NAME…]}: from now on it is held before each command of these names, until the next go;
              "CLOCK" is before it reads its clock, "WAIT" before a pause; "letting": N lets N of them go first;
              "singly": true sends a pipeline command by command, that of "server": N next
          {"do": "clock", "ahead_ms": N}: from now on its clock is ahead by so much
          {"do": "lose-reply"}: the reply to the next command that it sends never reaches it; the server does what it is asked
Reports:  {"event": "ready"|"acquired"|"busy"|"extended"|"released"|"not-owner"|"gone"|"unknown"|"error", …}
          {"event": "renewed"|"end-moved"|"lost", …} of a lock that it renews, or looks at because its
          contenders may give it an earlier end, whenever that happens
          {"event": "done", "outcome": …, "value": …, "fields": …, "reply": …} of an order about no lock
          {"event": "held", "command": …} before a command that it is held before
          {"event": "wire", "command": …, "reply": …} for every command it sends
Every report has written_at_boot_ms: when it was written, in milliseconds since the machine started (CLOCK_BOOTTIME); valid_for_ms counts from then.
What message and reply say in English is there again as message_text and reply_text, for programs that translate it.
With several --url every acquire is for all of these servers, as redlock wants it.
Keys and tokens that are not UTF-8 come as key_base64 and token_base64.

Example:
  echo '{"do": "acquire", "recipe": "token", "key": "lock:orders", "lease_ms": 5000}' | latchkey-cli actor
)help"),
        {},
        runActor,
    };
}

} // namespace latchkey::cli
