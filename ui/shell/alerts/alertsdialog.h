#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/shell/alerts/alertlog.h"

#include <QDialog>
#include <QTimer>

#include <functional>

class QCheckBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace latchkey::ui::alerts {

class AlertRulesForm;

/// A dialog with the alerts of all watched servers, the rules of the current server, and the state of the desktop
/// notifications. The dialog is not modal. Owned by the window. Log, appearance and clock are not owned. It saves
/// nothing.
class AlertsDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertsDialog)

public:
    /// `nameOf`: function that returns the name of a server from its display URL.
    AlertsDialog(AlertLog &log, theme::Appearance &appearance, const base::Clock &clock,
                 std::function<QString(const QString &url)> nameOf, QWidget *parent);

    /// Sets the server of the rules. `reason`: why the server has no alerts; empty if it can have rules.
    void setServer(const QString &name, const std::vector<latchkey::alerts::AlertRule> &rules, const QString &reason);
    void setDesktop(bool isNotified, bool hasSound);
    /// Sets why the desktop shows no notifications. Empty if it shows them.
    void setDesktopProblem(const QString &why);

Q_SIGNALS:
    void rulesChanged(const std::vector<latchkey::alerts::AlertRule> &rules);
    void desktopChosen(bool isNotified, bool hasSound);
    /// Emitted when the user wants to see the key of this alert in the table.
    void showKeyRequested(const latchkey::ui::alerts::LoggedAlert &alert);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    enum Column : int { TimeColumn, ServerColumn, KeyColumn, ReasonColumn, StateColumn, ColumnCount };

    void setUpLayout();
    void connectParts();
    void refresh();
    void refreshStates();
    void refreshNote();
    void refreshButtons();
    void updateTexts();
    [[nodiscard]] const LoggedAlert *chosen() const;
    void showChosen();
    void copyChosen() const;

    AlertLog &m_log;                 // Not owned.
    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    std::function<QString(const QString &)> m_nameOf;
    QString m_server;
    QString m_reason; ///< Why the server has no rules.
    QString m_desktopProblem;
    QTreeWidget *m_list;
    QLabel *m_empty;
    QPushButton *m_show;
    QPushButton *m_copy;
    QPushButton *m_clear;
    QLabel *m_rulesTitle;
    AlertRulesForm *m_rules;
    QCheckBox *m_desktop;
    QCheckBox *m_sound;
    QLabel *m_note;
    QTimer m_refresh; ///< Limits updates to ten per second.
    QTimer m_tick;    ///< Updates the durations of open alerts.
};

} // namespace latchkey::ui::alerts
