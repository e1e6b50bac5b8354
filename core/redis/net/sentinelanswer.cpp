#include "core/redis/net/sentinelanswer.h"

#include "core/foundation/base/bytes.h"
#include "core/redis/resp/servererror.h"

#include <QStringList>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Returns the value of a field in a flat list of names and values; empty if there is none.
QByteArray fieldOf(const resp::Reply &fields, const QByteArray &name)
{
    const auto &elements = fields.elements();
    for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
        if (elements[i].isBulk(name))
            return elements[i + 1].bytes();
    }
    return {};
}

/// Returns the names of the primaries that the sentinel knows, from its reply to SENTINEL MASTERS.
QStringList namesIn(const resp::Reply &masters)
{
    QStringList names;
    for (const resp::Reply &master : masters.elements())
        names += u'"' + base::printable(fieldOf(master, "name")) + u'"';
    return names;
}

base::Error unknownName(const Endpoint &sentinel, const QString &master, const resp::Replies &replies)
{
    const QStringList names = replies.size() > 2 ? namesIn(replies[2]) : QStringList();
    return {ErrorKind::Unreachable,
            names.isEmpty()
                ? base::Text(QT_TRANSLATE_NOOP("core", "the sentinel %1 does not know a primary named \"%2\""),
                             sentinel.display(), base::printable(master.toUtf8()))
                : base::Text(QT_TRANSLATE_NOOP("core", "the sentinel %1 does not know a primary named \"%2\"; it "
                                                       "knows %3"),
                             sentinel.display(), base::printable(master.toUtf8()), names.join(QStringLiteral(", ")))};
}

} // namespace

std::vector<Endpoint> sentinelsOf(const Endpoint &endpoint)
{
    std::vector<Endpoint> sentinels;
    const auto add = [&](const HostPort &at) {
        Endpoint sentinel = endpoint; // Its address is that of the URL, which no map changes.
        sentinel.sentinels.reset();
        sentinel.host = at.host;
        sentinel.port = at.port;
        sentinel.database = 0;
        sentinel.user = endpoint.sentinels->user;
        sentinel.password = endpoint.sentinels->password;
        sentinels.push_back(std::move(sentinel));
    };
    add({endpoint.host, endpoint.port});
    for (const HostPort &other : endpoint.sentinels->others)
        add(other);
    return sentinels;
}

Endpoint serverAt(const Endpoint &endpoint, const HostPort &at)
{
    return endpoint.announcing(at);
}

resp::Commands primaryRequest(const QString &master, bool wantsNames)
{
    resp::Commands commands {{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master.toUtf8()},
                             {"SENTINEL", "MASTER", master.toUtf8()}};
    if (wantsNames)
        commands.push_back({"SENTINEL", "MASTERS"});
    return commands;
}

Result<PrimaryAddress> primaryFrom(const Endpoint &sentinel, const QString &master, const resp::Replies &replies)
{
    const resp::Reply &address = replies.front();
    if (address.isError()) {
        const base::Error error = resp::serverError(address);
        if (error.kind != ErrorKind::UnknownCommand)
            return failure(sentinelError(sentinel, error.during(sentinel.display())));
        return failure(ErrorKind::Unreachable,
                       QT_TRANSLATE_NOOP("core", "%1 is not a sentinel but a server: write its URL like %2, or the "
                                                 "address of a sentinel, usually with port 26379"),
                       sentinel.display(), sentinel.toUrl());
    }
    if (address.isNil())
        return failure(unknownName(sentinel, master, replies));
    bool isPort = false;
    const auto &parts = address.elements();
    const quint16 port = parts.size() == 2 ? parts[1].bytes().toUShort(&isPort) : 0;
    if (!isPort || parts[0].bytes().isEmpty())
        return failure(ErrorKind::Protocol,
                       QT_TRANSLATE_NOOP("core", "the sentinel %1 named no address of the primary (%2)"),
                       sentinel.display(), address.toText());
    return PrimaryAddress {{QString::fromUtf8(parts[0].bytes()), port},
                           fieldOf(replies[1], "config-epoch").toLongLong()};
}

base::Error sentinelError(const Endpoint &sentinel, const base::Error &error)
{
    if (error.kind == ErrorKind::AuthenticationRequired)
        return {ErrorKind::SentinelAuthentication,
                base::Text(QT_TRANSLATE_NOOP("core", "the sentinel %1 requires a password: add sentinel-password to "
                                                     "the URL, or set LATCHKEY_SENTINEL_PASSWORD"),
                           sentinel.display())};
    if (error.kind == ErrorKind::WrongPassword)
        return {ErrorKind::SentinelAuthentication,
                base::Text(QT_TRANSLATE_NOOP("core", "the sentinel %1 rejects this user and password: check "
                                                     "sentinel-user and sentinel-password"),
                           sentinel.display())};
    return error;
}

} // namespace latchkey::net
