#include "core/redis/connections/serversfile.h"

#include "core/foundation/files/inputfile.h"

#include <QFile>
#include <QFileInfo>
#include <QSettings>

#include <algorithm>

namespace latchkey::connections {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

const QString urlKey = QStringLiteral("url");
const QString environmentKey = QStringLiteral("environment");
const QString groupKey = QStringLiteral("group");
const QString markKey = QStringLiteral("colour");
const QString secretsKey = QStringLiteral("keychain");

/// Returns the value with this name; the unset value for an unknown name, such as one of a later version.
template<typename Value, std::size_t size>
Value named(const QString &name, const std::array<Value, size> &all)
{
    const auto found = std::ranges::find_if(all, [&](Value value) { return nameOf(value) == name; });
    return found == all.end() ? all.front() : *found;
}

std::optional<base::Error> readServer(const QSettings &file, const QString &name, ServersFile &contents)
{
    const auto endpoint = net::Endpoint::fromUrl(file.value(urlKey).toString());
    if (!endpoint)
        return endpoint.error().during(base::Text(QT_TRANSLATE_NOOP("core", "the server \"%1\""), name));
    contents.servers.push_back({name, withoutPasswords(*endpoint),
                                named(file.value(environmentKey).toString(), environments),
                                file.value(groupKey).toString().simplified(),
                                named(file.value(markKey).toString(), marks), file.value(secretsKey).toBool()});
    if (endpoint->password.isEmpty() && (!endpoint->sentinels || endpoint->sentinels->password.isEmpty()))
        return std::nullopt;
    return base::Error {ErrorKind::Usage,
                        base::Text(QT_TRANSLATE_NOOP("core", "the server \"%1\" has a password in %2, which is not used"
                                                             ": take it out of the file"),
                                   name, file.fileName())};
}

} // namespace

bool isSameName(const QString &a, const QString &b)
{
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

net::Endpoint withoutPasswords(const net::Endpoint &endpoint)
{
    // The URL without its password contains everything else about a server.
    return net::Endpoint::fromUrl(endpoint.toUrl()).value_or(endpoint);
}

Result<ServersFile> readServersFile(const QString &path)
{
    ServersFile contents;
    if (!QFileInfo::exists(path))
        return contents;
    QFile test(path);
    if (const auto opened = files::openForReading(test); !opened)
        return failure(opened.error().during(base::Text(path)));
    const auto opened = files::openIniFile(path);
    if (!opened)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is no file of servers: it is not in INI format"),
                       path);
    QSettings &file = **opened;
    for (const QString &name : file.childGroups()) {
        if (name.isEmpty())
            continue; // The value belongs to a key that begins with a slash, before all sections.
        file.beginGroup(name);
        if (auto group = readRedlockGroup(file, name)) {
            contents.groups.push_back(std::move(*group));
        } else if (auto problem = readServer(file, name, contents)) {
            contents.problems.push_back(std::move(*problem));
            contents.problemNames.push_back(name);
        }
        file.endGroup();
    }
    std::ranges::stable_sort(contents.servers, [](const SavedConnection &a, const SavedConnection &b) {
        const int groups = a.group.localeAwareCompare(b.group);
        return groups != 0 ? groups < 0 : a.name.localeAwareCompare(b.name) < 0;
    });
    std::ranges::stable_sort(contents.groups, [](const RedlockGroup &a, const RedlockGroup &b) {
        return a.name.localeAwareCompare(b.name) < 0;
    });
    return contents;
}

void putInto(files::IniValues &values, const SavedConnection &server)
{
    const auto say = [&](const QString &key, const QString &text) {
        const QString path = server.name + u'/' + key;
        if (text.isEmpty())
            values.remove(path);
        else
            values[path] = text;
    };
    say(urlKey, server.endpoint.toUrl());
    say(environmentKey, nameOf(server.environment));
    say(groupKey, server.group);
    say(markKey, nameOf(server.mark));
    say(secretsKey, server.hasSecrets ? QStringLiteral("true") : QString());
}

void putInto(files::IniValues &values, const RedlockGroup &group)
{
    for (qsizetype index = 0; index < group.members.size(); ++index)
        values[group.name + u'/' + memberKey(index)] = group.members[index];
}

void removeEntry(files::IniValues &values, const QString &name)
{
    const QString section = name + u'/';
    values.removeIf([&](const auto &value) { return value.key().startsWith(section); });
}

void renameMember(files::IniValues &values, std::vector<RedlockGroup> groups, const QString &from, const QString &to)
{
    for (RedlockGroup &group : groups) {
        for (QString &member : group.members) {
            if (isSameName(member, from))
                member = to;
        }
        putInto(values, group);
    }
}

} // namespace latchkey::connections
