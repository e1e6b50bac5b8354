#include "core/playground/playground/clientprotocol.h"

#include "core/foundation/files/json.h"
#include "core/playground/playground/fieldnames.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <array>

namespace latchkey::playground {

using base::ErrorKind;
using base::failure;
using base::Result;
using std::chrono::milliseconds;
using Event = ClientReport::Event;

namespace {

constexpr std::array eventNames {
    std::pair(Event::Ready, "ready"),
    std::pair(Event::Acquired, "acquired"),
    std::pair(Event::Busy, "busy"),
    std::pair(Event::Released, "released"),
    std::pair(Event::Extended, "extended"),
    std::pair(Event::NotOwner, "not-owner"),
    std::pair(Event::Gone, "gone"),
    std::pair(Event::Renewed, "renewed"),
    std::pair(Event::ExpiryChanged, "end-moved"),
    std::pair(Event::Lost, "lost"),
    std::pair(Event::Unknown, "unknown"),
    std::pair(Event::Error, "error"),
    std::pair(Event::Wire, "wire"),
    std::pair(Event::Done, "done"),
    std::pair(Event::AtBreakpoint, "held"),
    std::pair(Event::Reconnected, "reconnected"),
};

constexpr auto tokenName = QLatin1String("token");
constexpr auto leaseName = QLatin1String("lease_ms");
constexpr auto validForName = QLatin1String("valid_for_ms");
constexpr auto writtenAtName = QLatin1String("written_at_boot_ms");
constexpr auto sentAgoName = QLatin1String("sent_ms_ago");
constexpr auto isErrorName = QLatin1String("is_error");
constexpr auto isLostName = QLatin1String("reply_lost");
constexpr auto isWantedName = QLatin1String("is_wanted");

/// Limit of the durations: longer than any lease, and the sum of two does not overflow in nanoseconds.
constexpr milliseconds maxDuration = std::chrono::years(120);

Result<QJsonObject> parse(const QByteArray &line)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(line, &error);
    if (error.error != QJsonParseError::NoError)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the line is not JSON: %1 at byte %2"),
                       error.errorString(), error.offset);
    if (!document.isObject())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the line is not a JSON object"));
    return document.object();
}

/// Reads whole milliseconds under that name; absent if the object has no such member.
Result<std::optional<milliseconds>> duration(const QJsonObject &object, const QString &name)
{
    const QJsonValue value = object[name];
    if (value.isUndefined() || value.isNull())
        return std::nullopt;
    const qint64 count = value.toInteger(-1);
    if (!value.isDouble() || static_cast<double>(count) != value.toDouble())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is not a whole number"), name);
    if (milliseconds(count) > maxDuration || milliseconds(count) < -maxDuration)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is out of range"), name);
    return milliseconds(count);
}

Result<std::optional<base::Lease>> lease(const QJsonObject &object)
{
    const auto given = duration(object, leaseName);
    if (!given)
        return failure(given.error());
    if (!*given)
        return std::nullopt;
    const auto lease = base::Lease::of(**given);
    if (!lease)
        return failure(lease.error());
    return *lease;
}

Result<ClientOrder> acquireFromJson(const QJsonObject &object)
{
    AcquireOrder order;
    order.recipe = object[QStringLiteral("recipe")].toString();
    const auto key = files::readBytes(object, keyName);
    const auto token = files::readBytes(object, tokenName);
    const auto value = files::readBytes(object, valueName);
    const auto leaseGiven = lease(object);
    const auto wait = duration(object, QStringLiteral("wait_ms"));
    for (const auto *bytes : {&key, &token, &value}) {
        if (!*bytes)
            return failure(bytes->error());
    }
    if (!leaseGiven)
        return failure(leaseGiven.error());
    if (!wait)
        return failure(wait.error());
    if (order.recipe.isEmpty() || !*key)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "acquire needs a recipe and a key"));
    order.options.key = base::Key(**key);
    if (*token)
        order.options.token = base::OwnerToken(**token);
    order.options.value = *value;
    order.options.lease = *leaseGiven;
    order.wait = wait->value_or(milliseconds::zero());
    const QString unit = object[QStringLiteral("unit")].toString();
    if (unit == u"s")
        order.options.unit = locks::LeaseUnit::Seconds;
    else if (unit == u"ms")
        order.options.unit = locks::LeaseUnit::Milliseconds;
    else if (!unit.isEmpty())
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "unknown unit \"%1\"; the units of a lease are s and ms"), unit);
    return order;
}

ResumeOrder goFromJson(const QJsonObject &object)
{
    ResumeOrder order;
    for (const auto &name : object[QStringLiteral("before")].toArray())
        order.before += name.toString().toUtf8().toUpper();
    order.sendsOneByOne = object[QStringLiteral("singly")].toBool();
    order.matchesToSkip = object[QStringLiteral("letting")].toInt();
    if (const QJsonValue server = object[serverName]; server.isDouble())
        order.server = server.toInt();
    return order;
}

template<typename Order>
Result<ClientOrder> asOrder(Result<Order> order)
{
    if (!order)
        return failure(std::move(order.error()));
    return ClientOrder(*std::move(order));
}

QString textName(const QString &name)
{
    return name + QStringLiteral("_text");
}

void insertText(QJsonObject &object, const QString &name, const base::Text &text)
{
    if (text.isEmpty())
        return;
    object[name] = text.toString();
    if (const QJsonValue parts = text.toJson(); parts.isObject())
        object[textName(name)] = parts;
}

base::Text takeText(const QJsonObject &object, const QString &name)
{
    const QJsonValue parts = object[textName(name)];
    return parts.isObject() ? base::Text::fromJson(parts) : base::Text(object[name].toString());
}

struct OrderToJson
{
    QJsonObject operator()(const AcquireOrder &order) const
    {
        QJsonObject object {{QStringLiteral("do"), QStringLiteral("acquire")},
                            {QStringLiteral("recipe"), order.recipe}};
        const locks::LockOptions &options = order.options;
        files::insertBytes(object, keyName, options.key.bytes());
        if (options.token)
            files::insertBytes(object, tokenName, options.token->bytes());
        if (options.value)
            files::insertBytes(object, valueName, *options.value);
        if (options.lease)
            object[leaseName] = static_cast<qint64>(options.lease->duration().count());
        if (options.unit)
            object[QStringLiteral("unit")] =
                options.unit == locks::LeaseUnit::Seconds ? QStringLiteral("s") : QStringLiteral("ms");
        if (order.wait.count() != 0)
            object[QStringLiteral("wait_ms")] = static_cast<qint64>(order.wait.count());
        return object;
    }
    QJsonObject operator()(ReleaseOrder) const { return {{QStringLiteral("do"), QStringLiteral("release")}}; }
    QJsonObject operator()(const ExtendOrder &order) const
    {
        return {{QStringLiteral("do"), QStringLiteral("extend")},
                {leaseName, static_cast<qint64>(order.lease.duration().count())}};
    }
    QJsonObject operator()(QuitOrder) const { return {{QStringLiteral("do"), QStringLiteral("quit")}}; }
    QJsonObject operator()(WriteOrder) const { return {{QStringLiteral("do"), QStringLiteral("write")}}; }
    QJsonObject operator()(const ResumeOrder &order) const
    {
        QJsonArray before;
        for (const QByteArray &name : order.before)
            before += QString::fromUtf8(name);
        QJsonObject object {{QStringLiteral("do"), QStringLiteral("go")}, {QStringLiteral("before"), before}};
        if (order.sendsOneByOne)
            object[QStringLiteral("singly")] = true;
        if (order.matchesToSkip > 0)
            object[QStringLiteral("letting")] = order.matchesToSkip;
        if (order.server)
            object[serverName] = *order.server;
        return object;
    }
    QJsonObject operator()(const ClockOrder &order) const
    {
        return {{QStringLiteral("do"), QStringLiteral("clock")},
                {QStringLiteral("ahead_ms"), static_cast<qint64>(order.ahead.count())}};
    }
    QJsonObject operator()(LoseReplyOrder order) const
    {
        return {{QStringLiteral("do"), QStringLiteral("lose-reply")}, {isWantedName, order.isWanted}};
    }
    QJsonObject operator()(ReconnectOrder order) const
    {
        return {{QStringLiteral("do"), QStringLiteral("reconnect")}, {serverName, order.server}};
    }
    template<typename Order>
    QJsonObject operator()(const Order &order) const
    {
        return toJson(order);
    }
};

void insertWire(QJsonObject &object, const ClientReport &report,
                std::chrono::time_point<base::BootClock, milliseconds> writtenAt)
{
    if (report.sentAt)
        object[sentAgoName] = static_cast<qint64>(std::chrono::ceil<milliseconds>(writtenAt - *report.sentAt).count());
    if (report.server != 0)
        object[serverName] = report.server;
    if (report.isReplyError)
        object[isErrorName] = true;
    if (report.isReplyLost)
        object[isLostName] = true;
}

void takeWire(const QJsonObject &object, ClientReport &report)
{
    if (const QJsonValue ago = object[sentAgoName]; ago.isDouble())
        report.sentAt = report.writtenAt - milliseconds(std::max<qint64>(ago.toInteger(), 0));
    report.server = std::max(object[serverName].toInt(), 0);
    report.isReplyError = object[isErrorName].toBool();
    report.isReplyLost = object[isLostName].toBool();
}

} // namespace

QJsonObject toJson(const ClientOrder &order)
{
    return std::visit(OrderToJson {}, order);
}

Result<ClientOrder> orderFromJson(const QByteArray &line)
{
    const auto object = parse(line);
    if (!object)
        return failure(object.error());
    const QString what = (*object)[QStringLiteral("do")].toString();
    if (what == u"acquire")
        return acquireFromJson(*object);
    if (what == u"release")
        return ReleaseOrder {};
    if (what == u"quit")
        return QuitOrder {};
    if (what == u"put")
        return asOrder(putFromJson(*object));
    if (what == u"get")
        return asOrder(getFromJson(*object));
    if (what == u"recompute")
        return asOrder(recomputeFromJson(*object));
    if (what == u"send")
        return asOrder(sendFromJson(*object));
    if (what == u"write")
        return WriteOrder {};
    if (what == u"go")
        return goFromJson(*object);
    if (what == u"clock")
        return ClockOrder {milliseconds((*object)[QStringLiteral("ahead_ms")].toInteger())};
    if (what == u"lose-reply")
        return LoseReplyOrder {(*object)[isWantedName].toBool(true)};
    if (what == u"reconnect")
        return ReconnectOrder {(*object)[serverName].toInt()};
    if (what != u"extend")
        return failure(ErrorKind::Usage,
                       QT_TRANSLATE_NOOP("core", "unknown order \"%1\"; there are acquire, release, extend, put, get, "
                                                 "recompute, send, write, go, clock, lose-reply, reconnect "
                                                 "and quit"),
                       what);
    const auto newLease = lease(*object);
    if (!newLease)
        return failure(newLease.error());
    if (!*newLease)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "extend needs lease_ms"));
    return ExtendOrder {**newLease};
}

bool isImmediate(const ClientOrder &order)
{
    return std::holds_alternative<ResumeOrder>(order) || std::holds_alternative<ClockOrder>(order)
        || std::holds_alternative<LoseReplyOrder>(order) || std::holds_alternative<ReconnectOrder>(order);
}

QString eventId(Event event)
{
    for (const auto &[known, name] : eventNames) {
        if (known == event)
            return QLatin1String(name);
    }
    Q_UNREACHABLE();
}

QJsonObject toJson(const ClientReport &report)
{
    QJsonObject object {{QStringLiteral("event"), eventId(report.event)}};
    if (!report.key.isEmpty())
        files::insertBytes(object, keyName, report.key.bytes());
    if (!report.token.isEmpty())
        files::insertBytes(object, tokenName, report.token.bytes());
    if (report.fencing)
        object[QStringLiteral("fencing")] = *report.fencing;
    if (report.lease)
        object[leaseName] = static_cast<qint64>(report.lease->count());
    const auto writtenAt = std::chrono::floor<milliseconds>(report.writtenAt);
    if (report.validUntil)
        object[validForName] =
            static_cast<qint64>(std::chrono::floor<milliseconds>(*report.validUntil - writtenAt).count());
    object[writtenAtName] = static_cast<qint64>(writtenAt.time_since_epoch().count());
    if (!report.command.isEmpty())
        object[QStringLiteral("command")] = report.command;
    if (report.event == Event::Wire || report.event == Event::Reconnected)
        insertWire(object, report, writtenAt);
    insertText(object, QStringLiteral("message"), report.message);
    insertText(object, QStringLiteral("reply"), report.reply);
    if (report.event == Event::Done)
        insertResult(object, report.operationResult);
    return object;
}

Result<ClientReport> reportFromJson(const QByteArray &line)
{
    const auto object = parse(line);
    if (!object)
        return failure(object.error());
    const QString name = (*object)[QStringLiteral("event")].toString();
    const auto known =
        std::ranges::find_if(eventNames, [&](const auto &entry) { return name == QLatin1String(entry.second); });
    if (known == eventNames.end())
        return failure(ErrorKind::Protocol, QT_TRANSLATE_NOOP("core", "unknown event \"%1\""), name);
    ClientReport report;
    report.event = known->first;
    const auto key = files::readBytes(*object, keyName);
    const auto token = files::readBytes(*object, tokenName);
    const auto leaseGiven = duration(*object, leaseName);
    const auto validFor = duration(*object, validForName);
    const auto writtenAt = duration(*object, writtenAtName);
    if (!key || !token || !leaseGiven || !validFor || !writtenAt || !*writtenAt)
        return failure(ErrorKind::Protocol, QT_TRANSLATE_NOOP("core", "a report cannot be read: %1"),
                       QString::fromUtf8(line));
    report.key = base::Key(key->value_or(QByteArray()));
    report.token = base::OwnerToken(token->value_or(QByteArray()));
    report.lease = *leaseGiven;
    report.writtenAt = base::MonotonicTime(**writtenAt);
    if (*validFor)
        report.validUntil = report.writtenAt + **validFor;
    if (const QJsonValue fencing = (*object)[QStringLiteral("fencing")]; fencing.isDouble())
        report.fencing = fencing.toInteger();
    report.message = takeText(*object, QStringLiteral("message"));
    report.command = (*object)[QStringLiteral("command")].toString();
    report.reply = takeText(*object, QStringLiteral("reply"));
    if (report.event == Event::Wire || report.event == Event::Reconnected)
        takeWire(*object, report);
    if (report.event == Event::Done)
        report.operationResult = takeResult(*object);
    return report;
}

} // namespace latchkey::playground
