#include "app/cli/savedsecrets.h"

#include "app/help/commandline.h"
#include "core/foundation/base/bytes.h"
#include "core/redis/connections/keychain.h"
#include "core/redis/connections/savedconnections.h"

#include <QCoreApplication>

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using connections::SavedConnection;
using connections::SavedConnections;
using help::CommandLine;

namespace {

Result<connections::Secrets> readNow(const QString &name)
{
    Result<connections::Secrets> found;
    QObject context; // The destruction of the context disconnects late replies.
    connections::readKeychain(name, context, [&found](const auto &read) {
        found = read;
        QCoreApplication::quit();
    });
    QCoreApplication::exec();
    return found;
}

} // namespace

Result<std::vector<SavedConnection>> savedConnections(const QStringList &names)
{
    std::vector<SavedConnection> saved;
    if (names.isEmpty())
        return saved;
    const SavedConnections savedServers(SavedConnections::defaultFile());
    for (const QString &name : names) {
        const SavedConnection *server = savedServers.find(name);
        if (const connections::RedlockGroup *group = savedServers.findGroup(name)) {
            const auto members = savedServers.membersOf(*group);
            if (!members)
                return failure(members.error().during(QStringLiteral("--server")));
            saved.insert(saved.end(), members->begin(), members->end());
            continue;
        }
        if (const base::Error *problem = savedServers.problemOf(name); server == nullptr && problem != nullptr)
            return failure(problem->during(QStringLiteral("--server")));
        if (server == nullptr)
            return failure(ErrorKind::Usage, CommandLine::tr("--server: no server or group is saved as \"%1\" in %2")
                                                 .arg(base::printable(name.toUtf8()), savedServers.file()));
        saved.push_back(*server);
    }
    return saved;
}

bool isSavedAsProduction(const net::Endpoint &server, const QStringList &names)
{
    const auto isProduction = [](const SavedConnection &saved) {
        return saved.environment == connections::Environment::Production;
    };
    const SavedConnections savedServers(SavedConnections::defaultFile());
    if (const SavedConnection *saved = savedServers.findEndpoint(server); saved != nullptr && isProduction(*saved))
        return true;
    const auto named = savedConnections(names);
    return named && std::ranges::any_of(*named, isProduction);
}

Result<std::vector<net::Endpoint>> withSavedSecrets(std::vector<net::Endpoint> endpoints, const QStringList &names)
{
    const auto saved = savedConnections(names);
    if (!saved)
        return failure(saved.error());
    auto endpoint = endpoints.end() - static_cast<std::ptrdiff_t>(saved->size());
    for (const SavedConnection &server : *saved) {
        if (server.hasSecrets && connections::lacksSecrets(*endpoint)) {
            const auto found = readNow(server.name);
            if (!found)
                return failure(found.error());
            *endpoint = found->filledIn(*endpoint);
        }
        ++endpoint;
    }
    return endpoints;
}

} // namespace latchkey::cli
