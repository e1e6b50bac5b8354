#include "core/inspect/inspection/sidesession.h"

namespace latchkey::inspection {

using base::ErrorKind;
using net::Session;
using namespace std::chrono_literals;

namespace {

/// Timeout that suffices for a value of many mebibytes over a slow network.
constexpr auto maxWait = 120s;

} // namespace

SideSession::SideSession(const net::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random)
    : m_session(endpoint, clock, random)
    , m_driver({&m_session}, clock, random)
{
    // While a large value arrives, no other reply can arrive.
    m_session.setTiming({5s, 10s, maxWait});
    m_driver.setTimeout(maxWait);
    m_session.start();
}

SideSession::~SideSession() = default;

void SideSession::whenReady(std::function<void(std::optional<base::Error>)> then)
{
    if (m_session.state() == Session::State::Ready) {
        then(std::nullopt);
        return;
    }
    auto *waiting = new QObject(&m_session); // Deleted with the session or after the call.
    QObject::connect(
        &m_session, &Session::stateChanged, waiting,
        [waiting, session = &m_session, then = std::move(then)](Session::State state) {
            if (state == Session::State::Connecting)
                return;
            waiting->deleteLater();
            session->disconnect(waiting);
            if (state == Session::State::Ready)
                then(std::nullopt);
            else
                then(session->lastError().value_or(base::Error {
                    ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "the connection is closed"))}));
        });
}

} // namespace latchkey::inspection
