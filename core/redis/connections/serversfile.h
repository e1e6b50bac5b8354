#pragma once

#include "core/foundation/files/inifile.h"
#include "core/redis/connections/redlockgroup.h"
#include "core/redis/connections/savedconnection.h"

// The INI file of SavedConnections: one section per server or redlock group.

namespace latchkey::connections {

/// The entries of the file.
struct ServersFile
{
    std::vector<SavedConnection> servers; ///< Ordered by group and then by name.
    std::vector<RedlockGroup> groups;     ///< Ordered by name.
    std::vector<base::Error> problems;    ///< A sentence for each unusable entry.
    std::vector<QString> problemNames;    ///< For each problem, the name of its entry.
};

/// Reads the file. Errors: not in INI format (Usage); the file exists and cannot be read (Local).
[[nodiscard]] base::Result<ServersFile> readServersFile(const QString &path);

/// Writes a server or a group into the values of the file.
void putInto(files::IniValues &values, const SavedConnection &server);
void putInto(files::IniValues &values, const RedlockGroup &group);
/// Removes the section of a server or a group.
void removeEntry(files::IniValues &values, const QString &name);
/// Renames a server in these groups, and writes the groups into the values of the file.
void renameMember(files::IniValues &values, std::vector<RedlockGroup> groups, const QString &from, const QString &to);

/// Returns whether two names are the same, ignoring case.
[[nodiscard]] bool isSameName(const QString &a, const QString &b);
/// Returns the endpoint without its passwords.
[[nodiscard]] net::Endpoint withoutPasswords(const net::Endpoint &endpoint);

} // namespace latchkey::connections
