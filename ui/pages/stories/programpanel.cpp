#include "ui/pages/stories/programpanel.h"

#include "ui/kit/widgets/languagewatch.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/stories/makebutton.h"
#include "ui/pages/stories/programform.h"
#include "ui/pages/stories/programwords.h"
#include "ui/pages/stories/raceanswers.h"

#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

using racesearch::RaceSearch;
using Verdict = RaceSearch::Verdict;
using Tone = RaceAnswers::Tone;

namespace {

constexpr int programProgressParts = 1000;

} // namespace

ProgramPanel::ProgramPanel(const QString &finder, theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_title(widgets::makePlainLabel(QStringLiteral("sectionTitle"), QString(), this))
    , m_leave(makeButton("programLeave", tr("Back to the story"), "quiet", this))
    , m_form(new ProgramForm(this))
    , m_start(makeButton("programStart", QString(), "primary", this))
    , m_change(makeButton("programChange", QString(), "", this))
    , m_status(widgets::makePlainLabel(QStringLiteral("programStatus"), QString(), this))
    , m_progress(new QProgressBar(this))
    , m_answers(new RaceAnswers(QStringLiteral("program"), false, appearance, this))
    , m_search(finder)
{
    setObjectName(QStringLiteral("programPanel"));
    m_title->setWordWrap(true);
    m_status->setWordWrap(true);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->setAccessibleName(tr("Elapsed time"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(makeHead());
    layout->addWidget(m_progress);
    layout->addWidget(m_answers, 1);
    layout->addStretch(0);
    connect(m_form, &ProgramForm::submitted, this, &ProgramPanel::start);
    connect(m_start, &QPushButton::clicked, this, &ProgramPanel::startOrCancel);
    connect(m_change, &QPushButton::clicked, this, [this] {
        setFormShown(!m_isFormShown);
        enter();
    });
    connect(m_leave, &QPushButton::clicked, this, &ProgramPanel::left);
    connect(m_answers, &RaceAnswers::chosen, this, &ProgramPanel::chosen);
    connect(m_answers, &RaceAnswers::refused, this, [this](const base::Error &error) {
        m_problem = widgets::sentence(error.message());
        refresh();
    });
    connect(&m_search, &RaceSearch::stateChanged, this, &ProgramPanel::stateChanged);
    connect(&m_search, &RaceSearch::progressed, this, &ProgramPanel::refresh);
    connect(&m_search, &RaceSearch::answered, this, &ProgramPanel::showAnswers);
    connect(&m_appearance, &theme::Appearance::changed, this, &ProgramPanel::refresh);
    connect(new widgets::LanguageWatch(this), &widgets::LanguageWatch::changed, this, &ProgramPanel::showAnswers);
    setFormShown(true);
}

ProgramPanel::~ProgramPanel() = default;

QWidget *ProgramPanel::makeHead()
{
    auto *head = new QWidget(this);
    auto *layout = new QGridLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_title, 0, 0, 1, 3);
    layout->addWidget(m_leave, 0, 3, Qt::AlignTop);
    layout->addWidget(m_form, 1, 0, 1, 4);
    layout->addWidget(m_start, 2, 0, Qt::AlignTop);
    layout->addWidget(m_change, 2, 1, Qt::AlignTop);
    layout->addWidget(m_status, 2, 2, 1, 2);
    layout->setColumnStretch(2, 1);
    return head;
}

void ProgramPanel::enter()
{
    if (m_isFormShown)
        m_form->enter();
    else
        m_start->setFocus(Qt::OtherFocusReason);
}

void ProgramPanel::restoreForm(const QVariantMap &kept)
{
    m_form->restore(kept);
}

void ProgramPanel::startOrCancel()
{
    if (m_search.state() == RaceSearch::State::Running)
        m_search.cancel();
    else
        start();
    refresh();
}

void ProgramPanel::start()
{
    const auto program = m_form->program();
    m_problem = program ? QString() : widgets::sentence(program.error().message());
    if (!program) {
        setFormShown(true);
        m_form->enterWrong();
        return;
    }
    Q_EMIT formKept(m_form->kept());
    m_search.start(*program);
}

/// Replaces the form with the answers, and shows the form again if there will be no answers.
void ProgramPanel::stateChanged()
{
    const bool hasKeyboard = isAncestorOf(window()->focusWidget());
    const bool wasFormShown = m_isFormShown;
    setFormShown(m_search.state() == RaceSearch::State::Idle || m_search.error().has_value());
    if (hasKeyboard && wasFormShown != m_isFormShown)
        enter();
}

void ProgramPanel::setFormShown(bool isShown)
{
    m_isFormShown = isShown;
    m_form->setVisible(isShown);
    m_answers->setVisible(!isShown);
    showAnswers();
}

void ProgramPanel::showAnswers()
{
    std::vector<RaceAnswers::Line> lines;
    for (const RaceSearch::Answer &answer : m_search.answers()) {
        const Tone tone = answer.verdict == Verdict::Broken        ? Tone::Critical
                        : answer.verdict == Verdict::NotApplicable ? Tone::Muted
                        : answer.isComplete                        ? Tone::Good
                                                                   : Tone::Warning;
        lines.push_back({answer, verdictText(answer, m_search), tone});
    }
    for (const QString &promise : m_search.conditions() ? m_search.conditions()->unanswered : QStringList()) {
        RaceSearch::Answer none;
        none.promise = promise;
        lines.push_back({none, unknownText(), Tone::Warning});
    }
    m_answers->setLines(std::move(lines));
    m_answers->setNotes(m_search.state() == RaceSearch::State::Over ? conditionsText(m_search) : QString());
    refresh();
}

QString ProgramPanel::status() const
{
    if (!m_problem.isEmpty())
        return m_problem;
    switch (m_search.state()) {
    case RaceSearch::State::Idle:
        return {};
    case RaceSearch::State::Running:
        return m_search.isCancelled() ? tr("Stopping…") : progressText(m_search.progress());
    case RaceSearch::State::Over:
        break;
    }
    return m_search.error() ? widgets::sentence(m_search.error()->message()) : outcomeText(m_search);
}

void ProgramPanel::refresh()
{
    const bool isRunning = m_search.state() == RaceSearch::State::Running;
    const bool hasAnswers = m_search.state() == RaceSearch::State::Over && !m_search.error();
    m_title->setText(
        m_isFormShown
            ? tr("Check a program for races")
            : tr("Race finder · %1: %2").arg(nameOf(m_search.soughtProgram()), boundsText(m_search.soughtProgram())));
    m_start->setText(isRunning ? tr("Cancel") : hasAnswers ? tr("Search again") : tr("Find races"));
    m_start->setEnabled(!(isRunning && m_search.isCancelled()));
    widgets::restyle(*m_start, "kind", isRunning ? QStringLiteral("danger") : QStringLiteral("primary"));
    m_change->setText(m_isFormShown ? tr("Show results") : tr("Change…"));
    m_change->setVisible(hasAnswers);
    m_status->setText(status());
    const bool isWrong = !m_problem.isEmpty() || m_search.error().has_value();
    widgets::restyle(*m_status, "tone", isWrong ? QStringLiteral("critical") : QString());
    const auto &longest = m_search.soughtProgram().longest;
    m_progress->setVisible(isRunning);
    m_progress->setRange(0,
                         longest ? programProgressParts : 0); // Without a time limit, the bar shows activity only.
    if (longest)
        m_progress->setValue(static_cast<int>(programProgressParts * m_search.progress().seconds
                                              / static_cast<double>(longest->count())));
}

} // namespace latchkey::ui::stories
