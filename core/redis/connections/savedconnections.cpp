#include "core/redis/connections/savedconnections.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/files/savedfile.h"
#include "core/redis/connections/serversfile.h"

#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>

namespace latchkey::connections {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Checks the name. A slash is not permitted, because it separates a section from its keys in the file.
Result<void> checkName(const QString &name)
{
    if (name.isEmpty())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the server has no name"));
    if (name != name.simplified() || name.contains(u'/') || name.contains(u'\\'))
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "\"%1\" cannot be a server's name: it is one line, without slashes"),
                       base::printable(name.toUtf8()));
    return {};
}

/// Returns the name, followed by a number if a server or a group already has it.
QString freeName(const SavedConnections &saved, const QString &name)
{
    QString free = name;
    for (int number = 2; saved.find(free) != nullptr || saved.findGroup(free) != nullptr; ++number)
        free = QStringLiteral("%1 %2").arg(name).arg(number);
    return free;
}

} // namespace

SavedConnections::SavedConnections(QString file, QObject *parent)
    : QObject(parent)
    , m_file(std::move(file))
{
    reload();
}

QString SavedConnections::defaultFile()
{
    const QString named = qEnvironmentVariable("LATCHKEY_SERVERS");
    return named.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)
                                 + QStringLiteral("/latchkey/servers.ini")
                           : named;
}

const SavedConnection *SavedConnections::find(const QString &name) const
{
    const auto found =
        std::ranges::find_if(m_servers, [&](const SavedConnection &server) { return isSameName(server.name, name); });
    return found == m_servers.end() ? nullptr : &*found;
}

const SavedConnection *SavedConnections::findEndpoint(const net::Endpoint &endpoint) const
{
    const net::Endpoint wanted = withoutPasswords(endpoint);
    const auto found = std::ranges::find(m_servers, wanted, &SavedConnection::endpoint);
    return found == m_servers.end() ? nullptr : &*found;
}

const RedlockGroup *SavedConnections::findGroup(const QString &name) const
{
    const auto found =
        std::ranges::find_if(m_groups, [&](const RedlockGroup &group) { return isSameName(group.name, name); });
    return found == m_groups.end() ? nullptr : &*found;
}

Result<std::vector<SavedConnection>> SavedConnections::membersOf(const RedlockGroup &group) const
{
    const base::Text subject(QT_TRANSLATE_NOOP("core", "the group \"%1\""), group.name);
    std::vector<SavedConnection> members;
    for (const QString &member : group.members) {
        const SavedConnection *saved = find(member);
        const auto endpoint =
            saved != nullptr ? Result<net::Endpoint>(saved->endpoint) : net::Endpoint::fromUrl(member);
        if (!endpoint && !member.contains(QLatin1String("://")))
            return failure(base::Error {ErrorKind::Usage,
                                        base::Text(QT_TRANSLATE_NOOP("core", "no server is saved as \"%1\": save it, "
                                                                             "or take it out of the group"),
                                                   base::printable(member.toUtf8()))}
                               .during(subject));
        if (!endpoint)
            return failure(endpoint.error().during(subject));
        if (saved == nullptr)
            saved = findEndpoint(*endpoint);
        const auto same = std::ranges::find_if(
            members, [&](const SavedConnection &other) { return areSameServer(other.endpoint, *endpoint); });
        if (same != members.end())
            return failure(base::Error {
                ErrorKind::Usage, base::Text(QT_TRANSLATE_NOOP("core", "the server %1 is twice in it: each server "
                                                                       "has one vote"),
                                             endpoint->display())}
                               .during(subject));
        members.push_back(saved != nullptr ? *saved
                                           : SavedConnection {endpoint->display(), withoutPasswords(*endpoint)});
    }
    if (members.size() < 2)
        return failure(
            base::Error {ErrorKind::Usage, base::Text(QT_TRANSLATE_NOOP("core", "it needs at least two servers"))}
                .during(subject));
    return members;
}

const base::Error *SavedConnections::problemOf(const QString &name) const
{
    for (std::size_t i = 0; i < m_problems.size(); ++i) {
        if (m_problemServers[i].isEmpty() || isSameName(m_problemServers[i], name))
            return &m_problems[i];
    }
    return nullptr;
}

void SavedConnections::reload()
{
    auto contents = readServersFile(m_file);
    if (!contents) {
        m_servers.clear();
        m_groups.clear();
        m_problems = {std::move(contents.error())};
        m_problemServers = {QString()};
    } else {
        m_servers = std::move(contents->servers);
        m_groups = std::move(contents->groups);
        m_problems = std::move(contents->problems);
        m_problemServers = std::move(contents->problemNames);
        reportBrokenGroups();
    }
    Q_EMIT changed();
}

/// Reports the groups that cannot be used, because the file was edited or a member was removed.
void SavedConnections::reportBrokenGroups()
{
    for (const RedlockGroup &group : m_groups) {
        if (auto members = membersOf(group); !members) {
            m_problems.push_back(std::move(members.error()));
            m_problemServers.push_back(group.name);
        }
    }
}

Result<void> SavedConnections::checkFreeName(const QString &name, const QString &replaced) const
{
    if (auto checked = checkName(name); !checked)
        return checked;
    if (const SavedConnection *other = find(name); other != nullptr && !isSameName(other->name, replaced))
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "another server is called \"%1\" already"),
                       other->name);
    if (const RedlockGroup *other = findGroup(name); other != nullptr && !isSameName(other->name, replaced))
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "another group is called \"%1\" already"),
                       other->name);
    return {};
}

Result<void> SavedConnections::check(const SavedConnection &server, const QString &replaced) const
{
    if (auto checked = checkName(server.name); !checked)
        return checked;
    if (!net::Endpoint::fromUrl(server.endpoint.toUrl()))
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the server \"%1\" has an address that no URL can hold"), server.name);
    return checkFreeName(server.name, replaced);
}

Result<void> SavedConnections::put(const SavedConnection &server, const QString &replaced)
{
    reload();
    if (auto checked = check(server, replaced); !checked)
        return checked;
    const SavedConnection *old = replaced.isEmpty() ? nullptr : find(replaced);
    auto written = files::changeIniFile(m_file, [&](files::IniValues &values) {
        if (old != nullptr)
            removeEntry(values, old->name);
        if (old != nullptr && old->name != server.name)
            renameMember(values, m_groups, old->name, server.name);
        putInto(values, server);
    });
    reload();
    return written;
}

Result<void> SavedConnections::remove(const QString &name)
{
    reload();
    const SavedConnection *old = find(name);
    if (old == nullptr)
        return {};
    auto written = files::changeIniFile(m_file, [&](files::IniValues &values) { removeEntry(values, old->name); });
    reload();
    return written;
}

Result<void> SavedConnections::checkGroup(const RedlockGroup &group, const QString &replaced) const
{
    if (auto checked = checkFreeName(group.name, replaced); !checked)
        return checked;
    return membersOf(group).map([](const auto &) {});
}

Result<void> SavedConnections::putGroup(const RedlockGroup &group, const QString &replaced)
{
    reload();
    if (auto checked = checkGroup(group, replaced); !checked)
        return checked;
    RedlockGroup saved = group;
    for (QString &member : saved.members) {
        const SavedConnection *server = find(member);
        member = server != nullptr ? server->name : withoutPasswords(*net::Endpoint::fromUrl(member)).toUrl();
    }
    const RedlockGroup *old = replaced.isEmpty() ? nullptr : findGroup(replaced);
    auto written = files::changeIniFile(m_file, [&](files::IniValues &values) {
        if (old != nullptr)
            removeEntry(values, old->name);
        putInto(values, saved);
    });
    reload();
    return written;
}

Result<void> SavedConnections::removeGroup(const QString &name)
{
    reload();
    const RedlockGroup *old = findGroup(name);
    if (old == nullptr)
        return {};
    auto written = files::changeIniFile(m_file, [&](files::IniValues &values) { removeEntry(values, old->name); });
    reload();
    return written;
}

Result<void> SavedConnections::exportTo(const QString &file) const
{
    files::IniValues values;
    for (SavedConnection server : m_servers) {
        server.hasSecrets = false;
        putInto(values, server);
    }
    for (const RedlockGroup &group : m_groups)
        putInto(values, group);
    return files::saveFile(file, files::iniText(values));
}

Result<int> SavedConnections::importFrom(const QString &file)
{
    if (!QFileInfo::exists(file))
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "there is no file %1"), file);
    const auto contents = readServersFile(file);
    if (!contents)
        return failure(contents.error());
    if (contents->servers.empty() && contents->groups.empty())
        return contents->problems.empty()
                 ? failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 holds no server"), file)
                 : failure(contents->problems.front());
    QMap<QString, QString> renamed;
    for (SavedConnection server : contents->servers) {
        const QString name = server.name;
        const SavedConnection *known = find(name);
        const bool isSame = known != nullptr && known->endpoint == server.endpoint;
        server.hasSecrets = isSame && known->hasSecrets;
        if (!isSame)
            server.name = freeName(*this, name);
        renamed[name] = server.name;
        if (auto written = put(server, isSame ? name : QString()); !written)
            return failure(std::move(written.error()));
    }
    for (RedlockGroup group : contents->groups) {
        const QString name = group.name;
        for (QString &member : group.members)
            member = renamed.value(member, member);
        const RedlockGroup *known = findGroup(name);
        const bool isSame = known != nullptr && known->members == group.members;
        if (!isSame)
            group.name = freeName(*this, name);
        if (auto written = putGroup(group, isSame ? name : QString()); !written)
            return failure(std::move(written.error()));
    }
    return static_cast<int>(contents->servers.size());
}

} // namespace latchkey::connections
