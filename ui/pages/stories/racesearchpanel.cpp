#include "ui/pages/stories/racesearchpanel.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/stories/makebutton.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

using racesearch::RaceSearch;

namespace {

constexpr int progressParts = 1000;

} // namespace

RaceSearchPanel::RaceSearchPanel(const Kind &kind, const QString &finder, theme::Appearance &appearance,
                                 QWidget *parent)
    : QFrame(parent)
    , m_startKind(kind.startKind)
    , m_appearance(appearance)
    , m_title(widgets::makePlainLabel(QStringLiteral("sectionTitle"), QString(), this))
    , m_start(makeButton(kind.name + QStringLiteral("Start"), QString(), kind.startKind, this))
    , m_leave(makeButton(kind.name + QStringLiteral("Leave"), tr("Back to the story"), "quiet", this))
    , m_status(widgets::makePlainLabel(kind.name + QStringLiteral("Status"), QString(), this))
    , m_progress(new QProgressBar(this))
    , m_answers(new RaceAnswers(kind.name, kind.hasClaims, appearance, this))
    , m_search(finder)
{
    setObjectName(kind.name + QStringLiteral("Panel"));
    m_title->setWordWrap(true);
    m_status->setWordWrap(true);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    connect(m_start, &QPushButton::clicked, this, &RaceSearchPanel::startOrCancel);
    connect(m_leave, &QPushButton::clicked, this, &RaceSearchPanel::backRequested);
    connect(m_answers, &RaceAnswers::chosen, this, &RaceSearchPanel::chosen);
    connect(m_answers, &RaceAnswers::refused, this, [this](const base::Error &error) {
        m_problem = widgets::sentence(error.message());
        refresh();
    });
    connect(&m_search, &RaceSearch::stateChanged, this, [this] { stateChanged(); });
    connect(&m_search, &RaceSearch::progressed, this, [this] { refresh(); });
    connect(&m_search, &RaceSearch::answered, this, &RaceSearchPanel::showAnswers);
    connect(&m_appearance, &theme::Appearance::changed, this, [this] { refresh(); });
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &RaceSearchPanel::showAnswers);
}

RaceSearchPanel::~RaceSearchPanel() = default;

void RaceSearchPanel::layOut(QWidget *head)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(head);
    layout->addWidget(m_progress);
    layout->addWidget(m_answers, 1);
    layout->addStretch(0);
    widgets::tabInLayoutOrder(*head->layout());
}

void RaceSearchPanel::startOrCancel()
{
    if (isRunning())
        m_search.cancel();
    else
        start();
    refresh();
}

void RaceSearchPanel::showAnswers()
{
    m_answers->setLines(lines());
    m_answers->setNotes(notes());
    refresh();
}

QString RaceSearchPanel::status() const
{
    if (!m_problem.isEmpty())
        return m_problem;
    switch (m_search.state()) {
    case RaceSearch::State::Idle:
        return {};
    case RaceSearch::State::Running:
        return m_search.isCancelled() ? tr("Stopping…") : runningText();
    case RaceSearch::State::Over:
        break;
    }
    return m_search.error() ? widgets::sentence(m_search.error()->message()) : resultText();
}

void RaceSearchPanel::refresh()
{
    m_title->setText(titleText());
    m_start->setText(isRunning() ? tr("Cancel") : canRepeat() ? tr("Search again") : tr("Find races"));
    m_start->setEnabled(!(isRunning() && m_search.isCancelled()));
    widgets::restyle(*m_start, "kind", isRunning() ? QStringLiteral("danger") : m_startKind);
    m_status->setText(status());
    const bool isWrong = !m_problem.isEmpty() || m_search.error().has_value();
    widgets::restyle(*m_status, "tone", isWrong ? QStringLiteral("critical") : QString());
    const auto part = progressed();
    m_progress->setVisible(isRunning());
    m_progress->setRange(0, part ? progressParts : 0); // Without a known end, the bar shows activity only.
    if (part)
        m_progress->setValue(static_cast<int>(progressParts * *part));
}

} // namespace latchkey::ui::stories
