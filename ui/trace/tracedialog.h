#pragma once

#include "ui/theme/appearance.h"
#include "ui/trace/tracetext.h"

#include <QDialog>
#include <QTimer>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::trace {

/// Follows one key exactly for a time that the user chooses, and lists every command that names it or a key beside it.
///
/// Says before what it costs the server, and while it goes on how much it hears; it ends by itself. Nothing is sent
/// before Start is pressed. The list can be copied. What we read ourselves is left out unless it is wanted.
/// Owned by the code that opens it; it is no obstacle to using the window. Appearance and clock are not owned.
class TraceDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TraceDialog)

public:
    /// keys: the one that it is about, and those beside it.
    TraceDialog(theme::Appearance &appearance, const base::Clock &clock, resp::Endpoint endpoint,
                QList<QByteArray> keys, QWidget *parent);
    ~TraceDialog() override;

    /// What it shows, for others who want to know.
    [[nodiscard]] keyspace::KeyTrace &trace() { return m_trace; }

private:
    [[nodiscard]] QLayout *makeControls();
    void makeList();
    void startOrStop();
    void add(const keyspace::TracedCommand &command);
    void ended(const std::optional<base::Error> &error);
    void showOwnReads(bool areShown);
    void refresh();
    void copy();

    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    const resp::Endpoint m_endpoint;
    const QList<QByteArray> m_keys;
    keyspace::KeyTrace m_trace;
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
