#include "ui/shell/connections/connectiontest.h"

#include "core/inspect/inspection/servercheck.h"
#include "core/redis/connections/keychain.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/servertexts.h"

namespace latchkey::ui::connections {

using net::Session;
using namespace std::chrono_literals;

namespace {

constexpr auto checkTimeout = 10s;

} // namespace

ConnectionTest::ConnectionTest(const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_random(random)
{}

ConnectionTest::~ConnectionTest() = default;

void ConnectionTest::startWithKeychain(const QString &savedName, const net::Endpoint &endpoint)
{
    Q_EMIT progressed(tr("Waiting for the keychain…"));
    latchkey::connections::readKeychain(savedName, *this, [this, number = ++m_asked, endpoint](const auto &found) {
        if (number != m_asked)
            return;
        if (found)
            start(found->filledIn(endpoint));
        else
            Q_EMIT ended(widgets::fullSentence(found.error().message()), QStringLiteral("critical"));
    });
}

void ConnectionTest::start(const net::Endpoint &endpoint)
{
    m_session = std::make_unique<Session>(endpoint, m_clock, m_random);
    connect(m_session.get(), &Session::stateChanged, this, [this](Session::State state) {
        if (state == Session::State::Waiting)
            end(widgets::fullSentence(m_session->lastError()->message()), QStringLiteral("critical"));
    });
    connect(m_session.get(), &Session::roundTripMeasured, this, [this](std::chrono::nanoseconds roundTrip) {
        m_session->disconnect(this);
        check(roundTrip);
    });
    Q_EMIT progressed(tr("Trying…"));
    m_session->start();
}

/// Requests the role, the rights and the events of the connected server.
void ConnectionTest::check(std::chrono::nanoseconds roundTrip)
{
    m_server = m_session->server();
    inspection::checkServer(*m_session->connection(), checkTimeout, *m_session,
                            [this, roundTrip](const base::Result<inspection::ServerCheck> &checked) {
                                if (!checked)
                                    return end(widgets::fullSentence(checked.error().message()),
                                               QStringLiteral("critical"));
                                end(textOf(*checked, m_server, roundTrip),
                                    canWatch(*checked) ? QStringLiteral("good") : QStringLiteral("warning"));
                            });
}

void ConnectionTest::stop()
{
    end({}, {});
}

void ConnectionTest::end(const QString &result, const QString &tone)
{
    m_session->disconnect(this);
    m_session.release()->deleteLater(); // Deleted later, because it is the sender.
    Q_EMIT ended(result, tone);
}

void ConnectionTest::reset()
{
    ++m_asked;
    m_session.reset();
    m_server = {};
}

} // namespace latchkey::ui::connections
