#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/lab/labrun.h"
#include "ui/lab/experimentform.h"
#include "ui/lab/histogramview.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QStandardItemModel;
class QTreeView;

namespace latchkey::ui::lab {

/// One experiment: what to do, how it goes, and what has come of it. A list of all cache recipes is both the choice
/// and, once it has run, the result. Owned by the LabPage; server, appearance and clock are not owned.
/// What it starts ends with it.
class ExperimentPanel final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ExperimentPanel)

public:
    /// writerProgram: latchkey-cli.
    ExperimentPanel(QString writerProgram, theme::Appearance &appearance, const base::Clock &clock,
                    QWidget *parent = nullptr);
    ~ExperimentPanel() override;

    /// The connected one, which is written to only where it is armed and chosen.
    void setServer(inspection::InspectedServer *server);
    /// Puts the keyboard where a run is started.
    void enter();

private:
    enum Column : int { RecipeColumn, LeftColumn, DataColumn, KeyColumn, ColumnCount };

    void arrange();
    void fillRecipes();
    [[nodiscard]] QStringList chosenRecipes() const;
    void nameServer();
    void startOrCancel();
    void refresh();
    void showProgress();
    void showTallies();
    void showVerdict(int row, int column, const latchkey::lab::PromiseVerdict &verdict);
    void showLateness();
    /// What the recipe is that is chosen in the list, and what is left of it.
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
    QLabel *m_title; ///< Of the recipe that is chosen, and so the next two.
    QLabel *m_about;
    QLabel *m_left;
    HistogramView *m_toReader;
    HistogramView *m_toEvent;
};

} // namespace latchkey::ui::lab
