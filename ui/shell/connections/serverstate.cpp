#include "ui/shell/connections/serverstate.h"

#include "ui/shell/connections/servertexts.h"

#include <QCoreApplication>

#include <algorithm>

namespace latchkey::ui::connections {

using inspection::InspectedServer;
using net::Session;

namespace {

/// Translation context of the texts.
class ServerState final
{
    Q_DECLARE_TR_FUNCTIONS(latchkey::ui::connections::ServerState)
};

/// Returns whether a connected server has stopped replying, such as a frozen one.
bool isSilent(InspectedServer &server, base::MonotonicTime now)
{
    const auto answer = server.session().lastAnswer();
    return answer && now - *answer > maxSilence;
}

} // namespace

QString stateTextOf(InspectedServer *server, base::MonotonicTime now)
{
    if (server == nullptr)
        return ServerState::tr("not watched");
    const qsizetype findings = server->locks().findingCount();
    switch (server->session().state()) {
    case Session::State::Ready:
        if (isSilent(*server, now))
            return ServerState::tr("does not answer");
        return findings == 0 ? ServerState::tr("connected, no findings")
             : findings == 1 ? ServerState::tr("connected, 1 finding")
                             : ServerState::tr("connected, %n findings", nullptr, static_cast<int>(findings));
    case Session::State::Connecting:
        return ServerState::tr("connecting");
    case Session::State::Waiting:
        return ServerState::tr("does not answer");
    case Session::State::Stopped:
        break;
    }
    return ServerState::tr("not connected");
}

QString stateTextOf(const std::vector<InspectedServer *> &servers, base::MonotonicTime now)
{
    const int count = static_cast<int>(servers.size());
    if (std::ranges::all_of(servers, [](InspectedServer *server) { return server == nullptr; }))
        return ServerState::tr("%n servers", nullptr, count);
    const auto connected = std::ranges::count_if(servers, [now](InspectedServer *server) {
        return server != nullptr && server->session().state() == Session::State::Ready && !isSilent(*server, now);
    });
    return ServerState::tr("connected: %1 of %2").arg(connected).arg(count);
}

} // namespace latchkey::ui::connections
