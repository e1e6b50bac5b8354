#pragma once

#include "core/lab/plan.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace latchkey::ui::lab {

/// What a run of the lab is to do, but for the recipes: how many keys, how long they live, where the writer is killed,
/// and on which server.
/// Owned by the ExperimentPanel.
class ExperimentForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExperimentForm)

public:
    explicit ExperimentForm(QWidget *parent = nullptr);

    /// The plan as it stands there, with these recipes and a fresh prefix. Error: what is wrong with it.
    [[nodiscard]] base::Result<latchkey::lab::Plan> plan(const QStringList &recipes) const;

    [[nodiscard]] bool wantsConnectedServer() const;
    /// The connected server may be chosen: it is armed. name: its address.
    void setConnectedServer(const std::optional<QString> &name);

private:
    void arrange();

    QSpinBox *m_keys;
    QLineEdit *m_shortest;
    QLineEdit *m_longest;
    QSpinBox *m_crashAfter;
    QSpinBox *m_crashed;
    QComboBox *m_server;
};

} // namespace latchkey::ui::lab
