#pragma once

#include "core/redis/connections/savedconnections.h"
#include "core/redis/connections/secrets.h"

#include <QObject>

#include <functional>

namespace latchkey::ui::shell {

/// The opener of a redlock group: it finds the servers of the group and fetches their passwords from the keychain.
///
/// The keychain may ask the user to unlock it, and the group is opened afterwards. A later request replaces an earlier
/// one. After a change of the saved group it is opened again, and after its removal closed. Owned by the Workspace; the
/// saved connections are not owned.
class GroupOpener final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupOpener)

public:
    explicit GroupOpener(latchkey::connections::SavedConnections &servers, QObject *parent = nullptr);

    void open(const QString &name);
    /// Returns the name of the opened group; empty without one.
    [[nodiscard]] const QString &name() const { return m_group.name; }
    /// Returns the names of its servers.
    [[nodiscard]] const QStringList &serverNames() const { return m_serverNames; }

Q_SIGNALS:
    /// Emitted when the servers and their passwords are known; without servers after the group was removed.
    void opened(const std::vector<latchkey::net::Endpoint> &endpoints);
    void failed(const latchkey::base::Error &error);

private:
    void savedChanged();
    void passwordRead(int request, std::size_t index, const base::Result<latchkey::connections::Secrets> &secrets);
    void finish();

    latchkey::connections::SavedConnections &m_servers; // Not owned.
    latchkey::connections::RedlockGroup m_group;
    QStringList m_serverNames;
    std::vector<latchkey::net::Endpoint> m_endpoints;
    std::size_t m_pending = 0; ///< Number of passwords that are not read yet.
    int m_requests = 0;        ///< Requests to open a group; a reply of the keychain to an earlier request is ignored.
};

} // namespace latchkey::ui::shell
