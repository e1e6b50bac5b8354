#pragma once

#include "core/inspection/release.h"
#include "ui/inspector/snapshotview.h"

#include <QCoreApplication>

namespace latchkey::ui::inspector {

using Releasables = std::vector<inspection::Releasable>;

/// What is said where it is asked whether keys are to go: a value, made of what they are.
struct RemovalText
{
    Q_DECLARE_TR_FUNCTIONS(RemovalText)

public:
    /// Of one key or several.
    [[nodiscard]] static RemovalText ofDeletion(const Snapshots &snapshots);
    /// Of locks that can be released. others: what else was chosen, and cannot.
    [[nodiscard]] static RemovalText ofRelease(const Releasables &locks, int others);

    QLatin1String name; ///< Of the dialog, and the beginning of the names of its parts.
    QString windowTitle;
    QString title;
    QString explanation;
    QString warning; ///< Empty for none.
    QString keep;
    QString confirm;
    QString icon;
};

/// Why a lock is not released; a sentence without its full stop and without its key. kind: the library's name.
[[nodiscard]] QString obstacleText(inspection::ReleaseWay::Obstacle obstacle, const QString &kind);

/// The keys as they were when they were shown, in the same order.
[[nodiscard]] Snapshots snapshotsOf(const Releasables &locks);

} // namespace latchkey::ui::inspector
