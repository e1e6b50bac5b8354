#pragma once

#include "core/redis/net/endpoint.h"

#include <QStringList>

class QSettings;

namespace latchkey::connections {

/// A saved group of independent servers with a name. The servers vote for the holders of redlock locks.
///
/// A value type. It is not the group of a SavedConnection, which only orders the list of servers.
struct RedlockGroup
{
    QString name;        ///< As for a SavedConnection; servers and groups have different names.
    QStringList members; ///< For each server, its saved name or a URL without password.

    friend bool operator==(const RedlockGroup &, const RedlockGroup &) = default;
};

/// Returns whether two endpoints lead to the same server, so that a failure affects both. The databases may differ. The
/// same address behind another SSH host is another server.
[[nodiscard]] bool areSameServer(const net::Endpoint &a, const net::Endpoint &b);

/// Reads a group from the current section of an INI file. Absent if the section describes no group.
[[nodiscard]] std::optional<RedlockGroup> readRedlockGroup(const QSettings &file, const QString &name);
/// Returns the key of a member in the section of the group. `index`: from 0.
[[nodiscard]] QString memberKey(qsizetype index);

} // namespace latchkey::connections
