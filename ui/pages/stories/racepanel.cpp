#include "ui/pages/stories/racepanel.h"

#include "core/explore/schedules/complainttext.h"
#include "core/recipes/locks/catalogue.h"
#include "ui/kit/widgets/languagewatch.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/stories/makebutton.h"
#include "ui/pages/stories/raceanswers.h"
#include "ui/pages/stories/racewords.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::stories {

using racesearch::RaceSearch;
using Verdict = RaceSearch::Verdict;

namespace {

constexpr int progressParts = 1000;

/// Promises to check; empty: all without faults of servers.
constexpr int promisesRole = Qt::UserRole + 1;

QStringList serverFaultPromises()
{
    QStringList promises;
    for (const locks::Promise promise : locks::serverFaultPromises())
        promises += locks::promiseId(promise);
    return promises;
}

} // namespace

RacePanel::RacePanel(const QString &program, theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_title(widgets::makePlainLabel(QStringLiteral("sectionTitle"), QString(), this))
    , m_clients(new QComboBox(this))
    , m_faults(new QComboBox(this))
    , m_start(makeButton("raceStart", QString(), "primary", this))
    , m_leave(makeButton("raceLeave", tr("Back to the story"), "quiet", this))
    , m_status(widgets::makePlainLabel(QStringLiteral("raceStatus"), QString(), this))
    , m_progress(new QProgressBar(this))
    , m_answers(new RaceAnswers(QStringLiteral("race"), true, appearance, this))
    , m_search(program)
{
    setObjectName(QStringLiteral("racePanel"));
    m_title->setWordWrap(true);
    m_status->setWordWrap(true);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->setRange(0, progressParts);
    m_progress->setAccessibleName(tr("Search progress"));
    makeChoices();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(makeHead());
    layout->addWidget(m_progress);
    layout->addWidget(m_answers, 1);
    connect(m_start, &QPushButton::clicked, this, &RacePanel::startOrCancel);
    connect(m_leave, &QPushButton::clicked, this, &RacePanel::left);
    connect(m_answers, &RaceAnswers::chosen, this, &RacePanel::chosen);
    connect(m_answers, &RaceAnswers::refused, this,
            [this](const base::Error &error) { m_status->setText(widgets::sentence(error.message())); });
    connect(&m_search, &RaceSearch::stateChanged, this, &RacePanel::refresh);
    connect(&m_search, &RaceSearch::progressed, this, &RacePanel::refresh);
    connect(&m_search, &RaceSearch::answered, this, &RacePanel::showAnswers);
    connect(&m_appearance, &theme::Appearance::changed, this, &RacePanel::refresh);
    connect(new widgets::LanguageWatch(this), &widgets::LanguageWatch::changed, this, &RacePanel::word);
    refresh();
}

RacePanel::~RacePanel() = default;

void RacePanel::makeChoices()
{
    m_clients->setObjectName(QStringLiteral("raceClients"));
    m_clients->setAccessibleName(tr("Number of clients"));
    m_clients->addItem(tr("2 to 4 clients"), 0);
    for (const int clients : {2, 3, 4})
        m_clients->addItem(clientsText(clients), clients);
    m_clients->setToolTip(
        tr("2 to 4: starts with two, and adds clients while the promise holds and the search takes only seconds"));
    m_faults->setObjectName(QStringLiteral("raceFaults"));
    m_faults->setAccessibleName(tr("Faults"));
    m_faults->addItem(tr("crashes, lapses"), QStringList());
    m_faults->addItem(tr("no crashes"), QStringList {QStringLiteral("crashes")});
    m_faults->addItem(tr("no lapses"), QStringList {QStringLiteral("lapses")});
    m_faults->addItem(tr("no faults"), QStringList {QStringLiteral("crashes"), QStringLiteral("lapses")});
    m_faults->addItem(tr("faults of servers"), QStringList());
    m_faults->setItemData(m_faults->count() - 1, serverFaultPromises(), promisesRole);
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
    layout->addWidget(m_title, 0, 0, 1, 4);
    layout->addWidget(m_leave, 0, 4, Qt::AlignTop);
    layout->addWidget(m_clients, 1, 0);
    layout->addWidget(m_faults, 1, 1);
    layout->addWidget(m_start, 1, 2);
    layout->addWidget(m_status, 1, 3, 1, 2);
    layout->setColumnStretch(3, 1);
    widgets::tabInLayoutOrder(*layout);
    return head;
}

void RacePanel::find(const QString &recipe)
{
    const bool isAnswered = recipe == m_recipe && !m_search.isCancelled() && !m_search.error();
    m_recipe = recipe;
    m_title->setText(tr("Race finder · %1").arg(recipe));
    if (!isAnswered)
        start();
}

void RacePanel::startOrCancel()
{
    if (m_search.state() == RaceSearch::State::Running)
        m_search.cancel();
    else
        start();
    refresh();
}

void RacePanel::start()
{
    const int clients = m_clients->currentData().toInt();
    m_search.start(m_recipe, clients > 0 ? std::optional(clients) : std::nullopt,
                   m_faults->currentData().toStringList(), m_faults->currentData(promisesRole).toStringList());
    showAnswers();
}

QString RacePanel::verdictOf(const RaceSearch::Answer &answer) const
{
    const QString clients = clientsText(answer.clients);
    if (answer.verdict == Verdict::Broken)
        return tr("Broken with %1: %2").arg(clients, schedules::translatedComplaint(answer.complaint));
    if (answer.isComplete)
        return tr("Holds in all %1 schedules of %2").arg(grouped(answer.schedules), clients);
    const QString states = grouped(static_cast<double>(answer.states));
    return m_search.isCancelled() ? tr("Holds in the first %1 states of %2: stopped").arg(states, clients)
                                  : tr("Holds in the first %1 states of %2: limit reached").arg(states, clients);
}

void RacePanel::word()
{
    if (!m_recipe.isEmpty())
        m_title->setText(tr("Race finder · %1").arg(m_recipe));
    for (int row = 1; row < m_clients->count(); ++row)
        m_clients->setItemText(row, clientsText(m_clients->itemData(row).toInt()));
    showAnswers();
}

/// Shows all answers except those that do not apply.
void RacePanel::showAnswers()
{
    std::vector<RaceAnswers::Line> lines;
    for (const RaceSearch::Answer &answer : m_search.answers()) {
        if (answer.verdict == Verdict::NotApplicable)
            continue;
        const auto tone = answer.verdict != Verdict::Broken ? RaceAnswers::Tone::Good
                        : answer.isClaimed                  ? RaceAnswers::Tone::Critical
                                                            : RaceAnswers::Tone::Warning;
        lines.push_back({answer, verdictOf(answer), tone});
    }
    m_answers->setLines(std::move(lines));
    refresh();
}

QString RacePanel::status() const
{
    const RaceSearch::Progress &now = m_search.progress();
    const auto &answers = m_search.answers();
    const auto broken = std::ranges::count(answers, Verdict::Broken, &RaceSearch::Answer::verdict);
    switch (m_search.state()) {
    case RaceSearch::State::Idle:
        return {};
    case RaceSearch::State::Running:
        if (m_search.isCancelled())
            return tr("Stopping…");
        if (now.promise.isEmpty())
            return tr("Starting a private server…");
        return tr("%1 with %2: %3 states of at most %4, %5 steps a second")
            .arg(now.promise, clientsText(now.clients), grouped(static_cast<double>(now.states)),
                 grouped(static_cast<double>(now.mostStates)),
                 grouped(now.seconds > 0 ? static_cast<double>(now.steps) / now.seconds : 0));
    case RaceSearch::State::Over:
        break;
    }
    if (m_search.error())
        return widgets::sentence(m_search.error()->message());
    if (m_search.isCancelled())
        return tr("Stopped early: these are the results so far.");
    if (std::ranges::all_of(answers, [](const auto &answer) { return answer.verdict == Verdict::NotApplicable; }))
        return tr("None of these promises applies to the recipe.");
    if (broken == 0)
        return allHold();
    return tr("Broken promises: %1. Select one to play it with real processes.").arg(broken);
}

QString RacePanel::allHold() const
{
    const bool hasCrashes = !m_search.without().contains(QStringLiteral("crashes"));
    const bool hasLapses = !m_search.without().contains(QStringLiteral("lapses"));
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
    const bool isRunning = m_search.state() == RaceSearch::State::Running;
    m_start->setText(isRunning ? tr("Cancel") : m_recipe.isEmpty() ? tr("Find races") : tr("Search again"));
    m_start->setEnabled(!(isRunning && m_search.isCancelled()));
    widgets::restyle(*m_start, "kind", isRunning ? QStringLiteral("danger") : QString());
    m_clients->setEnabled(!isRunning);
    m_faults->setEnabled(!isRunning);
    m_status->setText(status());
    widgets::restyle(*m_status, "tone", m_search.error() ? QStringLiteral("critical") : QString());
    const RaceSearch::Progress &now = m_search.progress();
    m_progress->setVisible(isRunning);
    m_progress->setValue(now.mostStates > 0 ? static_cast<int>(progressParts * now.states / now.mostStates) : 0);
}

} // namespace latchkey::ui::stories
