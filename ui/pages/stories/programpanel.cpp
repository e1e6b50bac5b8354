#include "ui/pages/stories/programpanel.h"

#include "ui/kit/widgets/sentence.h"
#include "ui/pages/stories/makebutton.h"
#include "ui/pages/stories/programform.h"
#include "ui/pages/stories/programtexts.h"

#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace latchkey::ui::stories {

using racesearch::RaceSearch;
using schedules::Verdict;
using Tone = RaceAnswers::Tone;

ProgramPanel::ProgramPanel(const QString &finder, theme::Appearance &appearance, QWidget *parent)
    : RaceSearchPanel({QStringLiteral("program"), QStringLiteral("primary"), false}, finder, appearance, parent)
    , m_form(new ProgramForm(this))
    , m_change(makeButton("programChange", QString(), "", this))
{
    progressBar()->setAccessibleName(tr("Elapsed time"));
    layOut(makeHead());
    connect(m_form, &ProgramForm::submitted, this, &ProgramPanel::start);
    connect(m_change, &QPushButton::clicked, this, [this] {
        setFormShown(!m_isFormShown);
        takeFocus();
    });
    setFormShown(true);
}

ProgramPanel::~ProgramPanel() = default;

QWidget *ProgramPanel::makeHead()
{
    auto *head = new QWidget(this);
    auto *layout = new QGridLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(titleLabel(), 0, 0, 1, 3);
    layout->addWidget(leaveButton(), 0, 3, Qt::AlignTop);
    layout->addWidget(m_form, 1, 0, 1, 4);
    layout->addWidget(startButton(), 2, 0, Qt::AlignTop);
    layout->addWidget(m_change, 2, 1, Qt::AlignTop);
    layout->addWidget(statusLabel(), 2, 2, 1, 2);
    layout->setColumnStretch(2, 1);
    return head;
}

void ProgramPanel::takeFocus()
{
    if (m_isFormShown)
        m_form->takeFocus();
    else
        startButton()->setFocus(Qt::OtherFocusReason);
}

void ProgramPanel::restoreForm(const QVariantMap &state)
{
    m_form->restoreState(state);
}

void ProgramPanel::start()
{
    const auto program = m_form->program();
    setProblem(program ? QString() : widgets::sentence(program.error().message()));
    if (!program) {
        setFormShown(true);
        m_form->focusInvalidField();
        return;
    }
    Q_EMIT formSaved(m_form->saveState());
    finder().start(*program);
}

/// Replaces the form with the answers, and shows the form again if there will be no answers.
void ProgramPanel::stateChanged()
{
    const bool hasKeyboard = isAncestorOf(window()->focusWidget());
    const bool wasFormShown = m_isFormShown;
    setFormShown(search().state() == RaceSearch::State::Idle || search().error().has_value());
    if (hasKeyboard && wasFormShown != m_isFormShown)
        takeFocus();
}

void ProgramPanel::setFormShown(bool isShown)
{
    m_isFormShown = isShown;
    m_form->setVisible(isShown);
    answers()->setVisible(!isShown);
    showAnswers();
}

std::vector<RaceAnswers::Line> ProgramPanel::lines() const
{
    std::vector<RaceAnswers::Line> lines;
    for (const RaceSearch::Answer &answer : search().answers()) {
        const Tone tone = answer.verdict == Verdict::Broken        ? Tone::Critical
                        : answer.verdict == Verdict::NotApplicable ? Tone::Muted
                        : answer.isComplete                        ? Tone::Good
                                                                   : Tone::Warning;
        lines.push_back({answer, verdictText(answer, search()), tone});
    }
    for (const QString &promise : search().conditions() ? search().conditions()->unanswered : QStringList()) {
        RaceSearch::Answer none;
        none.promise = promise;
        lines.push_back({none, unknownText(), Tone::Warning});
    }
    return lines;
}

QString ProgramPanel::notes() const
{
    return search().state() == RaceSearch::State::Over ? conditionsText(search()) : QString();
}

QString ProgramPanel::titleText() const
{
    if (m_isFormShown)
        return tr("Check a program for races");
    return tr("Race finder · %1: %2").arg(nameOf(search().program()), boundsText(search().program()));
}

bool ProgramPanel::canRepeat() const
{
    return search().state() == RaceSearch::State::Over && !search().error();
}

QString ProgramPanel::runningText() const
{
    return progressText(search().progress());
}

QString ProgramPanel::resultText() const
{
    return outcomeText(search());
}

std::optional<double> ProgramPanel::progressed() const
{
    const auto &longest = search().program().longest;
    return longest ? std::optional(search().progress().seconds / static_cast<double>(longest->count())) : std::nullopt;
}

void ProgramPanel::refresh()
{
    RaceSearchPanel::refresh();
    m_change->setText(m_isFormShown ? tr("Show results") : tr("Change…"));
    m_change->setVisible(canRepeat());
}

} // namespace latchkey::ui::stories
