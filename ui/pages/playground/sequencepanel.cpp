#include "ui/pages/playground/sequencepanel.h"

#include "core/playground/scenarios/savedscenario.h"
#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/pages/playground/clientbelief.h"
#include "ui/pages/playground/resourceview.h"
#include "ui/pages/playground/stablelabel.h"
#include "ui/views/diagram/diagrampanel.h"

#include <QVBoxLayout>

namespace latchkey::ui::playground {

using diagram::DiagramPanel;
using latchkey::playground::ClientProcess;
using latchkey::playground::ClientReport;
using latchkey::playground::SequenceRecorder;

SequencePanel::SequencePanel(SequenceRecorder &recorder, theme::Appearance &appearance, const base::Clock &clock,
                             QWidget *parent)
    : QWidget(parent)
    , m_recorder(recorder)
    , m_diagram(new DiagramPanel(clock, appearance, this))
    , m_resourceView(new ResourceView(this))
    , m_sentence(new StableLabel(QStringLiteral("sentence"), this, 1))
{
    setUpLayout();
    setUpDiagram();
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &SequencePanel::retranslate);
}

void SequencePanel::setUpLayout()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_diagram, 1);
    layout->addWidget(m_sentence);
    layout->addWidget(m_resourceView);
    m_sentence->hide();
}

void SequencePanel::setUpDiagram()
{
    m_diagram->setSequence(&m_recorder.sequence());
    m_diagram->setClearable(true);
    m_diagram->setStoryMaker([this]() -> base::Result<diagram::StoryFile> {
        const auto saved = scenarios::savedScenarioOf(m_recorder.sequence(), m_recorder.eventLog());
        if (!saved)
            return base::failure(saved.error());
        QStringList leftOut;
        for (const base::Text &what : saved->leftOut)
            leftOut += what.toString();
        return diagram::StoryFile {saved->file, leftOut};
    });
    m_diagram->view().setEmptyText(tr("Commands and replies between clients and server are drawn here."));
    connect(m_diagram, &DiagramPanel::clearRequested, &m_recorder, &SequenceRecorder::clear);
    connect(&m_recorder, &SequenceRecorder::changed, m_diagram, &DiagramPanel::refresh);
}

void SequencePanel::retranslate()
{
    m_diagram->view().setEmptyText(tr("Commands and replies between clients and server are drawn here."));
    m_resourceView->showWrites(m_resource);
}

void SequencePanel::showReport(const ClientProcess &client, const ClientReport &report)
{
    if (report.event == ClientReport::Event::Done && report.operationResult.outcome == u"writes") {
        m_recorder.recordWrite(client.name(), m_resource.write(client.name(), report.fencing));
        m_resourceView->showWrites(m_resource);
    }
    const QString recipe = client.attempt() ? client.attempt()->recipe : QString();
    if (const QString text = reportText(report, recipe); !text.isEmpty())
        m_sentence->setText(tr("%1: %2").arg(widgets::isolated(client.name()), text));
}

void SequencePanel::showHolders(const BelievedHolders &inside)
{
    m_resourceView->showHolders(inside);
}

void SequencePanel::restart(const QString &sentence)
{
    m_resource = {};
    m_resourceView->showWrites(m_resource);
    m_sentence->setText(sentence);
}

void SequencePanel::setPresenting(bool isPresenting)
{
    m_sentence->setVisible(isPresenting);
    m_diagram->setPresented(isPresenting);
}

void SequencePanel::takeFocus()
{
    m_diagram->view().setFocus();
}

void SequencePanel::setScale(double scale)
{
    m_diagram->view().setScale(scale);
}

} // namespace latchkey::ui::playground
