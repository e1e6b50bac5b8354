#pragma once

#include "core/explore/schedules/faultlimits.h"

#include <QVariantMap>
#include <QWidget>

#include <chrono>

class QComboBox;
class QSpinBox;

namespace latchkey::ui::stories {

/// The lines of the form of a program with the limits of its faults and of the time.
///
/// Owned by the ProgramForm. It starts no process.
class SearchLimitForm final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SearchLimitForm)

public:
    explicit SearchLimitForm(QWidget *parent = nullptr);
    ~SearchLimitForm() override;

    [[nodiscard]] schedules::FaultLimits limits() const;
    /// Returns the time limit. Absent: unlimited.
    [[nodiscard]] std::optional<std::chrono::seconds> longest() const;

    /// Returns the settings to save, for restoreState() in a later run.
    [[nodiscard]] QVariantMap saveState() const;
    void restoreState(const QVariantMap &state);

private:
    void makeFields();

    QSpinBox *m_crashes;
    QSpinBox *m_expirations;
    QSpinBox *m_timerSteps;
    QSpinBox *m_lostReplies;
    QSpinBox *m_preemptions;
    QComboBox *m_longest;
};

} // namespace latchkey::ui::stories
