#include "core/playground/gate.h"

#include "core/exchange/onestep.h"

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
    m_driver.run<Grant>(exchange::oneStep(stepper.deadline(), stepper.step()), [this](Result<Grant> granted) {
        m_run->stepper().grant(*std::move(granted));
        proceed();
    });
}

} // namespace latchkey::playground
