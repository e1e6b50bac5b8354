#include "ui/inspector/removaltext.h"

#include <algorithm>

namespace latchkey::ui::inspector {

using inspection::Releasable;
using inspection::ReleaseWay;
using keyspace::KeySnapshot;

namespace {

/// Returns the text about keys that could not be restored.
QString lossText(const Snapshots &snapshots)
{
    const auto lost = static_cast<int>(
        std::ranges::count_if(snapshots, [](const KeySnapshot &snapshot) { return !snapshot.isKept(); }));
    if (lost == 0)
        return {};
    const QString why = RemovalText::tr("Only values of up to 1 MiB that may be read whole can be put back.");
    return (snapshots.size() == 1 ? RemovalText::tr("This cannot be undone.")
                                  : RemovalText::tr("Of %Ln of them this cannot be undone.", nullptr, lost))
         + u' ' + why;
}

/// Returns the text about what else the release of a single lock changes.
QString releaseDetails(const ReleaseWay &way)
{
    QStringList said {way.beside.empty() ? RemovalText::tr("Its key is deleted, as its holder would do it.")
                                         : RemovalText::tr("Its key is deleted and those who wait for it are told, as "
                                                           "its holder would do it.")};
    if (!way.kind.isEmpty())
        said.prepend(RemovalText::tr("It is a lock of %1.").arg(way.kind));
    if (way.holdCount > 1)
        said += RemovalText::tr("Its holder has it %Ln times over; all of that ends.", nullptr,
                                static_cast<int>(way.holdCount));
    return said.join(u' ');
}

} // namespace

RemovalText RemovalText::ofDeletion(const Snapshots &snapshots)
{
    const auto count = static_cast<int>(snapshots.size());
    const bool isWhole = std::ranges::all_of(snapshots, &KeySnapshot::isWhole);
    RemovalText text;
    text.name = QLatin1String("delete");
    text.icon = QStringLiteral("trash");
    text.confirm = tr("&Delete");
    text.warning = lossText(snapshots);
    if (count == 1) {
        text.windowTitle = tr("Delete a key");
        text.title = tr("Delete this key?");
        text.keep = tr("&Keep it");
        text.explanation =
            isWhole ? tr("It is deleted only if it still is what you see here: the same value, and the same end.")
                    : tr("It is deleted only if it still is what you see here: the same beginning and size of its "
                         "value, which is not compared whole, and the same end.");
        text.explanation += u' ' + tr("If somebody has released, extended or taken it by then, nothing happens.");
        return text;
    }
    text.windowTitle = tr("Delete keys");
    text.title = tr("Delete these %Ln keys?", nullptr, count);
    text.keep = tr("&Keep them");
    text.explanation =
        isWhole ? tr("Each is deleted only if it still is what you see here: the same value, and the same end.")
                : tr("Each is deleted only if it still is what you see here: the same value, of which large ones are "
                     "compared by beginning and size, and the same end.");
    text.explanation += u' ' + tr("What somebody has released, extended or taken by then is left alone.");
    return text;
}

RemovalText RemovalText::ofRelease(const Releasables &locks, int others)
{
    const auto count = static_cast<int>(locks.size());
    RemovalText text;
    text.name = QLatin1String("release");
    text.icon = QStringLiteral("unlock");
    text.confirm = tr("&Release");
    QStringList warnings;
    if (count == 1) {
        text.windowTitle = tr("Release a lock");
        text.title = tr("Release this lock?");
        text.keep = tr("&Keep it");
        text.explanation =
            releaseDetails(locks.front().way) + u' '
            + tr("It is released only if it still is what you see here: the same value, and the same end.");
        warnings += tr("Its holder is not told: it may go on as if it still had the lock.");
    } else {
        text.windowTitle = tr("Release locks");
        text.title = tr("Release these %Ln locks?", nullptr, count);
        text.keep = tr("&Keep them");
        text.explanation = tr("Each is released as its holder would do it, all of its hold at once, and only if it "
                              "still is what you see here: the same value, and the same end.");
        warnings += tr("Their holders are not told: they may go on as if they still had the locks.");
    }
    if (std::ranges::any_of(locks, [](const Releasable &lock) { return lock.way.isQuorum; }))
        warnings += tr("A lock of this kind may be held on other servers too, where it stays.");
    if (others > 0)
        warnings += tr("%Ln more were chosen that cannot be released from here, and are left alone.", nullptr, others);
    if (const QString lost = lossText(snapshotsOf(locks)); !lost.isEmpty())
        warnings += lost;
    text.warning = warnings.join(u' ');
    return text;
}

QString obstacleText(ReleaseWay::Obstacle obstacle, const QString &kind)
{
    using Obstacle = ReleaseWay::Obstacle;
    switch (obstacle) {
    case Obstacle::None:
        return {};
    case Obstacle::NoLock:
        return RemovalText::tr("it is no lock, as far as can be told");
    case Obstacle::Uncertain:
        return RemovalText::tr("it is not certain what has written it, and so how it is released");
    case Obstacle::Shared:
        return RemovalText::tr(
                   "each of its holders releases its own part of it; it can only be deleted as a whole (%1)")
            .arg(kind);
    case Obstacle::Permits:
        return RemovalText::tr("its permits are given back by those who have them; it can only be deleted as a whole "
                               "(%1)")
            .arg(kind);
    case Obstacle::Queue:
        return RemovalText::tr("others wait in line for it, and are told in a way that is left to its library; it can "
                               "only be deleted (%1)")
            .arg(kind);
    case Obstacle::Job:
        return RemovalText::tr("its job would have to be moved in its queue as well; it can only be deleted (%1)")
            .arg(kind);
    case Obstacle::Unknown:
        return RemovalText::tr("its library does more for that than delete it; it can only be deleted (%1)").arg(kind);
    }
    Q_UNREACHABLE();
}

Snapshots snapshotsOf(const Releasables &locks)
{
    Snapshots snapshots;
    for (const Releasable &lock : locks)
        snapshots.push_back(lock.snapshot);
    return snapshots;
}

} // namespace latchkey::ui::inspector
