#include "core/inspect/inspection/notouchmode.h"

#include "core/redis/net/connection.h"

namespace latchkey::inspection {

using net::Connection;
using net::Session;
using namespace std::chrono_literals;

namespace {

/// The first version with CLIENT NO-TOUCH.
const QVersionNumber firstNoTouchVersion(7, 2);
constexpr auto noTouchTimeout = 10s;

} // namespace

NoTouchMode::NoTouchMode(Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&m_session, &Session::stateChanged, this, &NoTouchMode::request);
}

void NoTouchMode::request()
{
    m_isOn = false;
    const resp::ServerInfo &server = m_session.server();
    if (m_session.state() != Session::State::Ready || server.version < firstNoTouchVersion || server.mode == u"cluster")
        return;
    m_session.connection()->send(
        {{QByteArrayLiteral("CLIENT"), QByteArrayLiteral("NO-TOUCH"), QByteArrayLiteral("ON")}}, noTouchTimeout, this,
        [this](const base::Result<Connection::Delivery> &outcome) {
            m_isOn = outcome && outcome->replies.front().isOk();
        });
}

} // namespace latchkey::inspection
