#include "core/redis/connections/savedconnections.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/files/inifile.h"
#include "core/foundation/files/inputfile.h"
#include "core/foundation/files/savedfile.h"

#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>

namespace latchkey::connections {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

struct Contents
{
    std::vector<SavedConnection> servers;
    std::vector<base::Error> problems;
    std::vector<QString> troubled; ///< Name of the server of each problem.
};

const QString urlKey = QStringLiteral("url");
const QString environmentKey = QStringLiteral("environment");
const QString groupKey = QStringLiteral("group");
const QString markKey = QStringLiteral("colour");
const QString secretsKey = QStringLiteral("keychain");

bool isSameName(const QString &a, const QString &b)
{
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

net::Endpoint withoutPasswords(const net::Endpoint &endpoint)
{
    // The URL without its password contains everything else about a server.
    return net::Endpoint::fromUrl(endpoint.toUrl()).value_or(endpoint);
}

/// Returns the value with this name; the unset value for an unknown name, such as one of a later version.
template<typename Value, std::size_t size>
Value named(const QString &name, const std::array<Value, size> &all)
{
    const auto found = std::ranges::find_if(all, [&](Value value) { return nameOf(value) == name; });
    return found == all.end() ? all.front() : *found;
}

std::optional<base::Error> readServer(const QSettings &file, const QString &name, Contents &contents)
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

/// Reads the file. Error (Local): the file exists and cannot be read.
Result<Contents> read(const QString &path)
{
    Contents contents;
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
        if (auto problem = readServer(file, name, contents)) {
            contents.problems.push_back(std::move(*problem));
            contents.troubled.push_back(name);
        }
        file.endGroup();
    }
    std::ranges::stable_sort(contents.servers, [](const SavedConnection &a, const SavedConnection &b) {
        const int groups = a.group.localeAwareCompare(b.group);
        return groups != 0 ? groups < 0 : a.name.localeAwareCompare(b.name) < 0;
    });
    return contents;
}

void put(files::IniValues &values, const SavedConnection &server)
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

void removeServer(files::IniValues &values, const QString &name)
{
    const QString section = name + u'/';
    values.removeIf([&](const auto &value) { return value.key().startsWith(section); });
}

/// Checks the name. In the file, a slash separates a section from its keys.
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

} // namespace

QString nameOf(Environment environment)
{
    switch (environment) {
    case Environment::Unspecified:
        break;
    case Environment::Development:
        return QStringLiteral("development");
    case Environment::Staging:
        return QStringLiteral("staging");
    case Environment::Production:
        return QStringLiteral("production");
    }
    return {};
}

QString nameOf(ColourMark mark)
{
    switch (mark) {
    case ColourMark::None:
        break;
    case ColourMark::Red:
        return QStringLiteral("red");
    case ColourMark::Orange:
        return QStringLiteral("orange");
    case ColourMark::Green:
        return QStringLiteral("green");
    case ColourMark::Blue:
        return QStringLiteral("blue");
    case ColourMark::Violet:
        return QStringLiteral("violet");
    }
    return {};
}

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
    auto contents = read(m_file);
    if (!contents) {
        m_servers.clear();
        m_problems = {std::move(contents.error())};
        m_problemServers = {QString()};
    } else {
        m_servers = std::move(contents->servers);
        m_problems = std::move(contents->problems);
        m_problemServers = std::move(contents->troubled);
    }
    Q_EMIT changed();
}

Result<void> SavedConnections::check(const SavedConnection &server, const QString &replaced) const
{
    if (auto checked = checkName(server.name); !checked)
        return checked;
    if (!net::Endpoint::fromUrl(server.endpoint.toUrl()))
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the server \"%1\" has an address that no URL can hold"), server.name);
    if (const SavedConnection *other = find(server.name); other != nullptr && !isSameName(other->name, replaced))
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "another server is called \"%1\" already"),
                       other->name);
    return {};
}

Result<void> SavedConnections::put(const SavedConnection &server, const QString &replaced)
{
    reload();
    if (auto checked = check(server, replaced); !checked)
        return checked;
    const SavedConnection *old = replaced.isEmpty() ? nullptr : find(replaced);
    auto written = files::changeIniFile(m_file, [&](files::IniValues &values) {
        if (old != nullptr)
            removeServer(values, old->name);
        connections::put(values, server);
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
    auto written = files::changeIniFile(m_file, [&](files::IniValues &values) { removeServer(values, old->name); });
    reload();
    return written;
}

Result<void> SavedConnections::exportTo(const QString &file) const
{
    files::IniValues values;
    for (SavedConnection server : m_servers) {
        server.hasSecrets = false;
        connections::put(values, server);
    }
    return files::saveFile(file, files::iniText(values));
}

Result<int> SavedConnections::importFrom(const QString &file)
{
    if (!QFileInfo::exists(file))
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "there is no file %1"), file);
    const auto contents = read(file);
    if (!contents)
        return failure(contents.error());
    if (contents->servers.empty())
        return contents->problems.empty()
                 ? failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 holds no server"), file)
                 : failure(contents->problems.front());
    for (SavedConnection server : contents->servers) {
        const QString name = server.name;
        const SavedConnection *known = find(name);
        const bool isSame = known != nullptr && known->endpoint == server.endpoint;
        server.hasSecrets = isSame && known->hasSecrets;
        for (int number = 2; !isSame && known != nullptr; ++number) {
            server.name = QStringLiteral("%1 %2").arg(name).arg(number);
            known = find(server.name);
        }
        if (auto written = put(server, isSame ? name : QString()); !written)
            return failure(std::move(written.error()));
    }
    return static_cast<int>(contents->servers.size());
}

} // namespace latchkey::connections
