#pragma once

#include "core/keyspace/watching/conditionalchanges.h"
#include "ui/pages/inspector/snapshotview.h"

#include <QDialog>

class QComboBox;
class QDateTimeEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace latchkey::ui::inspector {

/// A dialog that asks for a new expiry of keys: after a duration typed as on the command line, at a wall-clock time, or
/// never. The change may depend on the current expiry. The dialog shows the current state and the resulting expiry.
/// Owned by the code that opens it. Appearance and clock are not owned.
class ExpiryDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExpiryDialog)

public:
    ExpiryDialog(theme::Appearance &appearance, const base::Clock &clock, Snapshots snapshots, const QString &server,
                 QWidget *parent);

    [[nodiscard]] const Snapshots &snapshots() const { return m_snapshots; }
    /// Returns the expiry that the user has entered, or an error about the input.
    [[nodiscard]] base::Result<watching::NewExpiry> newEnd() const;

private:
    void setUpLayout(theme::Appearance &appearance, const QString &server);
    [[nodiscard]] QLayout *makeChoice();
    [[nodiscard]] QLayout *makeTimes();
    [[nodiscard]] QLayout *makeConditions();
    void connectParts();
    [[nodiscard]] QLayout *makeButtons();
    void refresh();
    [[nodiscard]] base::WallTime chosenTime() const;
    [[nodiscard]] QString resultText(const watching::NewExpiry &end) const;

    const base::Clock &m_clock;
    const Snapshots m_snapshots;
    QRadioButton *m_in;
    QRadioButton *m_at;
    QRadioButton *m_never;
    QLineEdit *m_time;
    QDateTimeEdit *m_moment;
    QComboBox *m_only;
    QLabel *m_result;
    QPushButton *m_confirm;
};

} // namespace latchkey::ui::inspector
