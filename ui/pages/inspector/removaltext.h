#pragma once

#include "core/inspect/inspection/release.h"
#include "ui/pages/inspector/snapshotview.h"

#include <QCoreApplication>

namespace latchkey::ui::inspector {

using ReleasePlans = std::vector<inspection::ReleasePlan>;

/// The texts of a question before keys are removed. A value type made from the keys.
struct RemovalText
{
    Q_DECLARE_TR_FUNCTIONS(RemovalText)

public:
    /// Returns the texts for deleting one key or several keys.
    [[nodiscard]] static RemovalText ofDeletion(const Snapshots &snapshots);
    /// Returns the texts for releasing locks. `others`: number of selected keys that cannot be released.
    [[nodiscard]] static RemovalText ofRelease(const ReleasePlans &locks, int others);

    QLatin1String name; ///< Object name of the dialog, and prefix of the object names of its parts.
    QString windowTitle;
    QString title;
    QString explanation;
    QString warning; ///< Empty without a warning.
    QString keep;
    QString confirm;
    QString icon;
};

/// Returns why a lock is not released: a sentence without full stop and without the key. `kind`: name of the library.
[[nodiscard]] QString obstacleText(inspection::ReleaseMethod::Obstacle obstacle, const QString &kind);

/// Returns the snapshots of the keys in the same order.
[[nodiscard]] Snapshots snapshotsOf(const ReleasePlans &locks);

} // namespace latchkey::ui::inspector
