#include "core/redis/net/sentinelgroup.h"

#include "core/redis/net/urlparts.h"

#include <QStringList>
#include <QUrl>

#include <algorithm>
#include <array>
#include <utility>

namespace latchkey::net {

using base::failure;
using base::Result;

namespace {

constexpr QLatin1String masterOption("sentinelMasterId");

/// A scheme of a URL of sentinels, and the scheme of the single server.
struct Scheme
{
    QLatin1String name;
    QLatin1String single;
    bool hasMasterInPath; ///< False if the name of the server is an option.
};
constexpr std::array schemes {
    Scheme {QLatin1String("redis+sentinel"), QLatin1String("redis"), true},
    Scheme {QLatin1String("rediss+sentinel"), QLatin1String("rediss"), true},
    Scheme {QLatin1String("redis-sentinel"), QLatin1String("redis"), false},
    Scheme {QLatin1String("rediss-sentinel"), QLatin1String("rediss"), false},
};

/// The texts between the separators of a URL, percent-encoded.
struct Parts
{
    QString login; ///< User and password with the `@`; empty: none.
    QStringList hosts;
    QString path;
    QStringList options;
    QString fragment; ///< With the `#`; empty: none.
};

Parts partsOf(const QString &afterScheme)
{
    Parts parts;
    QString rest = afterScheme;
    if (const qsizetype hash = rest.indexOf(u'#'); hash >= 0) {
        parts.fragment = rest.sliced(hash);
        rest.truncate(hash);
    }
    if (const qsizetype mark = rest.indexOf(u'?'); mark >= 0) {
        parts.options = rest.sliced(mark + 1).split(u'&', Qt::SkipEmptyParts);
        rest.truncate(mark);
    }
    if (const qsizetype slash = rest.indexOf(u'/'); slash >= 0) {
        parts.path = rest.sliced(slash);
        rest.truncate(slash);
    }
    const qsizetype at = rest.lastIndexOf(u'@');
    parts.login = rest.first(at + 1);
    parts.hosts = rest.sliced(at + 1).split(u',');
    return parts;
}

/// Decodes a part of a typed URL, which may contain characters beyond ASCII.
QString decoded(const QString &part)
{
    return QUrl::fromPercentEncoding(part.toUtf8());
}

/// Returns the value of the option and removes it from the list; null if there is none.
QString takeOption(QStringList &options, const QString &name)
{
    QString value;
    options.removeIf([&](const QString &option) {
        if (decoded(option.section(u'=', 0, 0)) != name)
            return false;
        value = decoded(option.section(u'=', 1));
        return true;
    });
    return value;
}

QString takeLoginOption(QStringList &options, QLatin1String name)
{
    const QString ours = takeOption(options, name);
    const QString others = takeOption(options, QString(name).replace(u'-', u'_'));
    return ours.isEmpty() ? others : ours;
}

Result<HostPort> readSentinel(const QString &url, const QString &text)
{
    if (text.isEmpty())
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "lacks the host of a sentinel, as in %1"),
                                          QStringLiteral("redis+sentinel://host1,host2:26380/mymaster")));
    const QUrl parsed(QStringLiteral("redis://") + text, QUrl::StrictMode);
    if (!parsed.isValid())
        return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "cannot be read: %1"),
                                          parsed.errorString().section(u';', 0, 0).toLower()));
    return hostPortFrom(url, parsed, SentinelGroup::defaultPort);
}

/// Removes the name of the server from the path or the options, and returns it.
Result<QString> takeMaster(const QString &url, const Scheme &scheme, Parts &parts)
{
    QString master = takeOption(parts.options, masterOption);
    if (scheme.hasMasterInPath && master.isEmpty()) {
        master = decoded(parts.path.section(u'/', 1, 1));
        parts.path = parts.path.section(u'/', 2, -1, QString::SectionIncludeLeadingSep);
    }
    if (!master.isEmpty())
        return master;
    return urlRefusal(
        url, base::Text(QT_TRANSLATE_NOOP("core", "lacks the name of the primary at its sentinels, as in %1"),
                        scheme.hasMasterInPath ? QStringLiteral("redis+sentinel://host1,host2/mymaster")
                                               : QStringLiteral("redis-sentinel://host1?sentinelMasterId=mymaster")));
}

} // namespace

Result<std::optional<SentinelUrl>> splitSentinelUrl(const QString &url)
{
    const qsizetype separator = url.indexOf(QLatin1String("://"));
    const QString name = url.first(std::max<qsizetype>(separator, 0)).toLower();
    const auto *scheme = std::ranges::find_if(schemes, [&name](const Scheme &one) { return one.name == name; });
    if (scheme == schemes.end())
        return std::nullopt;
    Parts parts = partsOf(url.sliced(separator + 3));
    SentinelUrl divided;
    std::vector<HostPort> sentinels;
    for (const QString &host : std::as_const(parts.hosts)) {
        auto sentinel = readSentinel(url, host);
        if (!sentinel)
            return failure(std::move(sentinel.error()));
        if (std::ranges::find(sentinels, *sentinel) != sentinels.end())
            return urlRefusal(url, base::Text(QT_TRANSLATE_NOOP("core", "names the sentinel \"%1\" twice"), host));
        sentinels.push_back(std::move(*sentinel));
    }
    auto master = takeMaster(url, *scheme, parts);
    if (!master)
        return failure(std::move(master.error()));
    divided.group.master = std::move(*master);
    divided.group.others.assign(sentinels.begin() + 1, sentinels.end());
    divided.group.user = takeLoginOption(parts.options, sentinelUserOption);
    divided.group.password = takeLoginOption(parts.options, sentinelPasswordOption);
    QString first = parts.hosts.front();
    if (const QUrl parsed(QStringLiteral("redis://") + first, QUrl::StrictMode); parsed.port() < 0) {
        if (first.endsWith(u':'))
            first.chop(1);
        first += QStringLiteral(":%1").arg(sentinels.front().port);
    }
    divided.single = QString(scheme->single) + QStringLiteral("://") + parts.login + first + parts.path;
    if (!parts.options.isEmpty())
        divided.single += u'?' + parts.options.join(u'&');
    divided.single += parts.fragment;
    return divided;
}

} // namespace latchkey::net
