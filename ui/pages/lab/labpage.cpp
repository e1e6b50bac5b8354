#include "ui/pages/lab/labpage.h"

#include "ui/kit/widgets/plaintext.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace latchkey::ui::lab {

LabPage::LabPage(const QString &writerProgram, theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_choice(new QButtonGroup(this))
    , m_parts(new QStackedWidget(this))
    , m_experiment(new ExperimentPanel(writerProgram, appearance, clock, this))
    , m_expectations(new ExpectationsPanel(appearance, this))
    , m_forecast(new ForecastPanel(appearance, this))
{
    setObjectName(QStringLiteral("page"));
    auto *header = new QHBoxLayout;
    header->setSpacing(8);
    header->addWidget(widgets::makePlainLabel(QStringLiteral("pageTitle"), tr("Expiry lab"), this), 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 18, 24, 16);
    layout->setSpacing(12);
    layout->addLayout(header);
    layout->addWidget(m_parts, 1);
    addPart("labExperiment", tr("Experiment"), m_experiment);
    addPart("labExpectations", tr("Expectations"), m_expectations);
    addPart("labForecast", tr("Forecast"), m_forecast);
    for (QAbstractButton *button : m_choice->buttons())
        header->addWidget(button);
    connect(m_choice, &QButtonGroup::idClicked, m_parts, &QStackedWidget::setCurrentIndex);
    m_choice->button(0)->setChecked(true);
}

LabPage::~LabPage() = default;

void LabPage::addPart(const char *name, const QString &text, QWidget *part)
{
    auto *button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(name));
    button->setProperty("kind", QStringLiteral("chip"));
    button->setCheckable(true);
    m_choice->addButton(button, m_parts->addWidget(part));
}

void LabPage::setServer(inspection::InspectedServer *server)
{
    m_experiment->setServer(server);
    m_expectations->setServer(server);
    m_forecast->setServer(server);
}

void LabPage::showPart(Part part)
{
    m_choice->button(part)->click();
}

void LabPage::requestExperiment()
{
    showPart(Experiment);
    m_experiment->requestStart();
}

void LabPage::requestCheck()
{
    showPart(Expectations);
    m_expectations->requestStart();
}

void LabPage::takeFocus()
{
    m_choice->checkedButton()->setFocus(Qt::OtherFocusReason);
}

} // namespace latchkey::ui::lab
