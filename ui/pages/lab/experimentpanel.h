#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/playground/lab/labrun.h"
#include "ui/pages/lab/experimentform.h"
#include "ui/pages/lab/histogramview.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::lab {

/// A panel for an experiment: its plan, its progress and its result. The list of all cache recipes is both the choice
/// of recipes and, after a run, the table of results. A run ends when the panel is destroyed. Owned by the LabPage.
/// Server, appearance and clock are not owned.
class ExperimentPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExperimentPanel)

public:
    /// `writerProgram`: path of latchkey-cli.
    ExperimentPanel(QString writerProgram, theme::Appearance &appearance, const base::Clock &clock,
                    QWidget *parent = nullptr);
    ~ExperimentPanel() override;

    /// Sets the connected server. The experiment writes to it only if it is armed and chosen in the form.
    void setServer(inspection::InspectedServer *server);
    /// Starts or ends a run, as a click on the button does. Does nothing while the button is disabled.
    void requestStart();
    /// Moves the keyboard focus to the Start button.
    void takeFocus();

private:
    enum Column : int { RecipeColumn, LeftColumn, DataColumn, KeyColumn, ColumnCount };

    void setUpLayout();
    void fillRecipes();
    [[nodiscard]] QStringList chosenRecipes() const;
    void nameServer();
    void startOrCancel();
    void refresh();
    void showProgress();
    void showCounts();
    void showVerdict(int row, int column, const latchkey::lab::PromiseVerdict &verdict);
    void showLateness();
    /// Shows the description of the selected recipe, and its remaining keys.
    void showRecipe();
    [[nodiscard]] QString leftText(const QString &recipe) const;
    [[nodiscard]] bool isRunning() const;
    [[nodiscard]] QString phaseText() const;

    const QString m_writerProgram;
    theme::Appearance &m_appearance; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    QPointer<inspection::InspectedServer> m_server;
    std::unique_ptr<latchkey::lab::LabRun> m_run;
    ExperimentForm *m_form;
    QPushButton *m_start;
    QLabel *m_status;
    QProgressBar *m_progress;
    QStandardItemModel *m_recipes;
    QTreeView *m_list;
    QLabel *m_title; ///< Title of the selected recipe, followed by its description and its remaining keys.
    QLabel *m_about;
    QLabel *m_left;
    HistogramView *m_toReader;
    HistogramView *m_toEvent;
};

} // namespace latchkey::ui::lab
