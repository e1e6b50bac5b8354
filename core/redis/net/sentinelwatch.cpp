#include "core/redis/net/sentinelwatch.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/logging.h"

#include <QStringList>

#include <algorithm>

namespace latchkey::net {

using namespace std::chrono_literals;

namespace {

constexpr auto askInterval = 500ms;
/// Timeout of a request: a frozen sentinel must not delay the answers of the others for long.
constexpr auto requestTimeout = 2s;

/// Returns the endpoint without the parts that do not concern the sentinels.
Endpoint forSentinels(Endpoint endpoint)
{
    endpoint.database = 0;
    endpoint.user.clear();
    endpoint.password.clear();
    return endpoint;
}

} // namespace

/// One sentinel: a connection for questions, and one for its messages.
class SentinelWatch::Sentinel final
{
public:
    Sentinel(const Endpoint &endpoint, const QString &master, SentinelWatch &watch)
        : m_endpoint(endpoint)
        , m_master(master)
        , m_watch(watch)
        , m_asking(endpoint, base::SystemClock::instance(), base::SystemRandom::instance())
        , m_listening(endpoint, base::SystemClock::instance(), base::SystemRandom::instance())
        , m_messages(m_listening)
    {
        connect(&m_asking, &Session::stateChanged, &m_asking, [this](Session::State state) {
            m_isAsked = false;
            m_answer.reset();
            if (state == Session::State::Ready)
                poll();
            else
                m_watch.decide();
        });
        connect(&m_messages, &Subscription::message, &m_watch, &SentinelWatch::requestFromAll);
        m_messages.subscribe({QByteArrayLiteral("+switch-master")}, {});
        for (Session *session : {&m_asking, &m_listening}) {
            session->setPeer(Peer::Sentinel);
            session->start();
        }
    }

    void poll()
    {
        Connection *const connection = m_asking.connection();
        if (connection == nullptr || std::exchange(m_isAsked, true))
            return;
        connection->send(primaryRequest(m_master, false), requestTimeout, &m_asking,
                         [this](const base::Result<Connection::Delivery> &delivery) {
                             m_isAsked = false;
                             const auto address = delivery ? primaryFrom(m_endpoint, m_master, delivery->replies)
                                                           : base::failure(delivery.error());
                             m_answer = address ? std::optional(*address) : std::nullopt;
                             m_watch.decide();
                         });
    }

    [[nodiscard]] const std::optional<PrimaryAddress> &answer() const { return m_answer; }
    [[nodiscard]] const Endpoint &endpoint() const { return m_endpoint; }

private:
    const Endpoint m_endpoint;
    const QString m_master;
    SentinelWatch &m_watch; // Not owned.
    std::optional<PrimaryAddress> m_answer;
    bool m_isAsked = false;
    Session m_asking;
    Session m_listening;
    Subscription m_messages;
};

std::shared_ptr<SentinelWatch> SentinelWatch::of(const Endpoint &endpoint)
{
    static std::vector<std::weak_ptr<SentinelWatch>> all;
    std::erase_if(all, [](const auto &watch) { return watch.expired(); });
    const Endpoint wanted = forSentinels(endpoint);
    for (const auto &known : all) {
        if (auto watch = known.lock(); watch && watch->m_endpoint == wanted)
            return watch;
    }
    const auto watch = std::make_shared<SentinelWatch>(wanted);
    all.push_back(watch);
    return watch;
}

SentinelWatch::SentinelWatch(const Endpoint &endpoint)
    : m_endpoint(forSentinels(endpoint))
{
    for (const Endpoint &sentinel : sentinelsOf(m_endpoint))
        m_sentinels.push_back(std::make_unique<Sentinel>(sentinel, m_endpoint.sentinels->master, *this));
    connect(&m_retryTimer, &QTimer::timeout, this, &SentinelWatch::requestFromAll);
    m_retryTimer.start(askInterval);
}

SentinelWatch::~SentinelWatch() = default;

void SentinelWatch::requestFromAll()
{
    for (const auto &sentinel : m_sentinels)
        sentinel->poll();
}

void SentinelWatch::decide()
{
    std::optional<PrimaryAddress> latest;
    for (const auto &sentinel : m_sentinels) {
        if (const auto &answer = sentinel->answer(); answer && (!latest || answer->epoch > latest->epoch))
            latest = answer;
    }
    if (latest)
        warnOfDisagreement(*latest);
    const auto primary = latest ? std::optional(latest->at) : std::nullopt;
    if (primary == m_primary)
        return;
    m_primary = primary;
    if (m_primary)
        Q_EMIT primaryChanged();
}

/// Warns once of sentinels that name different servers without a failover between their answers: they monitor different
/// servers under one name. During a failover, the answers have different epochs.
void SentinelWatch::warnOfDisagreement(const PrimaryAddress &latest)
{
    if (m_hasWarned)
        return;
    QStringList answers;
    for (const auto &sentinel : m_sentinels) {
        const auto &answer = sentinel->answer();
        if (!answer || answer->epoch != latest.epoch)
            continue;
        answers += hostPortText({sentinel->endpoint().host, sentinel->endpoint().port}) + QStringLiteral(": ")
                 + hostPortText(answer->at);
        m_hasWarned = m_hasWarned || answer->at != latest.at;
    }
    if (m_hasWarned)
        qCWarning(base::lcConnection).noquote()
            << base::Text(QT_TRANSLATE_NOOP("core", "the sentinels disagree about the primary \"%1\" (%2); %3 is used; "
                                                    "compare what they monitor under this name"),
                          base::printable(m_endpoint.sentinels->master.toUtf8()), answers.join(QStringLiteral(", ")),
                          hostPortText(latest.at))
                   .toString();
}

} // namespace latchkey::net
