#include "core/explore/races/attempt.h"

#include <algorithm>

namespace latchkey::races {

using exchange::Answers;
using exchange::Batch;
using exchange::Grant;
using exchange::Instant;
using exchange::Request;
using namespace std::chrono_literals;

namespace {

template<typename Kind>
Kind *runOf(const AnyRun &run)
{
    const auto *found = std::get_if<std::unique_ptr<Kind>>(&run);
    return found == nullptr ? nullptr : found->get();
}

} // namespace

Attempt::Attempt(const RunFactory &factory, const ClientConditions &conditions)
    : m_conditions(conditions)
    , m_run(factory())
    , m_recipe(runOf<RecipeRun>(m_run))
    , m_external(runOf<ExternalRun>(m_run))
{
    settle();
}

const Run &Attempt::run() const
{
    return m_recipe != nullptr ? static_cast<const Run &>(*m_recipe) : *m_external;
}

base::WallTime Attempt::startOfTime()
{
    return std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
}

Attempt::Wait Attempt::wait() const
{
    if (m_external != nullptr) {
        if (m_external->isEnding())
            return Wait::Rest;
        return !m_external->offers().empty() || m_external->isIdle() ? Wait::Commands : Wait::Nothing;
    }
    const exchange::Step &step = m_recipe->step();
    if (std::holds_alternative<Request>(step) || std::holds_alternative<Batch>(step))
        return Wait::Commands;
    if (std::holds_alternative<exchange::ReadClock>(step))
        return Wait::Clock;
    if (std::holds_alternative<exchange::Pause>(step))
        return Wait::Rest;
    return m_recipe->branches().empty() ? Wait::Nothing : Wait::Fork;
}

std::vector<Branch> Attempt::branches() const
{
    return m_recipe != nullptr ? m_recipe->branches() : std::vector<Branch>();
}

std::optional<std::chrono::milliseconds> Attempt::timer() const
{
    return m_external != nullptr ? m_external->timer() : std::nullopt;
}

std::vector<PendingRequest> Attempt::requests() const
{
    std::vector<PendingRequest> pending;
    if (m_external != nullptr) {
        for (Offer &offer : m_external->offers())
            pending.push_back({offer.conversation, offer.server, std::move(offer.commands), offer.conversation,
                               m_external->waited(offer.conversation)});
        return pending;
    }
    const exchange::Step &step = m_recipe->step();
    if (const auto *request = std::get_if<Request>(&step))
        return {{0, request->server(), {request->command()}}};
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
    if (m_external != nullptr)
        m_external->answer(index, reply);
    else
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
    const auto *batch = std::get_if<Batch>(&m_recipe->step());
    if (batch == nullptr) {
        m_recipe->grant(Grant(std::move(answer)));
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
    m_recipe->grant(Grant(std::move(answers)));
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
    m_recipe->grant(Grant(nextReading(passed)));
    settle();
}

void Attempt::rest()
{
    if (m_external != nullptr) {
        m_external->end();
        return;
    }
    m_rested += std::get<exchange::Pause>(m_recipe->step()).duration;
    m_recipe->grant(Grant(exchange::PauseDone {}));
    settle();
}

void Attempt::take(Branch branch)
{
    m_recipe->take(branch);
    settle();
}

void Attempt::write()
{
    m_recipe->write();
}

std::optional<QByteArray> Attempt::localState() const
{
    // Between two forks, part of a recipe's state is inside the coroutine, where it cannot be read.
    const bool isReadable = m_external != nullptr ? wait() != Wait::Nothing : wait() == Wait::Fork;
    auto localState = isReadable ? run().localState() : std::nullopt;
    if (!localState)
        return std::nullopt;
    for (const qint64 number : {qint64(m_readings), qint64(m_draws), qint64(m_rested.count()),
                                qint64(m_firstReading.count()), qint64(m_lastReading.count())})
        *localState += ' ' + QByteArray::number(number);
    return localState;
}

std::optional<QByteArray> Attempt::localStateWithoutTime() const
{
    return m_external != nullptr ? std::optional(m_external->localStateWithoutTime()) : std::nullopt;
}

/// Grants every step whose result is already determined: tokens, unscheduled clock readings and empty batches.
void Attempt::settle()
{
    while (m_recipe != nullptr) {
        const exchange::Step &step = m_recipe->step();
        if (std::holds_alternative<exchange::DrawToken>(step)) {
            const QByteArray name = clientName(m_conditions.client).toLatin1();
            ++m_draws;
            m_recipe->grant(Grant(base::OwnerToken(
                m_draws == 1 ? "token-of-" + name : "token-of-" + name + '-' + QByteArray::number(m_draws))));
        } else if (std::holds_alternative<exchange::ReadClock>(step) && !m_conditions.schedulesClock) {
            m_recipe->grant(Grant(nextReading(0s)));
        } else if (const auto *batch = std::get_if<Batch>(&step); batch != nullptr && batch->requests().empty()) {
            m_recipe->grant(Grant(Answers()));
        } else {
            return;
        }
    }
}

} // namespace latchkey::races
