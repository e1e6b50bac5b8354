#include "ui/shell/connections/grouptest.h"

#include "core/inspect/voting/independence.h"
#include "core/redis/connections/keychain.h"
#include "ui/kit/widgets/sentence.h"

#include <algorithm>

namespace latchkey::ui::connections {

using latchkey::connections::SavedConnection;

GroupTest::GroupTest(const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_random(random)
{}

GroupTest::~GroupTest() = default;

void GroupTest::start(const std::vector<SavedConnection> &servers)
{
    m_servers.clear();
    for (const SavedConnection &server : servers)
        m_servers.push_back({server, std::make_unique<ConnectionTest>(m_clock, m_random), {}, {}});
    for (std::size_t i = 0; i < m_servers.size(); ++i) {
        ConnectionTest &test = *m_servers[i].test;
        connect(&test, &ConnectionTest::progressed, this, [this, i](const QString &step) {
            m_servers[i].result = step;
            Q_EMIT changed();
        });
        connect(&test, &ConnectionTest::ended, this, [this, i](const QString &result, const QString &tone) {
            m_servers[i].result = result;
            m_servers[i].tone = tone;
            Q_EMIT changed();
        });
    }
    for (const Tested &tested : m_servers) {
        if (tested.server.hasSecrets && latchkey::connections::lacksSecrets(tested.server.endpoint))
            tested.test->startWithKeychain(tested.server.name, tested.server.endpoint);
        else
            tested.test->start(tested.server.endpoint);
    }
}

void GroupTest::reset()
{
    m_servers.clear();
    Q_EMIT changed();
}

bool GroupTest::isRunning() const
{
    return std::ranges::any_of(m_servers, [](const Tested &tested) { return tested.tone.isEmpty(); });
}

QString GroupTest::text() const
{
    QStringList paragraphs;
    for (const Tested &tested : m_servers)
        paragraphs += tr("%1: %2", "name and result").arg(tested.server.name, tested.result);
    if (!m_servers.empty() && !isRunning())
        paragraphs += conclusion().first;
    return paragraphs.join(QStringLiteral("\n\n"));
}

QString GroupTest::tone() const
{
    if (m_servers.empty() || isRunning())
        return {};
    QStringList tones {conclusion().second};
    for (const Tested &tested : m_servers)
        tones += tested.tone;
    for (const char *worst : {"critical", "warning"}) {
        if (tones.contains(QLatin1String(worst)))
            return QString::fromLatin1(worst);
    }
    return QStringLiteral("good");
}

/// Returns the sentence about all servers, and its tone.
std::pair<QString, QString> GroupTest::conclusion() const
{
    std::vector<voting::DescribedServer> described;
    QStringList silent;
    QStringList undescribed;
    for (const Tested &tested : m_servers) {
        const resp::ServerInfo &info = tested.test->server();
        described.push_back({tested.server.endpoint, info});
        if (tested.tone == u"critical")
            silent += tested.server.name;
        else if (info.runId.isEmpty())
            undescribed += tested.server.name;
    }
    if (const auto dependent = voting::whyDependent(described))
        return {widgets::fullSentence(dependent->message()), QStringLiteral("critical")};
    const std::size_t majority = m_servers.size() / 2 + 1;
    const auto answering = m_servers.size() - static_cast<std::size_t>(silent.size());
    if (answering < majority)
        return {tr("%1 of %2 servers answer, and a majority needs %3: no lock can be acquired now.")
                    .arg(answering)
                    .arg(m_servers.size())
                    .arg(majority),
                QStringLiteral("critical")};
    if (!undescribed.isEmpty())
        return {tr("Whether these servers are different ones could not be told, because they refuse INFO: %1.")
                    .arg(undescribed.join(tr(", "))),
                QStringLiteral("warning")};
    if (!silent.isEmpty())
        return {tr("%1 of %2 servers answer; a majority needs %3.").arg(answering).arg(m_servers.size()).arg(majority),
                QStringLiteral("warning")};
    return {tr("All %1 servers answer, and they are different ones; a majority needs %2.")
                .arg(m_servers.size())
                .arg(majority),
            QStringLiteral("good")};
}

} // namespace latchkey::ui::connections
