#include "core/redis/net/addressmap.h"

#include <QHostAddress>
#include <QStringList>
#include <QUrl>

#include <algorithm>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Returns the host, and the port or 0, of `host[:port]`. Absent if the text is anything else.
std::optional<HostPort> addressFrom(const QString &text)
{
    const QUrl url(QStringLiteral("redis://") + text, QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty() || url.port(1) == 0 || text.endsWith(u':')
        || text.contains(QLatin1Char('@')) || !url.path().isEmpty() || url.hasQuery() || url.hasFragment())
        return std::nullopt;
    return HostPort {url.host(QUrl::FullyDecoded), static_cast<quint16>(url.port(0))};
}

QString textOf(const HostPort &address)
{
    if (address.port != 0)
        return hostPortText(address);
    return address.host.contains(u':') ? u'[' + address.host + u']' : address.host;
}

/// Returns whether both name the same host. Addresses are compared as such: an IPv6 address has several texts.
bool isSameHost(const QString &one, const QString &other)
{
    if (one.compare(other, Qt::CaseInsensitive) == 0)
        return true;
    const QHostAddress address(one);
    return !address.isNull() && address == QHostAddress(other);
}

} // namespace

QString hostPortText(const HostPort &at)
{
    return (at.host.contains(u':') ? QStringLiteral("[%1]:%2") : QStringLiteral("%1:%2")).arg(at.host).arg(at.port);
}

Result<AddressMap::Entry> AddressMap::entryFrom(const QString &text)
{
    const QStringList sides = text.split(u'=');
    if (sides.size() != 2)
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the entry \"%1\" of the address map is not of the form "
                                                 "INNER=OUTER, as in 10.0.0.1:7000=localhost:17000"),
                       text);
    const auto inner = addressFrom(sides[0].trimmed());
    const auto outer = addressFrom(sides[1].trimmed());
    if (!inner || !outer)
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "the entry \"%1\" of the address map has the invalid address \"%2\"; "
                                                 "an address is a host, or a host and a port from 1 to 65535, with "
                                                 "brackets around an IPv6 address"),
                       text, sides[inner ? 1 : 0]);
    return Entry {*inner, *outer};
}

Result<AddressMap> AddressMap::fromText(const QString &text)
{
    AddressMap map;
    for (const QString &part : text.split(u',')) {
        auto entry = entryFrom(part);
        if (!entry)
            return failure(std::move(entry.error()));
        const bool isTwice = std::ranges::any_of(map.m_entries, [&entry](const Entry &each) {
            return each.inner.port == entry->inner.port && isSameHost(each.inner.host, entry->inner.host);
        });
        if (isTwice)
            return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the address map has two entries for \"%1\""),
                           textOf(entry->inner));
        map.m_entries.push_back(std::move(*entry));
    }
    return map;
}

HostPort AddressMap::reached(const HostPort &announced) const
{
    const Entry *best = nullptr;
    for (const Entry &entry : m_entries) {
        const bool matches = (entry.inner.port == 0 || entry.inner.port == announced.port)
                          && isSameHost(entry.inner.host, announced.host);
        if (matches && (best == nullptr || entry.inner.port != 0))
            best = &entry;
    }
    if (best == nullptr)
        return announced;
    return {best->outer.host, best->outer.port == 0 ? announced.port : best->outer.port};
}

std::optional<HostPort> AddressMap::announcedFor(const HostPort &reached) const
{
    for (const Entry &entry : m_entries) {
        const HostPort inner {entry.inner.host, entry.inner.port == 0 ? reached.port : entry.inner.port};
        if (this->reached(inner) == reached)
            return inner;
    }
    return std::nullopt;
}

QString AddressMap::toText() const
{
    QStringList parts;
    for (const auto &[inner, outer] : entries())
        parts += inner + u'=' + outer;
    return parts.join(u',');
}

std::vector<std::pair<QString, QString>> AddressMap::entries() const
{
    std::vector<std::pair<QString, QString>> texts;
    for (const Entry &entry : m_entries)
        texts.emplace_back(textOf(entry.inner), textOf(entry.outer));
    return texts;
}

} // namespace latchkey::net
