#include "core/playground/gate.h"

#include <algorithm>

namespace latchkey::playground {

using base::Result;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::DrawToken;
using exchange::dueBy;
using exchange::Exchange;
using exchange::Grant;
using exchange::Instant;
using exchange::Pause;
using exchange::ReadClock;
using exchange::Request;
using exchange::Rested;
using exchange::Step;
using exchange::StepperBase;
using exchange::tentatively;

namespace {

// One step of another exchange, as an exchange. A step's failure is a value.

Exchange<Grant> pass(Request request)
{
    const Answer answer = co_await tentatively(std::move(request));
    co_return Grant(answer);
}

Exchange<Grant> pass(Batch batch)
{
    const Answers answers = co_await std::move(batch);
    co_return Grant(answers);
}

Exchange<Grant> pass(Pause pause)
{
    co_await pause;
    co_return Grant(Rested());
}

Exchange<Grant> pass(ReadClock clock)
{
    const Instant instant = co_await clock;
    co_return Grant(instant);
}

Exchange<Grant> pass(DrawToken draw)
{
    const base::OwnerToken token = co_await draw;
    co_return Grant(token);
}

Exchange<Grant> pass(std::monostate /*nothing*/)
{
    co_return Grant();
}

Exchange<Grant> passBy(base::MonotonicTime deadline, Step step)
{
    Exchange<Grant> passing = std::visit([](const auto &one) { return pass(one); }, step);
    const Grant granted = co_await dueBy(deadline, std::move(passing));
    co_return granted;
}

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

Gate::Run::~Run() = default;

Gate::Gate(exchange::LoopDriver &driver, QObject *parent)
    : QObject(parent)
    , m_driver(driver)
{}

Gate::~Gate() = default;

void Gate::begin(std::unique_ptr<Run> run)
{
    Q_ASSERT(!m_run);
    m_run = std::move(run);
    QMetaObject::invokeMethod(this, &Gate::proceed, Qt::QueuedConnection);
}

void Gate::goOn(const QList<QByteArray> &before)
{
    m_before = before;
    if (std::exchange(m_isHolding, false))
        carryOut();
}

void Gate::proceed()
{
    if (m_run->stepper().isFinished()) {
        // Out of the way first: the callback may start the next.
        const std::unique_ptr<Run> finished = std::move(m_run);
        finished->finish();
        return;
    }
    if (!holdsBefore(m_run->stepper().step())) {
        carryOut();
        return;
    }
    m_isHolding = true;
    Q_EMIT held(textOf(m_run->stepper().step()));
}

bool Gate::holdsBefore(const Step &step) const
{
    const auto isNamed = [this](const Request &request) {
        return m_before.contains(request.command().name().toUpper());
    };
    if (const auto *request = std::get_if<Request>(&step))
        return isNamed(*request);
    if (const auto *batch = std::get_if<Batch>(&step))
        return std::ranges::any_of(batch->requests(), isNamed);
    return std::holds_alternative<Pause>(step) && m_before.contains("WAIT");
}

void Gate::carryOut()
{
    StepperBase &stepper = m_run->stepper();
    m_driver.run<Grant>(passBy(stepper.deadline(), stepper.step()), [this](Result<Grant> granted) {
        m_run->stepper().grant(*std::move(granted));
        proceed();
    });
}

} // namespace latchkey::playground
