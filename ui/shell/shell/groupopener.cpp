#include "ui/shell/shell/groupopener.h"

#include "core/redis/connections/keychain.h"

namespace latchkey::ui::shell {

using latchkey::connections::RedlockGroup;
using latchkey::connections::SavedConnection;
using latchkey::connections::SavedConnections;
using latchkey::connections::Secrets;

GroupOpener::GroupOpener(SavedConnections &servers, QObject *parent)
    : QObject(parent)
    , m_servers(servers)
{
    connect(&m_servers, &SavedConnections::changed, this, &GroupOpener::savedChanged);
}

void GroupOpener::open(const QString &name)
{
    const RedlockGroup *group = m_servers.findGroup(name);
    if (group == nullptr)
        return;
    const auto members = m_servers.membersOf(*group);
    if (!members)
        return Q_EMIT failed(members.error());
    m_group = *group;
    m_serverNames.clear();
    m_endpoints.clear();
    const int request = ++m_requests;
    m_pending = 1; // Not 0 until all passwords are requested, so that the group is not opened before.
    for (const SavedConnection &server : *members) {
        m_serverNames += server.name;
        m_endpoints.push_back(server.endpoint);
        if (!server.hasSecrets || !latchkey::connections::lacksSecrets(server.endpoint))
            continue;
        ++m_pending;
        latchkey::connections::readKeychain(
            server.name, *this, [this, request, index = m_endpoints.size() - 1](const base::Result<Secrets> &secrets) {
                passwordRead(request, index, secrets);
            });
    }
    finish();
}

void GroupOpener::passwordRead(int request, std::size_t index, const base::Result<Secrets> &secrets)
{
    if (request != m_requests)
        return;
    if (secrets)
        m_endpoints[index] = secrets->filledIn(m_endpoints[index]);
    else
        Q_EMIT failed(secrets.error()); // The server then refuses the connection, with its own reason.
    finish();
}

void GroupOpener::finish()
{
    if (--m_pending == 0)
        Q_EMIT opened(m_endpoints);
}

/// Follows a change of the opened group. A group that has become unusable stays open as it was.
void GroupOpener::savedChanged()
{
    if (m_group.name.isEmpty())
        return;
    const RedlockGroup *group = m_servers.findGroup(m_group.name);
    if (group != nullptr) {
        if (*group != m_group && m_servers.membersOf(*group))
            open(group->name);
        return;
    }
    ++m_requests;
    m_group = {};
    m_serverNames.clear();
    Q_EMIT opened({});
}

} // namespace latchkey::ui::shell
