#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/pages/trace/tracetext.h"

#include <QDialog>
#include <QTimer>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::trace {

/// A dialog that traces one key with MONITOR for a chosen time. It lists each command that names the key or a
/// companion.
///
/// It states the cost for the server before the start, and the number of received commands during the trace. The trace
/// ends automatically. Nothing is sent before the user presses Start. The list can be copied. Latchkey's own reads are
/// hidden by default. The dialog is not modal. Owned by the code that opens it. Appearance and clock are not owned.
class TraceDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TraceDialog)

public:
    /// `keys`: the traced key, followed by its companions.
    TraceDialog(theme::Appearance &appearance, const base::Clock &clock, net::Endpoint endpoint, QList<QByteArray> keys,
                QWidget *parent);
    ~TraceDialog() override;

    /// Returns the trace, for other observers.
    [[nodiscard]] watching::KeyTrace &trace() { return m_trace; }

private:
    [[nodiscard]] QLayout *makeControls();
    void makeList();
    void startOrStop();
    void add(const watching::TracedCommand &command);
    void ended(const std::optional<base::Error> &error);
    void showOwnReads(bool areShown);
    void refresh();
    void copy();

    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    const net::Endpoint m_endpoint;
    const QList<QByteArray> m_keys;
    watching::KeyTrace m_trace;
    QStandardItemModel *m_commands;
    QTreeView *m_list;
    QComboBox *m_duration;
    QPushButton *m_start;
    QPushButton *m_copy;
    QCheckBox *m_ownReads;
    QLabel *m_progress;
    QTimer m_refresh;
    std::optional<base::Error> m_error;
    base::MonotonicTime m_rateSince;
    qint64 m_rateFrom = 0;
    double m_perSecond = 0;
};

} // namespace latchkey::ui::trace
