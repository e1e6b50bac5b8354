#include "ui/pages/stories/racepanel.h"

#include "core/explore/schedules/violationtext.h"
#include "ui/pages/stories/serverfaultform.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace latchkey::ui::stories {

using racesearch::RaceSearch;
using schedules::countText;
using schedules::Verdict;

namespace {

/// Data role with the promises to check; an empty list means all without server faults.
constexpr int promisesRole = Qt::UserRole + 1;

} // namespace

RacePanel::RacePanel(const QString &program, theme::Appearance &appearance, QWidget *parent)
    : RaceSearchPanel({QStringLiteral("race"), QString(), true}, program, appearance, parent)
    , m_clients(new QComboBox(this))
    , m_faults(new QComboBox(this))
    , m_serverFaults(new ServerFaultForm(QStringLiteral("race"), ServerFaultForm::Subject::Recipe, this))
{
    progressBar()->setAccessibleName(tr("Search progress"));
    makeChoices();
    layOut(makeHead());
    refresh();
}

RacePanel::~RacePanel() = default;

void RacePanel::makeChoices()
{
    m_clients->setObjectName(QStringLiteral("raceClients"));
    m_clients->setAccessibleName(tr("Number of clients"));
    m_clients->addItem(tr("2 to 4 clients"), 0);
    for (const int clients : {2, 3, 4})
        m_clients->addItem(schedules::clientsText(clients), clients);
    m_clients->setToolTip(
        tr("2 to 4: starts with two, and adds clients while the promise holds and the search takes only seconds"));
    m_faults->setObjectName(QStringLiteral("raceFaults"));
    m_faults->setAccessibleName(tr("Faults"));
    m_faults->addItem(tr("crashes, lapses"), QStringList());
    m_faults->addItem(tr("no crashes"), QStringList {QStringLiteral("crashes")});
    m_faults->addItem(tr("no lapses"), QStringList {QStringLiteral("lapses")});
    m_faults->addItem(tr("no faults"), QStringList {QStringLiteral("crashes"), QStringLiteral("lapses")});
    addServerFaultChoices(*m_faults, tr("faults of servers"), promisesRole);
    connect(m_faults, &QComboBox::currentIndexChanged, this,
            [this] { m_serverFaults->setPromises(m_faults->currentData(promisesRole).toStringList()); });
    m_faults->setToolTip(tr("Clients crash and leases end at every point that the promise allows. Without them, only "
                            "the order of commands is explored. Faults of servers, such as a failover, have promises "
                            "of their own."));
}

QWidget *RacePanel::makeHead()
{
    auto *head = new QWidget(this);
    auto *layout = new QGridLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(titleLabel(), 0, 0, 1, 4);
    layout->addWidget(leaveButton(), 0, 4, Qt::AlignTop);
    layout->addWidget(m_clients, 1, 0);
    layout->addWidget(m_faults, 1, 1);
    layout->addWidget(startButton(), 1, 2);
    layout->addWidget(statusLabel(), 1, 3, 1, 2);
    layout->addWidget(m_serverFaults, 2, 0, 1, 5);
    layout->setColumnStretch(3, 1);
    return head;
}

void RacePanel::find(const QString &recipe)
{
    const bool isAnswered = recipe == m_recipe && !search().isCancelled() && !search().error();
    m_recipe = recipe;
    if (isAnswered)
        refresh();
    else
        start();
}

void RacePanel::start()
{
    const int clients = m_clients->currentData().toInt();
    setProblem({});
    m_promises = m_faults->currentData(promisesRole).toStringList();
    m_limits = m_serverFaults->limits();
    finder().start(m_recipe, clients > 0 ? std::optional(clients) : std::nullopt,
                   m_faults->currentData().toStringList(), m_promises, m_limits);
    showAnswers();
}

QString RacePanel::verdictOf(const RaceSearch::Answer &answer) const
{
    const QString clients = schedules::clientsText(answer.clients);
    if (answer.verdict == Verdict::Broken)
        return tr("Broken with %1: %2").arg(clients, schedules::translatedViolation(answer.violation));
    if (answer.isComplete)
        return tr("Holds in all %1 schedules of %2").arg(countText(answer.schedules), clients);
    const QString states = countText(static_cast<double>(answer.states));
    return search().isCancelled() ? tr("Holds in the first %1 states of %2: stopped").arg(states, clients)
                                  : tr("Holds in the first %1 states of %2: limit reached").arg(states, clients);
}

/// Returns all answers except those that do not apply.
std::vector<RaceAnswers::Line> RacePanel::lines() const
{
    std::vector<RaceAnswers::Line> lines;
    for (const RaceSearch::Answer &answer : search().answers()) {
        if (answer.verdict == Verdict::NotApplicable)
            continue;
        const auto tone = answer.verdict != Verdict::Broken ? RaceAnswers::Tone::Good
                        : answer.isClaimed                  ? RaceAnswers::Tone::Critical
                                                            : RaceAnswers::Tone::Warning;
        lines.push_back({answer, verdictOf(answer), tone});
    }
    return lines;
}

QString RacePanel::titleText() const
{
    return m_recipe.isEmpty() ? QString() : tr("Race finder · %1").arg(m_recipe);
}

QString RacePanel::runningText() const
{
    const RaceSearch::Progress &now = search().progress();
    if (now.promise.isEmpty())
        return tr("Starting a private server…");
    return tr("%1 with %2: %3 states of at most %4, %5 steps a second")
        .arg(now.promise, schedules::clientsText(now.clients), countText(static_cast<double>(now.states)),
             countText(static_cast<double>(now.maxStates)),
             countText(now.seconds > 0 ? static_cast<double>(now.steps) / now.seconds : 0));
}

QString RacePanel::resultText() const
{
    const auto &answers = search().answers();
    const auto broken = std::ranges::count(answers, Verdict::Broken, &RaceSearch::Answer::verdict);
    if (search().isCancelled())
        return tr("Stopped early: these are the results so far.");
    if (std::ranges::all_of(answers, [](const auto &answer) { return answer.verdict == Verdict::NotApplicable; }))
        return tr("None of these promises applies to the recipe.");
    if (broken == 0)
        return allHold();
    return tr("Broken promises: %1. Select one to play it with real processes.").arg(broken);
}

std::optional<double> RacePanel::progressed() const
{
    const RaceSearch::Progress &now = search().progress();
    return now.maxStates > 0 ? static_cast<double>(now.states) / static_cast<double>(now.maxStates) : 0;
}

QString RacePanel::allHold() const
{
    if (const QString faults = schedules::limitsText(m_promises, m_limits); !faults.isEmpty())
        return tr("Every promise holds in every order, with at most %1.").arg(faults);
    const bool hasCrashes = !search().without().contains(QStringLiteral("crashes"));
    const bool hasLapses = !search().without().contains(QStringLiteral("lapses"));
    if (hasCrashes && hasLapses)
        return tr("Every promise holds in every order, with all allowed crashes and lapses.");
    if (hasCrashes)
        return tr("Every promise holds in every order, with all allowed crashes; lapses were excluded.");
    if (hasLapses)
        return tr("Every promise holds in every order, with all allowed lapses; crashes were excluded.");
    return tr("Every promise holds in every order; crashes and lapses were excluded.");
}

void RacePanel::refresh()
{
    RaceSearchPanel::refresh();
    m_clients->setEnabled(!isRunning());
    m_faults->setEnabled(!isRunning());
    m_serverFaults->setEnabled(!isRunning());
    for (int row = 1; row < m_clients->count(); ++row)
        m_clients->setItemText(row, schedules::clientsText(m_clients->itemData(row).toInt()));
}

} // namespace latchkey::ui::stories
