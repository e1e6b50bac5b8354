#pragma once

#include "core/inspect/alerts/alertrule.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace latchkey::ui::alerts {

/// A form for the alert rules of one server: the list of rules, and fields to add one. A removed rule can be restored
/// until the next change. Owned by its parent. It saves nothing.
class AlertRulesForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertRulesForm)

public:
    explicit AlertRulesForm(QWidget *parent = nullptr);

    /// Sets the rules. Emits no signal.
    void setRules(std::vector<latchkey::alerts::AlertRule> rules);
    [[nodiscard]] const std::vector<latchkey::alerts::AlertRule> &rules() const { return m_rules; }
    /// Empties the fields of the rule to add.
    void reset();

Q_SIGNALS:
    /// Emitted when the user has added, removed or restored a rule.
    void changed();

private:
    void setUpLayout();
    void offerConditions();
    void showFields();
    void add();
    void remove();
    void restore();
    void refresh();
    /// Returns the rule that the fields describe, in the notation of parseAlertRule().
    [[nodiscard]] base::Result<latchkey::alerts::AlertRule> described() const;

    std::vector<latchkey::alerts::AlertRule> m_rules;
    std::optional<std::pair<std::size_t, latchkey::alerts::AlertRule>> m_removed; ///< Last removed rule, with its
                                                                                  ///< index.
    QTreeWidget *m_list;
    QPushButton *m_remove;
    QPushButton *m_restore;
    QComboBox *m_condition;
    QLineEdit *m_time;
    QComboBox *m_finding;
    QLineEdit *m_keys;
    QPushButton *m_add;
    QLabel *m_problem;
};

} // namespace latchkey::ui::alerts
