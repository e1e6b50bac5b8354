#include "core/playground/playground/breakpointdriver.h"

#include "core/redis/exchange/onestep.h"

#include <algorithm>

namespace latchkey::playground {

using base::Result;
using exchange::Batch;
using exchange::Grant;
using exchange::Pause;
using exchange::Request;
using exchange::Step;
using exchange::StepperBase;

namespace {

QString textOf(const Request &request)
{
    return exchange::withScriptName(request.command()).toText();
}

QString textOf(const Step &step)
{
    if (const auto *request = std::get_if<Request>(&step))
        return textOf(*request);
    const auto *batch = std::get_if<Batch>(&step);
    if (batch == nullptr)
        return exchange::toText(step);
    QStringList commands;
    for (const Request &request : batch->requests())
        commands += textOf(request);
    return commands.join(QStringLiteral("; "));
}

} // namespace

BreakpointDriver::BreakpointDriver(exchange::LoopDriver &driver, QObject *parent)
    : QObject(parent)
    , m_driver(driver)
{}

BreakpointDriver::~BreakpointDriver() = default;

void BreakpointDriver::begin(exchange::RunningExchange exchange)
{
    Q_ASSERT(!m_exchange);
    m_exchange = std::move(exchange);
    QMetaObject::invokeMethod(this, &BreakpointDriver::proceed, Qt::QueuedConnection);
}

void BreakpointDriver::resume(const ResumeOrder &order)
{
    m_order = order;
    if (std::exchange(m_isHolding, false))
        execute();
}

void BreakpointDriver::proceed()
{
    if (m_exchange->stepper().isFinished()) {
        // Reset first, because the callback may start the next exchange.
        const auto finished = std::exchange(m_exchange, std::nullopt);
        finished->finish();
        return;
    }
    const Step coming = next();
    const bool breaksBefore = isNamed(coming);
    if (!breaksBefore || m_order.matchesToSkip > 0) {
        m_order.matchesToSkip -= breaksBefore ? 1 : 0;
        execute();
        return;
    }
    m_isHolding = true;
    Q_EMIT paused(textOf(coming));
}

/// Returns the next step. For a pipeline that is sent command by command, this is one command.
Step BreakpointDriver::next() const
{
    const Step &step = m_exchange->stepper().step();
    const auto *batch = std::get_if<Batch>(&step);
    const bool sendsOneByOne = m_order.sendsOneByOne || !m_answers.empty();
    if (batch == nullptr || batch->requests().empty() || !sendsOneByOne)
        return step;
    return batch->requests()[nextOf(*batch)];
}

/// Returns the first unanswered command, preferably for the selected server.
std::size_t BreakpointDriver::nextOf(const Batch &batch) const
{
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < batch.requests().size(); ++i) {
        if (i < m_answers.size() && m_answers[i])
            continue;
        if (batch.requests()[i].server() == m_order.server)
            return i;
        if (!first)
            first = i;
    }
    return first.value_or(0);
}

bool BreakpointDriver::isNamed(const Step &step) const
{
    const auto names = [this](const Request &request) {
        return m_order.before.contains(request.command().name().toUpper());
    };
    if (const auto *request = std::get_if<Request>(&step))
        return names(*request);
    if (const auto *batch = std::get_if<Batch>(&step))
        return std::ranges::any_of(batch->requests(), names);
    if (std::holds_alternative<exchange::ReadClock>(step))
        return m_order.before.contains("CLOCK");
    return std::holds_alternative<Pause>(step) && m_order.before.contains("WAIT");
}

void BreakpointDriver::execute()
{
    StepperBase &stepper = m_exchange->stepper();
    const Step step = next();
    if (const auto *batch = std::get_if<Batch>(&stepper.step());
        batch != nullptr && std::holds_alternative<Request>(step)) {
        carryOutOne(*batch);
        return;
    }
    m_driver.run<Grant>(exchange::oneStep(stepper.deadline(), step), [this](Result<Grant> granted) {
        m_exchange->stepper().grant(*std::move(granted));
        proceed();
    });
}

void BreakpointDriver::carryOutOne(const Batch &batch)
{
    const std::size_t index = nextOf(batch);
    m_answers.resize(batch.requests().size());
    m_driver.run<Grant>(exchange::oneStep(m_exchange->stepper().deadline(), batch.requests()[index]),
                        [this, index](const Result<Grant> &granted) { answerOne(index, *granted); });
}

void BreakpointDriver::answerOne(std::size_t index, const Grant &grant)
{
    m_answers[index] = std::get<exchange::Answer>(grant);
    const auto exists = [](const auto &answer) { return answer.has_value(); };
    if (std::ranges::all_of(m_answers, exists)) {
        exchange::Answers answers;
        for (const auto &answer : m_answers)
            answers.push_back(*answer);
        m_answers.clear();
        m_exchange->stepper().grant(Grant(std::move(answers)));
    }
    proceed();
}

} // namespace latchkey::playground
