#pragma once

#include "core/playground/lab/plan.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace latchkey::ui::lab {

/// A form for an experiment of the lab, without the recipes: number of keys, their TTLs, the time of the crash of the
/// writer, and the server. Owned by the ExperimentPanel.
class ExperimentForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExperimentForm)

public:
    explicit ExperimentForm(QWidget *parent = nullptr);

    /// Returns the plan with these recipes and a new key prefix. Error: an input is invalid.
    [[nodiscard]] base::Result<latchkey::lab::Plan> plan(const QStringList &recipes) const;

    [[nodiscard]] bool wantsConnectedServer() const;
    /// Offers the connected server, which must be armed. `name`: its address; absent if it cannot be chosen.
    void setConnectedServer(const std::optional<QString> &name);

private:
    void setUpLayout();

    QSpinBox *m_keys;
    QLineEdit *m_shortest;
    QLineEdit *m_longest;
    QSpinBox *m_crashAfter;
    QSpinBox *m_crashed;
    QComboBox *m_server;
};

} // namespace latchkey::ui::lab
