#pragma once

#include "core/redis/connections/redlockgroup.h"
#include "core/redis/connections/savedconnection.h"

#include <QObject>

#include <optional>
#include <vector>

namespace latchkey::connections {

/// The saved servers and redlock groups: a file that the window writes and the command line reads.
///
/// It is an INI file with one section per server or group. The file never contains a secret, only a mark for a secret
/// in the keychain. The password of a URL is not written. A password that a user has typed into the file is reported
/// and not used. The file is read again before each change, so that two windows do not undo each other's changes.
/// Entries that this version cannot read stay unchanged. Owned by the program, and outlives its users. This class
/// connects to no server.
class SavedConnections final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SavedConnections)

public:
    /// Reads the file. Without a file, the list is empty.
    explicit SavedConnections(QString file, QObject *parent = nullptr);

    /// Returns the file in LATCHKEY_SERVERS, otherwise `latchkey/servers.ini` in the user's configuration folder.
    [[nodiscard]] static QString defaultFile();

    [[nodiscard]] const QString &file() const { return m_file; }
    /// Returns the servers, ordered by group and then by name; servers without a group come first.
    [[nodiscard]] const std::vector<SavedConnection> &servers() const { return m_servers; }
    /// Returns a server by name, ignoring case. Null if there is none. Valid until changed().
    [[nodiscard]] const SavedConnection *find(const QString &name) const;
    /// Returns the server with this endpoint, ignoring passwords. Null if it is not saved. Valid until changed().
    [[nodiscard]] const SavedConnection *findEndpoint(const net::Endpoint &endpoint) const;
    /// Returns the groups, ordered by name.
    [[nodiscard]] const std::vector<RedlockGroup> &groups() const { return m_groups; }
    /// Returns a group by name, ignoring case. Null if there is none. Valid until changed().
    [[nodiscard]] const RedlockGroup *findGroup(const QString &name) const;
    /// Returns the servers of the group. A member without a saved connection has its address as the name. Errors
    /// (Usage), as one sentence: a member is neither a saved server nor a URL, a server is twice in the group, or the
    /// group has fewer than two servers.
    [[nodiscard]] base::Result<std::vector<SavedConnection>> membersOf(const RedlockGroup &group) const;
    /// Returns a sentence for each unusable entry in the file, with its name.
    [[nodiscard]] const std::vector<base::Error> &problems() const { return m_problems; }
    /// Returns why a server with this name cannot be used: the problem of its own entry or of the whole file. Null if
    /// there is no problem.
    [[nodiscard]] const base::Error *problemOf(const QString &name) const;

    /// Reads the file again, because another program may have changed it.
    void reload();

    /// Checks whether put() would accept the server. Errors (Usage): as for put().
    [[nodiscard]] base::Result<void> check(const SavedConnection &server, const QString &replaced = {}) const;
    /// Saves a server, replacing the one named `replaced` if that is not empty. Errors (Usage): the name is empty, has
    /// a slash, a line break or surplus spaces, or belongs to another server; no URL can contain the address; the file
    /// is not in INI format. Error (Local): the file cannot be written. After an error the file is unchanged. The
    /// groups of a renamed server follow.
    [[nodiscard]] base::Result<void> put(const SavedConnection &server, const QString &replaced = {});
    /// Removes a server; a missing one is not an error. Groups keep their members, and cannot be used without them.
    /// Error (Local): the file cannot be written.
    [[nodiscard]] base::Result<void> remove(const QString &name);

    /// Checks whether putGroup() would accept the group. Errors (Usage): as for putGroup().
    [[nodiscard]] base::Result<void> checkGroup(const RedlockGroup &group, const QString &replaced = {}) const;
    /// Saves a group, replacing the one named `replaced` if that is not empty. Errors (Usage): those of membersOf(),
    /// and of put() for the name. Error (Local): the file cannot be written. After an error the file is unchanged.
    [[nodiscard]] base::Result<void> putGroup(const RedlockGroup &group, const QString &replaced = {});
    /// Removes a group, and none of its servers; a missing one is not an error. Error (Local): the file cannot be
    /// written.
    [[nodiscard]] base::Result<void> removeGroup(const QString &name);

    /// Writes all servers and groups to a file of the same format, without secrets and without the keychain marks of
    /// this desktop. Error (Local): the reason why it cannot be written.
    [[nodiscard]] base::Result<void> exportTo(const QString &file) const;
    /// Imports the servers and groups of another file and returns the number of servers. A server with an existing name
    /// replaces the existing one only if both have the same endpoint. Otherwise a number is appended to its name. The
    /// same applies to a group with its members. Keychain marks of the file are ignored, because they belong to another
    /// desktop. Errors: the file contains no server (Usage), or cannot be read or written (Local). Servers before a
    /// write error stay imported.
    [[nodiscard]] base::Result<int> importFrom(const QString &file);

Q_SIGNALS:
    /// Emitted when servers(), groups() or problems() may have changed.
    void changed();

private:
    [[nodiscard]] base::Result<void> checkFreeName(const QString &name, const QString &replaced) const;
    void reportBrokenGroups();

    const QString m_file;
    std::vector<SavedConnection> m_servers;
    std::vector<RedlockGroup> m_groups;
    std::vector<base::Error> m_problems;
    /// For each problem, the name of its entry; empty if the problem concerns the whole file.
    std::vector<QString> m_problemServers;
};

} // namespace latchkey::connections
