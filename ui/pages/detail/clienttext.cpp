#include "ui/pages/detail/clienttext.h"

#include "core/foundation/base/bytes.h"

#include <QCoreApplication>
#include <QLocale>

namespace latchkey::ui::detail {

using detection::ClientMatch;
using detection::ConnectedClient;
using namespace std::chrono_literals;

namespace {

struct ClientText
{
    Q_DECLARE_TR_FUNCTIONS(ClientText)
};

/// Length limit of a client name, because a client can set any name.
constexpr qsizetype maxClientNameLength = 60;

QString since(std::chrono::seconds age)
{
    const auto count = [](auto time) { return static_cast<int>(time.count()); };
    if (age < 1min)
        return ClientText::tr("connected for less than a minute");
    if (age < 2h)
        return ClientText::tr("connected for %Ln min", nullptr, count(std::chrono::floor<std::chrono::minutes>(age)));
    if (age < 48h)
        return ClientText::tr("connected for %Ln h", nullptr, count(std::chrono::floor<std::chrono::hours>(age)));
    return ClientText::tr("connected for %Ln d", nullptr, count(std::chrono::floor<std::chrono::days>(age)));
}

QString groundsText(ClientMatch::Criterion by)
{
    switch (by) {
    case ClientMatch::Criterion::Address:
        return ClientText::tr("inferred from its address");
    case ClientMatch::Criterion::Id:
        return ClientText::tr("inferred from its number");
    case ClientMatch::Criterion::Name:
        return ClientText::tr("inferred from its name");
    case ClientMatch::Criterion::HostAndPid:
        return ClientText::tr("inferred from the host and process in its name");
    case ClientMatch::Criterion::Trace:
        return ClientText::tr("inferred from a trace of its commands");
    }
    Q_UNREACHABLE();
}

} // namespace

QString clientText(const detection::HolderClients::HolderClient &matched)
{
    const ConnectedClient &client = matched.match.clients.front();
    QStringList parts {base::printable(client.address, maxClientNameLength)};
    if (!client.name.isEmpty())
        parts += base::printable(client.name, maxClientNameLength);
    if (!client.library.isEmpty())
        parts += base::printable((client.library + ' ' + client.libraryVersion).trimmed(), maxClientNameLength);
    parts += matched.isConnected ? since(client.age) : ClientText::tr("no longer connected");
    if (const qsizetype others = static_cast<qsizetype>(matched.match.clients.size()) - 1; others > 0)
        parts += others == 1 ? ClientText::tr("and 1 more connection")
                             : ClientText::tr("and %Ln more connections", nullptr, static_cast<int>(others));
    return ClientText::tr("%1 (%2)", "a client, and how it is known")
        .arg(parts.join(QLatin1String(", ")), groundsText(matched.match.criterion));
}

} // namespace latchkey::ui::detail
