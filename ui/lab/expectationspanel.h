#pragma once

#include "core/expectations/report.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/emptystate.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::lab {

/// What somebody expects of the connected server's keys, a sentence in a line, and what has come of it while they
/// watch. Verdicts can be saved as CSV, JSON or JUnit's XML. It goes on while other pages are shown, until it is
/// stopped or another server is connected. Owned by the LabPage; server and appearance are not owned. Nothing is
/// written to the server.
class ExpectationsPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExpectationsPanel)

public:
    explicit ExpectationsPanel(theme::Appearance &appearance, QWidget *parent = nullptr);
    ~ExpectationsPanel() override;

    void setServer(inspection::InspectedServer *server);

protected:
    void showEvent(QShowEvent *event) override;

private:
    enum Column : int { OutcomeColumn, ExpectationColumn, KeyColumn, GroundsColumn, ColumnCount };

    void arrange();
    void applyAppearance();
    void startOrStop();
    void refresh();
    void showFindings();
    void showFinding(int row, const expectations::Finding &finding);
    void showStatus();
    void save(const QString &title, const QString &name, QByteArray (*make)(const expectations::Report &report));
    [[nodiscard]] bool isJudging() const { return m_run && !m_run->isOver(); }

    theme::Appearance &m_appearance; // Not owned.
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<expectations::ExpectationRun> m_run;
    std::optional<expectations::Report> m_report; ///< Of the last run, as it was told last.
    QString m_note;                               ///< What came of the last click; stays until the next.
    QPlainTextEdit *m_text;
    QPushButton *m_start;
    QPushButton *m_save;
    QLabel *m_status;
    QStandardItemModel *m_findings;
    QTreeView *m_list;
    widgets::EmptyState *m_empty;
};

} // namespace latchkey::ui::lab
