#include "ui/shell/connections/servertexts.h"

#include <QCoreApplication>
#include <QLocale>

namespace latchkey::ui::connections {

using latchkey::connections::ColourMark;
using latchkey::connections::Environment;
using widgets::Pill;

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::connections)
};

using inspection::ServerCheck;

QString roleText(const ServerCheck &check, const resp::ServerInfo &server)
{
    QStringList parts;
    if (check.role == "master")
        parts += check.replicas > 0 ? Words::tr("Role: master, replicas: %1.").arg(check.replicas)
                                    : Words::tr("Role: master without replicas.");
    else if (check.role == "slave")
        parts += Words::tr("Role: replica of %1.").arg(QString::fromUtf8(check.master));
    else if (!check.role.isEmpty())
        parts += Words::tr("Role: %1.").arg(QString::fromUtf8(check.role));
    else
        parts += Words::tr("Role: not known, because ROLE is refused.");
    if (server.mode == u"cluster")
        parts += Words::tr("It is a node of a cluster.");
    if (check.keys)
        parts += Words::tr("Keys: %1.").arg(QLocale().toString(*check.keys));
    return parts.join(u' ');
}

QString rightsText(const ServerCheck &check)
{
    QStringList refused;
    for (const events::Coverage::Denial &denial : check.denied)
        refused += denial.isOfSomeKeys ? Words::tr("some values") : events::requestName(denial.request);
    QStringList parts;
    if (!check.user.isEmpty())
        parts += Words::tr("User: %1.").arg(QString::fromUtf8(check.user));
    parts += refused.isEmpty() ? Words::tr("Keys, expiries, types and values can be read.")
                               : Words::tr("Refused: %1.").arg(refused.join(QStringLiteral(", ")));
    switch (check.writing) {
    case ServerCheck::Right::Permitted:
        parts += Words::tr("DEL and PEXPIRE are permitted.");
        break;
    case ServerCheck::Right::Refused:
        parts += Words::tr("DEL or PEXPIRE is refused.");
        break;
    case ServerCheck::Right::Unknown:
        parts += Words::tr("Rights to write: not known, because the server does not answer ACL DRYRUN.");
        break;
    }
    return parts.join(u' ');
}

QString eventsText(const ServerCheck &check)
{
    switch (check.events) {
    case ServerCheck::Events::Notifications:
        return Words::tr("Events: keyspace notifications are on.");
    case ServerCheck::Events::Tracking:
        return Words::tr("Events: client tracking.");
    case ServerCheck::Events::Refused:
    case ServerCheck::Events::Unknown:
        break;
    }
    return Words::tr("Events: none. Changes are found by polling only, and short holds can be missed.");
}

QString possibleText(const ServerCheck &check)
{
    if (!canWatch(check))
        return Words::tr("Possible: watching, but incomplete.");
    if (check.role == "slave" || check.writing == ServerCheck::Right::Refused)
        return Words::tr("Possible: watching. Release, Delete and Set expiry are not possible.");
    if (check.writing == ServerCheck::Right::Permitted)
        return Words::tr("Possible: watching; Release, Delete and Set expiry after you allow writes.");
    return Words::tr("Possible: watching. Whether Release, Delete and Set expiry are possible is not known.");
}

} // namespace

bool canWatch(const ServerCheck &check)
{
    return check.denied.empty();
}

QString textOf(const ServerCheck &check, const resp::ServerInfo &server, std::chrono::nanoseconds roundTrip)
{
    const double milliseconds = std::chrono::duration<double, std::milli>(roundTrip).count();
    const QString name = server.display().isEmpty() ? Words::tr("The server") : server.display();
    const QStringList first {Words::tr("%1 answers within %2 ms.").arg(name, QLocale().toString(milliseconds, 'f', 2)),
                             roleText(check, server)};
    return QStringList {first.join(u' '), rightsText(check), eventsText(check), possibleText(check)}.join(u'\n');
}

QString textOf(Environment environment)
{
    switch (environment) {
    case Environment::Unspecified:
        break;
    case Environment::Development:
        return Words::tr("development");
    case Environment::Staging:
        return Words::tr("staging");
    case Environment::Production:
        return Words::tr("production");
    }
    return {};
}

QString textOf(ColourMark mark)
{
    switch (mark) {
    case ColourMark::None:
        break;
    case ColourMark::Red:
        return Words::tr("red");
    case ColourMark::Orange:
        return Words::tr("orange");
    case ColourMark::Green:
        return Words::tr("green");
    case ColourMark::Blue:
        return Words::tr("blue");
    case ColourMark::Violet:
        return Words::tr("violet");
    }
    return {};
}

Pill::Tone toneOf(Environment environment)
{
    switch (environment) {
    case Environment::Unspecified:
        break;
    case Environment::Development:
        return Pill::Tone::Good;
    case Environment::Staging:
        return Pill::Tone::Warning;
    case Environment::Production:
        return Pill::Tone::Critical;
    }
    return Pill::Tone::Neutral;
}

QColor colourOf(ColourMark mark, const theme::Theme &theme)
{
    switch (mark) {
    case ColourMark::None:
        break;
    case ColourMark::Red:
        return theme.critical;
    case ColourMark::Orange:
        return theme.warning;
    case ColourMark::Green:
        return theme.good;
    case ColourMark::Blue:
        return theme.accent;
    case ColourMark::Violet:
        return theme.endless;
    }
    return {};
}

} // namespace latchkey::ui::connections
