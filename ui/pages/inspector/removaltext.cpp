#include "ui/pages/inspector/removaltext.h"

#include <algorithm>

namespace latchkey::ui::inspector {

using inspection::ReleaseMethod;
using inspection::ReleasePlan;
using watching::KeySnapshot;

namespace {

/// Returns the text about keys that could not be restored.
QString lossText(const Snapshots &snapshots)
{
    const auto lost = static_cast<int>(
        std::ranges::count_if(snapshots, [](const KeySnapshot &snapshot) { return !snapshot.isRestorable(); }));
    if (lost == 0)
        return {};
    const QString why = RemovalText::tr("Only values of up to 1 MiB that can be read completely can be restored.");
    return (snapshots.size() == 1 ? RemovalText::tr("This cannot be undone.")
                                  : RemovalText::tr("For %Ln of them this cannot be undone.", nullptr, lost))
         + u' ' + why;
}

/// Returns the text about further changes by the release of a single lock.
QString releaseDetails(const ReleaseMethod &method)
{
    QStringList said {
        method.wakeCommands.empty()
            ? RemovalText::tr("The key is deleted, as its holder would do it.")
            : RemovalText::tr("The key is deleted and the waiting clients are notified, as its holder would do it.")};
    if (!method.kind.isEmpty())
        said.prepend(RemovalText::tr("It is a lock of %1.").arg(method.kind));
    if (method.holdCount > 1)
        said += RemovalText::tr("Its holder has acquired it %Ln times; all holds end.", nullptr,
                                static_cast<int>(method.holdCount));
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
        text.keep = tr("&Cancel");
        text.explanation = isWhole ? tr("It is deleted only if value and expiry are unchanged.")
                                   : tr("It is deleted only if the beginning and size of its value and its expiry are "
                                        "unchanged. The rest of the value is not compared.");
        text.explanation +=
            u' ' + tr("If another client has released, extended or acquired it in the meantime, it is not changed.");
        return text;
    }
    text.windowTitle = tr("Delete keys");
    text.title = tr("Delete these %Ln keys?", nullptr, count);
    text.keep = tr("&Cancel");
    text.explanation = isWhole ? tr("Each is deleted only if its value and expiry are unchanged.")
                               : tr("Each is deleted only if its value and expiry are unchanged. Of large values, "
                                    "beginning and size are compared.");
    text.explanation +=
        u' ' + tr("Locks that another client has released, extended or acquired in the meantime are not changed.");
    return text;
}

RemovalText RemovalText::ofRelease(const ReleasePlans &locks, int others)
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
        text.keep = tr("&Cancel");
        text.explanation =
            releaseDetails(locks.front().method) + u' ' + tr("It is released only if value and expiry are unchanged.");
        warnings += tr("Its holder is not notified and may continue as if it still held the lock.");
    } else {
        text.windowTitle = tr("Release locks");
        text.title = tr("Release these %Ln locks?", nullptr, count);
        text.keep = tr("&Cancel");
        text.explanation = tr("Each is released as its holder would do it, all holds at once, and only if its value "
                              "and expiry are unchanged.");
        warnings += tr("Their holders are not notified and may continue as if they still held the locks.");
    }
    if (std::ranges::any_of(locks, [](const ReleasePlan &lock) { return lock.method.isQuorum; }))
        warnings += tr("A lock of this kind may also be held on other servers; it stays there.");
    if (others > 0)
        warnings += tr("%Ln more selected locks cannot be released here and are not changed.", nullptr, others);
    if (const QString lost = lossText(snapshotsOf(locks)); !lost.isEmpty())
        warnings += lost;
    text.warning = warnings.join(u' ');
    return text;
}

QString obstacleText(ReleaseMethod::Obstacle obstacle, const QString &kind)
{
    using Obstacle = ReleaseMethod::Obstacle;
    switch (obstacle) {
    case Obstacle::None:
        return {};
    case Obstacle::NoLock:
        return RemovalText::tr("it is not recognised as a lock");
    case Obstacle::Uncertain:
        return RemovalText::tr("its library is uncertain, and so is the way to release it");
    case Obstacle::Shared:
        return RemovalText::tr("each holder releases its own part; the lock can only be deleted as a whole (%1)")
            .arg(kind);
    case Obstacle::Permits:
        return RemovalText::tr(
                   "its permits are returned by their holders; the semaphore can only be deleted as a whole (%1)")
            .arg(kind);
    case Obstacle::Queue:
        return RemovalText::tr(
                   "other clients wait in its queue and only its library can notify them; it can only be deleted (%1)")
            .arg(kind);
    case Obstacle::Job:
        return RemovalText::tr("its job would have to be moved in its queue too; it can only be deleted (%1)")
            .arg(kind);
    case Obstacle::Unknown:
        return RemovalText::tr("its library does more than delete it; it can only be deleted (%1)").arg(kind);
    }
    Q_UNREACHABLE();
}

Snapshots snapshotsOf(const ReleasePlans &locks)
{
    Snapshots snapshots;
    for (const ReleasePlan &lock : locks)
        snapshots.push_back(lock.snapshot);
    return snapshots;
}

} // namespace latchkey::ui::inspector
