#pragma once

#include "core/inspect/expectations/report.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/emptystate.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::lab {

/// A panel for expectations about the keys of the connected server, one sentence per line, with their verdicts. The
/// verdicts can be saved as CSV, JSON or JUnit XML. A run continues while another page is shown, until it is stopped or
/// another server is set. The panel writes nothing to the server. Owned by the LabPage. Server and appearance are not
/// owned.
class ExpectationsPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExpectationsPanel)

public:
    explicit ExpectationsPanel(theme::Appearance &appearance, QWidget *parent = nullptr);
    ~ExpectationsPanel() override;

    void setServer(inspection::InspectedServer *server);
    /// Starts or ends a run, as a click on the button does. Does nothing while the button is disabled.
    void requestStart();

protected:
    void showEvent(QShowEvent *event) override;

private:
    enum Column : int { OutcomeColumn, ExpectationColumn, KeyColumn, GroundsColumn, ColumnCount };

    void setUpLayout();
    void applyAppearance();
    void startOrStop();
    void refresh();
    void showResults();
    void showResult(int row, const expectations::KeyResult &result);
    void showStatus();
    void save(const QString &title, const QString &name, QByteArray (*make)(const expectations::Report &report));
    [[nodiscard]] bool isRunning() const { return m_run && !m_run->isOver(); }

    theme::Appearance &m_appearance; // Not owned.
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<expectations::ExpectationRun> m_run;
    std::optional<expectations::Report> m_report; ///< Last report of the last run.
    QString m_note;                               ///< Result of the last click; shown until the next click.
    QPlainTextEdit *m_text;
    QPushButton *m_start;
    QPushButton *m_save;
    QLabel *m_status;
    QStandardItemModel *m_findings;
    QTreeView *m_list;
    widgets::EmptyState *m_empty;
};

} // namespace latchkey::ui::lab
