#include "core/redis/net/primarysearch.h"

#include "core/foundation/base/bytes.h"

#include <QStringList>

#include <algorithm>

namespace latchkey::net {

using base::ErrorKind;
using base::Result;
using base::Text;

PrimarySearch::PrimarySearch(const Endpoint &endpoint)
    : m_endpoint(endpoint)
    , m_sentinels(sentinelsOf(endpoint))
{}

Endpoint PrimarySearch::tryFirst(const HostPort &known)
{
    m_tried.push_back(known);
    return serverAt(m_endpoint, known);
}

std::optional<Endpoint> PrimarySearch::nextSentinel()
{
    if (m_asked == m_sentinels.size())
        return std::nullopt;
    return m_sentinels[m_asked++];
}

std::optional<Endpoint> PrimarySearch::take(const Result<PrimaryAddress> &answer)
{
    const Endpoint &sentinel = m_sentinels.at(m_asked - 1);
    if (!answer) {
        m_refusals.push_back(sentinelError(sentinel, answer.error()));
        return std::nullopt;
    }
    m_named.push_back({hostPortText({sentinel.host, sentinel.port}), answer->at});
    if (std::ranges::find(m_tried, answer->at) != m_tried.end())
        return std::nullopt;
    m_tried.push_back(answer->at);
    return serverAt(m_endpoint, answer->at);
}

void PrimarySearch::serverFailed(const base::Error &error)
{
    m_serverError = error;
}

std::chrono::milliseconds PrimarySearch::shareOf(std::chrono::milliseconds left) const
{
    return std::max<std::chrono::milliseconds>(left / static_cast<qint64>(m_sentinels.size() - m_asked + 1),
                                               std::chrono::milliseconds(1));
}

bool PrimarySearch::areSentinelsDivided() const
{
    return std::ranges::any_of(m_named, [this](const Named &named) { return named.at != m_named.front().at; });
}

base::Error PrimarySearch::error() const
{
    const QString name = base::printable(master().toUtf8());
    if (m_serverError && areSentinelsDivided()) {
        QStringList answers;
        for (const Named &named : m_named)
            answers += QStringLiteral("%1: %2").arg(named.sentinel, hostPortText(named.at));
        return {
            m_serverError->kind,
            Text(QT_TRANSLATE_NOOP("core", "the sentinels disagree about the address of the primary \"%1\" (%2), and "
                                           "none of these servers can be used; the last one: %3"),
                 name, answers.join(QStringLiteral(", ")), m_serverError->text)};
    }
    if (m_serverError && !m_named.empty())
        return {
            m_serverError->kind,
            Text(QT_TRANSLATE_NOOP("core", "the sentinel %1 names %2 as the primary \"%3\", which cannot be used: %4"),
                 m_named.front().sentinel, hostPortText(m_named.front().at), name, m_serverError->text)};
    if (m_refusals.empty()) // The failed server was tried first, before any sentinel was asked.
        return m_serverError.value_or(base::Error());
    if (m_refusals.size() == 1)
        return m_refusals.front();
    // An error that requires a user action takes precedence over those of sentinels that are down.
    const auto answered = std::ranges::find_if(m_refusals, [](const base::Error &error) {
        return error.kind == ErrorKind::SentinelAuthentication || error.kind == ErrorKind::ProxyAuthentication;
    });
    if (answered != m_refusals.end())
        return *answered;
    Text reasons = m_refusals.front().text;
    for (std::size_t i = 1; i < m_refusals.size(); ++i)
        reasons = Text(QT_TRANSLATE_NOOP("core", "%1; %2"), reasons, m_refusals[i].text);
    return {ErrorKind::Unreachable,
            Text(QT_TRANSLATE_NOOP("core", "none of the %1 sentinels names the primary \"%2\": %3"), m_refusals.size(),
                 name, reasons)};
}

std::optional<base::Error> notPrimary(const Endpoint &server, const resp::Reply &role)
{
    if (!role.isArray() || role.elements().empty() || role.elements().front().isBulk("master"))
        return std::nullopt;
    return base::Error {ErrorKind::Unreachable,
                        Text(QT_TRANSLATE_NOOP("core", "%1 is not a primary now (ROLE says \"%2\"); a failover may be "
                                                       "under way"),
                             server.display(), base::printable(role.elements().front().bytes()))};
}

} // namespace latchkey::net
