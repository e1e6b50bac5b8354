#pragma once

#include "ui/lab/expectationspanel.h"
#include "ui/lab/experimentpanel.h"
#include "ui/lab/forecastpanel.h"

class QButtonGroup;
class QStackedWidget;

namespace latchkey::ui::lab {

/// The Expiry lab: what becomes of keys that expire, in three parts. An experiment with a writer that is killed; what
/// somebody expects of the connected server's keys; and how many of these end soon.
/// Owned by the main window; server, appearance and clock are not owned.
class LabPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LabPage)

public:
    /// writerProgram: latchkey-cli.
    LabPage(const QString &writerProgram, theme::Appearance &appearance, const base::Clock &clock,
            QWidget *parent = nullptr);
    ~LabPage() override;

    /// The connected one; null while there is none.
    void setServer(inspection::InspectedServer *server);
    /// Puts the keyboard on the page.
    void enter();

private:
    void addPart(const char *name, const QString &text, QWidget *part);

    QButtonGroup *m_choice;
    QStackedWidget *m_parts;
    ExperimentPanel *m_experiment;
    ExpectationsPanel *m_expectations;
    ForecastPanel *m_forecast;
};

} // namespace latchkey::ui::lab
