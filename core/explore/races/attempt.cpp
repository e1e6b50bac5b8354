#include "core/explore/races/attempt.h"

#include <algorithm>

namespace latchkey::races {

using exchange::Answers;
using exchange::Batch;
using exchange::Grant;
using exchange::Instant;
using exchange::Request;
using namespace std::chrono_literals;

Attempt::Attempt(const RunFactory &factory, const ClientConditions &conditions)
    : m_conditions(conditions)
    , m_run(factory())
{
    settle();
}

base::WallTime Attempt::startOfTime()
{
    return std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
}

Attempt::Wait Attempt::wait() const
{
    const exchange::Step &step = m_run->step();
    if (std::holds_alternative<Request>(step) || std::holds_alternative<Batch>(step))
        return Wait::Commands;
    if (std::holds_alternative<exchange::ReadClock>(step))
        return Wait::Clock;
    if (std::holds_alternative<exchange::Pause>(step))
        return Wait::Rest;
    if (m_run->isEnding())
        return Wait::Rest;
    if (!m_run->offers().empty() || m_run->isIdle())
        return Wait::Commands;
    return m_run->branches().empty() ? Wait::Nothing : Wait::Fork;
}

std::vector<PendingRequest> Attempt::requests() const
{
    const exchange::Step &step = m_run->step();
    if (const auto *request = std::get_if<Request>(&step))
        return {{0, request->server(), {request->command()}}};
    std::vector<PendingRequest> pending;
    for (Offer &offer : m_run->offers())
        pending.push_back({offer.conversation, offer.server, std::move(offer.commands), offer.conversation,
                           m_run->waited(offer.conversation)});
    const auto *batch = std::get_if<Batch>(&step);
    if (batch == nullptr)
        return pending;
    for (std::size_t i = 0; i < batch->requests().size(); ++i) {
        const Request &request = batch->requests()[i];
        const bool isAnswered = i < m_answers.size() && m_answers[i];
        const bool isBehind = std::ranges::any_of(
            pending, [&](const PendingRequest &earlier) { return earlier.server == request.server(); });
        if (!isAnswered && !isBehind)
            pending.push_back({static_cast<int>(i), request.server(), {request.command()}});
    }
    return pending;
}

void Attempt::answer(int index, const resp::Reply &reply)
{
    if (std::holds_alternative<std::monostate>(m_run->step())) {
        m_run->answer(index, reply);
        return;
    }
    deliver(index, exchange::answerFrom(reply));
}

void Attempt::fail(int index, base::ErrorKind kind)
{
    const bool isUnreachable = kind == base::ErrorKind::Unreachable;
    deliver(index, base::failure(kind, isUnreachable ? base::Text(QT_TRANSLATE_NOOP("core", "the server is down"))
                                                     : base::Text(QT_TRANSLATE_NOOP("core", "no reply arrived"))));
}

void Attempt::deliver(int index, exchange::Answer answer)
{
    const auto *batch = std::get_if<Batch>(&m_run->step());
    if (batch == nullptr) {
        m_run->grant(Grant(std::move(answer)));
        settle();
        return;
    }
    m_answers.resize(batch->requests().size());
    m_answers[static_cast<std::size_t>(index)] = std::move(answer);
    if (!std::ranges::all_of(m_answers, [](const auto &each) { return each.has_value(); }))
        return;
    Answers answers;
    for (auto &answered : std::exchange(m_answers, {}))
        answers.push_back(*std::move(answered));
    m_run->grant(Grant(std::move(answers)));
    settle();
}

int Attempt::answered() const
{
    return static_cast<int>(std::ranges::count_if(m_answers, [](const auto &answer) { return answer.has_value(); }));
}

Instant Attempt::nextReading(std::chrono::seconds passed)
{
    const auto since = m_conditions.clockOffset + passed + std::chrono::seconds(++m_readings) + m_rested;
    const base::WallTime wall = startOfTime() + since;
    m_lastReading = std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch();
    if (m_readings == 1)
        m_firstReading = m_lastReading;
    return {base::MonotonicTime(1000h) + since, wall};
}

void Attempt::readClock(std::chrono::seconds passed)
{
    m_run->grant(Grant(nextReading(passed)));
    settle();
}

void Attempt::rest()
{
    if (m_run->isEnding()) {
        m_run->end();
        return;
    }
    m_rested += std::get<exchange::Pause>(m_run->step()).duration;
    m_run->grant(Grant(exchange::PauseDone {}));
    settle();
}

void Attempt::take(Branch branch)
{
    m_run->take(branch);
    settle();
}

void Attempt::write()
{
    m_run->write();
}

std::optional<QByteArray> Attempt::memory() const
{
    // Between two forks, part of the client's state is inside the coroutine, where it cannot be read.
    const bool hasOffers = wait() == Wait::Commands && std::holds_alternative<std::monostate>(m_run->step());
    if (wait() != Wait::Fork && !hasOffers && !m_run->isEnding())
        return std::nullopt;
    auto memory = m_run->memory();
    if (!memory)
        return std::nullopt;
    for (const qint64 number : {qint64(m_readings), qint64(m_draws), qint64(m_rested.count()),
                                qint64(m_firstReading.count()), qint64(m_lastReading.count())})
        *memory += ' ' + QByteArray::number(number);
    return memory;
}

/// Grants every step whose result is already determined: tokens, unscheduled clock readings and empty batches.
void Attempt::settle()
{
    for (;;) {
        const exchange::Step &step = m_run->step();
        if (std::holds_alternative<exchange::DrawToken>(step)) {
            const QByteArray name = clientName(m_conditions.client).toLatin1();
            ++m_draws;
            m_run->grant(Grant(base::OwnerToken(
                m_draws == 1 ? "token-of-" + name : "token-of-" + name + '-' + QByteArray::number(m_draws))));
        } else if (std::holds_alternative<exchange::ReadClock>(step) && !m_conditions.schedulesClock) {
            m_run->grant(Grant(nextReading(0s)));
        } else if (const auto *batch = std::get_if<Batch>(&step); batch != nullptr && batch->requests().empty()) {
            m_run->grant(Grant(Answers()));
        } else {
            return;
        }
    }
}

} // namespace latchkey::races
