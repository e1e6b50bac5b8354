#include "ui/pages/inspector/servercounts.h"

namespace latchkey::ui::inspector {

using inspection::InspectedServer;
using net::Session;
using watching::Watcher;
using ScanState = KeyCounts::ScanState;

namespace {

ScanState scanStateOf(Watcher::Phase phase)
{
    switch (phase) {
    case Watcher::Phase::Away:
        return ScanState::NotYet;
    case Watcher::Phase::FirstScan:
        return ScanState::Scanning;
    case Watcher::Phase::Watching:
        return ScanState::Done;
    }
    Q_UNREACHABLE();
}

} // namespace

KeyCounts countsOf(InspectedServer &server, const rows::RowList &rows)
{
    const keys::KeyStore &store = server.store();
    const Watcher &watcher = server.watcher();
    KeyCounts counts;
    counts.scanState = scanStateOf(watcher.phase());
    counts.live = store.liveCount();
    counts.persistent = store.persistentCount();
    counts.shown = rows.rowCount();
    counts.isFiltered = !(rows.filter() == rows::RowFilter());
    counts.isSorting = rows.isSorting();
    // Live keys that match the filter and have no row; see RowList::removeDueRows().
    if (counts.scanState == ScanState::Done && !counts.isFiltered && !counts.isSorting)
        counts.due = std::max<qint64>(0, counts.live - counts.shown);
    counts.scanned = watcher.keysScanned();
    counts.databaseSize = watcher.databaseSize();
    counts.scanLeft = watcher.firstScanLeft();
    counts.isIncomplete = watcher.isIncomplete();
    counts.isDenied = watcher.problem().has_value();
    counts.unseenFor =
        std::chrono::ceil<std::chrono::seconds>(watcher.newKeyDelay().value_or(std::chrono::milliseconds(0)));
    return counts;
}

std::optional<ChangeNotificationStatus> changeNotificationOf(InspectedServer &server)
{
    const bool isConnected = server.isRecording() ? server.watcher().phase() != Watcher::Phase::Away
                                                  : server.session().state() == Session::State::Ready;
    if (!isConnected)
        return std::nullopt;
    const watching::EventSource &events = server.events();
    const QString user = server.endpoint().user;
    return ChangeNotificationStatus {events.mechanism(),
                                     events.denial(),
                                     server.isNoTouchActive() ? QByteArray() : usePolicy(server.evaluator().server()),
                                     user.isEmpty() ? QStringLiteral("default") : user,
                                     server.endpoint().database,
                                     server.session().server()};
}

} // namespace latchkey::ui::inspector
