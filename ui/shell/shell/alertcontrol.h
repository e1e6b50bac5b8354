#pragma once

#include "ui/shell/alerts/alertlog.h"
#include "ui/shell/alerts/desktopnotifier.h"
#include "ui/shell/shell/navigationrail.h"
#include "ui/shell/shell/workspace.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace latchkey::ui::alerts {
class AlertsDialog;
}

namespace latchkey::ui::shell {

/// The control of the alerts of the window. It watches each opened server with the rules of the settings, and shows the
/// number of open alerts in the rail. It opens the dialog, and sends desktop notifications while the window is in the
/// background.
///
/// Private servers and recordings have no alerts, because their locks are for demonstration or belong to the past.
/// Child of the window. Workspace, rail and appearance are not owned.
class AlertControl final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertControl)

public:
    /// `showKey`: function that shows this key of the inspected server in the table.
    AlertControl(Workspace &workspace, NavigationRail &rail, theme::Appearance &appearance,
                 std::function<void(const QByteArray &key)> showKey, QWidget &window);

    [[nodiscard]] const alerts::AlertLog &log() const { return m_log; }
    /// Returns why the desktop did not show the last notification. Empty if it did.
    [[nodiscard]] const QString &desktopProblem() const { return m_desktopProblem; }
    void showDialog();

private:
    void watchInspected();
    void nameServer();
    [[nodiscard]] QString nameOf(const QString &url) const;
    void changeRules(const std::vector<latchkey::alerts::AlertRule> &rules);
    void showKeyOf(const alerts::LoggedAlert &alert);
    void collect(const alerts::LoggedAlert &alert);
    void notify();

    Workspace &m_workspace; // Not owned, as all references here.
    NavigationRail &m_rail;
    theme::Appearance &m_appearance;
    QWidget &m_window;
    std::function<void(const QByteArray &)> m_showKey;
    alerts::AlertLog m_log;
    alerts::DesktopNotifier m_notifier;
    alerts::AlertsDialog *m_dialog = nullptr; ///< Created when it is shown for the first time.
    QString m_desktopProblem;
    std::optional<alerts::LoggedAlert> m_last; ///< The last alert of the next notification.
    int m_collected = 0;                       ///< Number of alerts for the next notification.
    QTimer m_notifyTimer;                      ///< Delay that combines alerts into one notification.
};

} // namespace latchkey::ui::shell
