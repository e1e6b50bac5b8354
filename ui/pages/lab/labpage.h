#pragma once

#include "ui/pages/lab/expectationspanel.h"
#include "ui/pages/lab/experimentpanel.h"
#include "ui/pages/lab/forecastpanel.h"

class QButtonGroup;
class QStackedWidget;

namespace latchkey::ui::lab {

/// The Expiry lab: the behaviour of expiring keys, in three parts. The parts are an experiment with a killed writer,
/// expectations about the keys of the connected server, and a forecast of expiries. Owned by the main window. Server,
/// appearance and clock are not owned.
class LabPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LabPage)

public:
    /// `writerProgram`: path of latchkey-cli.
    LabPage(const QString &writerProgram, theme::Appearance &appearance, const base::Clock &clock,
            QWidget *parent = nullptr);
    ~LabPage() override;

    /// Sets the connected server. Null without a connection.
    void setServer(inspection::InspectedServer *server);
    /// Moves the keyboard focus to the page.
    void takeFocus();

    /// The parts of the page, in the order of their buttons.
    enum Part : int { Experiment, Expectations, Forecast };
    void showPart(Part part);
    /// Shows the experiment and starts or cancels it, as a click on its button does.
    void requestExperiment();
    /// Does the same for the expectations.
    void requestCheck();

private:
    void addPart(const char *name, const QString &text, QWidget *part);

    QButtonGroup *m_choice;
    QStackedWidget *m_parts;
    ExperimentPanel *m_experiment;
    ExpectationsPanel *m_expectations;
    ForecastPanel *m_forecast;
};

} // namespace latchkey::ui::lab
