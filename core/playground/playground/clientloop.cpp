#include "core/playground/playground/clientloop.h"

namespace latchkey::playground {

using State = ClientProcess::State;
using namespace std::chrono_literals;

namespace {

/// Pause between two attempts, so that other clients get their turn and users can follow.
constexpr auto rest = 700ms;

} // namespace

ClientLoop::ClientLoop(ClientProcess &client, QObject *parent)
    : QObject(parent)
    , m_client(client)
{
    m_nextTimer.setSingleShot(true);
    connect(&m_nextTimer, &QTimer::timeout, this, &ClientLoop::startNextStep);
    connect(&m_client, &ClientProcess::changed, this, &ClientLoop::checkState);
}

ClientLoop::~ClientLoop() = default;

void ClientLoop::start(const AcquireOrder &order, std::chrono::milliseconds work)
{
    m_order = order;
    m_work = work;
    m_isRunning = true;
    m_hasWritten = false;
    Q_EMIT runningChanged();
    m_client.acquire(m_order.recipe, m_order.options, m_order.wait);
}

void ClientLoop::stop()
{
    if (!m_isRunning)
        return;
    m_isRunning = false;
    m_nextTimer.stop();
    Q_EMIT runningChanged();
}

void ClientLoop::checkState()
{
    if (!m_isRunning)
        return;
    switch (m_client.state()) {
    case State::Dead:
    case State::Starting:
        stop();
        break;
    case State::Working:
        m_nextTimer.stop();
        break;
    case State::Idle:
        m_hasWritten = false;
        if (!m_nextTimer.isActive())
            m_nextTimer.start(rest);
        break;
    case State::Holding:
        if (!m_nextTimer.isActive())
            m_nextTimer.start(m_hasWritten ? 0ms : m_work);
        break;
    }
}

void ClientLoop::startNextStep()
{
    if (m_client.state() == State::Idle) {
        m_client.acquire(m_order.recipe, m_order.options, m_order.wait);
    } else if (m_client.state() == State::Holding && !m_hasWritten) {
        m_hasWritten = true;
        m_client.sendOrder(WriteOrder {});
    } else if (m_client.state() == State::Holding) {
        m_client.release();
    }
}

} // namespace latchkey::playground
