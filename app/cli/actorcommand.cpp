// actor: one client of the playground, as a process. Orders come as JSON lines on standard input, reports go as JSON
// lines to standard output.

#include "app/cli/command.h"
#include "core/base/json.h"
#include "core/exchange/loopdriver.h"
#include "core/locks/foreigntype.h"
#include "core/locks/renewing.h"
#include "core/playground/clientprotocol.h"
#include "core/resp/session.h"

#include <QCoreApplication>
#include <QSocketNotifier>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace latchkey::cli {

using exchange::LoopDriver;
using playground::ClientOrder;
using playground::ClientReport;
using resp::Session;
using Event = ClientReport::Event;

namespace {

QString howLost(const locks::Loss &loss)
{
    switch (loss.kind) {
    case locks::Loss::Kind::NotOwner:
        return QStringLiteral("the lock is another's by now");
    case locks::Loss::Kind::Gone:
        return QStringLiteral("there is no lock any more");
    case locks::Loss::Kind::RanOut:
        break;
    }
    return loss.reason ? QStringLiteral("the lease ran out, since it could not be renewed: ") + loss.reason->message
                       : QStringLiteral("the lease ran out while nobody renewed it");
}

/// Holds at most one lock at a time, and believes what its own operations told it. Where the recipe asks for it, it
/// renews what it holds, except while an order about it is carried out.
class Actor final : public QObject
{
public:
    /// servers: one, or those of a recipe that uses several.
    explicit Actor(const std::vector<resp::Endpoint> &servers)
        : m_sessions(sessionsFor(servers))
        , m_driver(pointersTo(m_sessions), base::SystemClock::instance(), base::SystemRandom::instance())
        , m_input(STDIN_FILENO, QSocketNotifier::Read)
    {
        // Orders are read once there is a server to carry them out on, or a reason why not.
        m_input.setEnabled(false);
        connect(&m_input, &QSocketNotifier::activated, this, &Actor::read);
        m_driver.setListener([this](const exchange::TranscriptEntry &entry) { tellWire(entry); });
        for (const auto &session : m_sessions) {
            connect(session.get(), &Session::stateChanged, this, &Actor::sessionChanged);
            session->start();
        }
    }

private:
    using Sessions = std::vector<std::unique_ptr<Session>>;

    [[nodiscard]] static Sessions sessionsFor(const std::vector<resp::Endpoint> &servers)
    {
        Sessions sessions;
        Session::Timing timing;
        if (servers.size() > 1)
            timing.dialTimeout = std::chrono::seconds(1); // One that is down must not keep the others waiting.
        for (const resp::Endpoint &server : servers) {
            sessions.push_back(
                std::make_unique<Session>(server, base::SystemClock::instance(), base::SystemRandom::instance()));
            sessions.back()->setTiming(timing);
        }
        return sessions;
    }

    [[nodiscard]] static std::vector<Session *> pointersTo(const Sessions &sessions)
    {
        std::vector<Session *> pointers;
        for (const auto &session : sessions)
            pointers.push_back(session.get());
        return pointers;
    }

    /// Ready once every server has let it in or has failed to, and one at least has let it in.
    void sessionChanged(Session::State state)
    {
        const auto is = [](Session::State wanted) {
            return [wanted](const auto &session) { return session->state() == wanted; };
        };
        if (m_hasStarted || std::ranges::any_of(m_sessions, is(Session::State::Connecting)))
            return;
        const auto ready = std::ranges::find_if(m_sessions, is(Session::State::Ready));
        if (ready != m_sessions.end()) {
            m_hasStarted = true;
            m_input.setEnabled(true);
            tell(Event::Ready);
        } else if (state == Session::State::Waiting) {
            m_input.setEnabled(true);
            fail(*m_sessions.front()->lastError());
        }
    }

    void read()
    {
        char buffer[4096];
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR)
            return;
        if (count > 0) {
            m_buffer.append(buffer, count);
        } else {
            // The last line counts also where its end is missing; what has been ordered is still carried out.
            m_input.setEnabled(false);
            m_inputEnded = true;
            m_buffer += '\n';
        }
        carryOut();
    }

    /// One order after the other: the next waits until the last has been answered.
    void carryOut()
    {
        while (!m_isWorking) {
            const qsizetype end = m_buffer.indexOf('\n');
            if (end < 0) {
                if (m_inputEnded)
                    QCoreApplication::quit();
                return;
            }
            const QByteArray line = m_buffer.first(end).trimmed();
            m_buffer.remove(0, end + 1);
            if (line.isEmpty())
                continue;
            auto order = playground::orderFromJson(line);
            if (!order)
                fail(order.error());
            else
                std::visit([this](auto &o) { handle(o); }, *order);
        }
    }

    void handle(playground::AcquireOrder &order)
    {
        if (m_lock)
            return fail({base::ErrorKind::Usage, QStringLiteral("it holds a lock already")});
        const auto recipe = locks::findRecipe(order.recipe);
        if (!recipe)
            return fail(recipe.error());
        m_key = order.options.key;
        order.options.servers = static_cast<int>(m_sessions.size());
        auto lock = locks::makeLock(**recipe, std::move(order.options));
        if (!lock)
            return fail(lock.error());
        m_lock = std::move(*lock);
        m_recipe = *recipe;
        m_isWorking = true;
        m_driver.run<locks::Acquisition>(locks::acquireUnlessForeign(*m_recipe, *m_lock, m_key, order.wait),
                                         [this](const base::Result<locks::Acquisition> &acquisition) {
                                             if (acquisition && acquisition->isAcquired()) {
                                                 m_token = acquisition->token;
                                                 hold(acquisition->lease, acquisition->validUntil);
                                                 tellHold(Event::Acquired, acquisition->lease, acquisition->validUntil,
                                                          acquisition->fencing);
                                             } else {
                                                 m_lock.reset();
                                                 if (acquisition)
                                                     tell(Event::Busy);
                                                 else
                                                     fail(acquisition.error());
                                             }
                                             finish();
                                         });
    }

    void handle(playground::ReleaseOrder &)
    {
        if (!m_lock)
            return fail({base::ErrorKind::Usage, QStringLiteral("it holds no lock")});
        m_isWorking = true;
        m_driver.cancel(m_renewal);
        m_driver.run<locks::ReleaseOutcome>(m_lock->release(m_token),
                                            [this](const base::Result<locks::ReleaseOutcome> &outcome) {
                                                if (outcome) {
                                                    m_lock.reset();
                                                    switch (*outcome) {
                                                    case locks::ReleaseOutcome::Released:
                                                        tell(Event::Released);
                                                        break;
                                                    case locks::ReleaseOutcome::NotOwner:
                                                        tell(Event::NotOwner);
                                                        break;
                                                    case locks::ReleaseOutcome::Gone:
                                                        tell(Event::Gone);
                                                        break;
                                                    }
                                                } else {
                                                    fail(outcome.error());
                                                    renew();
                                                }
                                                finish();
                                            });
    }

    void handle(playground::ExtendOrder &order)
    {
        if (!m_lock)
            return fail({base::ErrorKind::Usage, QStringLiteral("it holds no lock")});
        m_isWorking = true;
        m_driver.cancel(m_renewal);
        m_driver.run<locks::Extension>(
            m_lock->extend(m_token, order.lease),
            [this, lease = order.lease](const base::Result<locks::Extension> &extension) {
                if (!extension) {
                    fail(extension.error());
                    renew();
                } else if (extension->outcome == locks::ExtendOutcome::Extended) {
                    hold(lease, extension->validUntil);
                    tellHold(Event::Extended, lease, extension->validUntil, {});
                } else {
                    m_lock.reset();
                    tell(extension->outcome == locks::ExtendOutcome::NotOwner ? Event::NotOwner : Event::Gone);
                }
                finish();
            });
    }

    void handle(playground::QuitOrder &) { QCoreApplication::quit(); }

    void hold(const std::optional<base::Lease> &lease, base::MonotonicTime validUntil)
    {
        m_lease = lease;
        m_validUntil = validUntil;
        renew();
    }

    void renew()
    {
        if (!m_recipe->renews)
            return;
        m_renewal = m_driver.run<locks::Renewal>(locks::renewOnce(*m_lock, m_token, *m_lease, m_validUntil),
                                                 [this](const base::Result<locks::Renewal> &result) {
                                                     if (!result)
                                                         return lose({locks::Loss::Kind::RanOut, result.error()});
                                                     const locks::Renewal &renewal = *result;
                                                     if (!renewal)
                                                         return lose(renewal.error());
                                                     hold(m_lease, *renewal);
                                                     tellHold(Event::Renewed, m_lease, m_validUntil, {});
                                                 });
    }

    void lose(const locks::Loss &loss)
    {
        m_lock.reset();
        ClientReport report;
        report.event = Event::Lost;
        report.key = m_key;
        report.message = howLost(loss);
        write(report);
    }

    void finish()
    {
        m_isWorking = false;
        carryOut();
    }

    void fail(const base::Error &error)
    {
        ClientReport report;
        report.event = base::leavesOutcomeUnknown(error.kind) ? Event::Unknown : Event::Error;
        if (m_lock || m_isWorking)
            report.key = m_key;
        report.message = error.message;
        write(report);
    }

    void tell(Event event)
    {
        ClientReport report;
        report.event = event;
        report.key = m_key;
        write(report);
    }

    void tellHold(Event event, const std::optional<base::Lease> &lease, base::MonotonicTime validUntil,
                  const std::optional<locks::FencingNumber> &fencing)
    {
        ClientReport report;
        report.event = event;
        report.key = m_key;
        if (m_recipe->hasToken)
            report.token = m_token;
        if (fencing)
            report.fencing = fencing->value;
        if (lease) {
            report.lease = lease->duration();
            report.validFor =
                std::chrono::floor<std::chrono::milliseconds>(validUntil - base::SystemClock::instance().now());
        }
        write(report);
    }

    void tellWire(const exchange::TranscriptEntry &entry)
    {
        ClientReport report;
        report.event = Event::Wire;
        report.command = exchange::withScriptName(entry.ask.command()).toText();
        report.reply = entry.answer ? entry.answer->toText() : entry.answer.error().message;
        write(report);
    }

    static void write(const ClientReport &report)
    {
        const QByteArray line = base::toLine(toJson(report)) + '\n';
        // Whoever listened has gone: there is nobody to act for.
        if (std::fwrite(line.constData(), 1, static_cast<std::size_t>(line.size()), stdout) == 0
            || std::fflush(stdout) != 0) {
            std::clearerr(stdout);
            QCoreApplication::quit();
        }
    }

    const Sessions m_sessions;
    LoopDriver m_driver;
    QSocketNotifier m_input;
    QByteArray m_buffer;
    bool m_hasStarted = false;
    bool m_inputEnded = false;
    bool m_isWorking = false;
    const locks::Recipe *m_recipe = nullptr; // Not owned: the catalogue's.
    std::unique_ptr<locks::Lock> m_lock;     ///< While it holds one, or tries to.
    base::Key m_key;
    base::OwnerToken m_token;
    std::optional<base::Lease> m_lease;
    base::MonotonicTime m_validUntil;
    LoopDriver::RunId m_renewal = 0; ///< The one under way, or one that is over.
};

ExitCode run(const Arguments &arguments)
{
    const auto endpoints = arguments.endpoints();
    if (!endpoints)
        return complain(endpoints.error());
    std::signal(SIGPIPE, SIG_IGN);
    const Actor actor(*endpoints);
    return QCoreApplication::exec() == 0 ? ExitCode::Yes : ExitCode::Error;
}

} // namespace

Command actorCommand()
{
    return {
        "actor",
        {"", 0, 0},
        "one client process, told what to do on standard input",
        "Acts as one client: reads orders as JSON lines, writes reports as JSON lines, until its input ends or it is "
        "killed.\n"
        "It holds at most one lock, renews it where the recipe asks for that, and when it ends it releases nothing.\n"
        "\n"
        "Orders:   {\"do\": \"acquire\", \"recipe\": R, \"key\": K, \"lease_ms\": N, \"unit\": \"s\"|\"ms\", "
        "\"token\": T, \"wait_ms\": N}\n"
        "          {\"do\": \"extend\", \"lease_ms\": N}   {\"do\": \"release\"}   {\"do\": \"quit\"}\n"
        "Reports:  {\"event\": "
        "\"ready\"|\"acquired\"|\"busy\"|\"extended\"|\"released\"|\"not-owner\"|\"gone\"|\"unknown\"|\"error\", …}\n"
        "          {\"event\": \"renewed\"|\"lost\", …} of a lock that it renews, whenever that happens\n"
        "          {\"event\": \"wire\", \"command\": …, \"reply\": …} for every command it sends\n"
        "With several --url every acquire is for all of these servers, as redlock wants it.\n"
        "Keys and tokens that are not UTF-8 come as key_base64 and token_base64.\n"
        "\n"
        "Example:\n"
        "  echo '{\"do\": \"acquire\", \"recipe\": \"token\", \"key\": \"lock:orders\", \"lease_ms\": 5000}' | "
        "latchkey-cli actor\n",
        {},
        run,
    };
}

} // namespace latchkey::cli
