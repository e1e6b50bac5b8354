#include "ui/stories/racepanel.h"

#include "core/stage/recordedstory.h"
#include "core/stories/storyfile.h"
#include "ui/stories/makebutton.h"
#include "ui/widgets/languagewatch.h"
#include "ui/widgets/plaintext.h"
#include "ui/widgets/restyle.h"
#include "ui/widgets/sentence.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::stories {

using stage::RaceSearch;
using Verdict = RaceSearch::Verdict;

namespace {

enum Column { PromiseColumn, ClaimColumn, VerdictColumn, StepsColumn, ColumnCount };

constexpr int progressParts = 1000;
/// From here on a number of schedules is told by its order of magnitude.
constexpr double mostExact = 1e15;

QString grouped(double count)
{
    return count < mostExact ? QLocale().toString(count, 'f', 0) : QString::number(count, 'g', 3);
}

/// What a run has shown: the finder says it in English, to whoever reads its JSON.
QString spoken(const QString &complaint)
{
    return complaint.isEmpty() ? complaint : QCoreApplication::translate("races", complaint.toUtf8().constData());
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
    , m_answers(new QStandardItemModel(0, ColumnCount, this))
    , m_list(new QTreeView(this))
    , m_about(widgets::makePlainLabel(QStringLiteral("secondary"), QString(), this))
    , m_schedule(new QPlainTextEdit(this))
    , m_play(makeButton("racePlay", tr("Play the shortest way to break it"), "primary", this))
    , m_search(program)
{
    setObjectName(QStringLiteral("racePanel"));
    m_title->setWordWrap(true);
    m_status->setWordWrap(true);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->setRange(0, progressParts);
    m_progress->setAccessibleName(tr("How far the search is"));
    m_about->setWordWrap(true);
    m_schedule->setObjectName(QStringLiteral("raceSchedule"));
    m_schedule->setAccessibleName(tr("The shortest schedule that breaks the promise"));
    m_schedule->setReadOnly(true);
    m_schedule->setLineWrapMode(QPlainTextEdit::NoWrap);
    makeChoices();
    makeList();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(makeHead());
    layout->addWidget(m_progress);
    layout->addWidget(m_list, 3);
    layout->addWidget(m_about);
    layout->addWidget(m_schedule, 2);
    layout->addWidget(m_play, 0, Qt::AlignLeft);
    connect(m_start, &QPushButton::clicked, this, &RacePanel::startOrCancel);
    connect(m_leave, &QPushButton::clicked, this, &RacePanel::left);
    connect(m_play, &QPushButton::clicked, this, &RacePanel::play);
    connect(m_list, &QTreeView::activated, this, &RacePanel::play);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &RacePanel::showSelected);
    connect(&m_search, &RaceSearch::stateChanged, this, &RacePanel::refresh);
    connect(&m_search, &RaceSearch::progressed, this, &RacePanel::refresh);
    connect(&m_search, &RaceSearch::answered, this, &RacePanel::showAnswer);
    connect(&m_appearance, &theme::Appearance::changed, this, [this] {
        showSelected();
        refresh();
    });
    connect(new widgets::LanguageWatch(this), &widgets::LanguageWatch::changed, this, &RacePanel::word);
    showSelected();
    refresh();
}

RacePanel::~RacePanel() = default;

void RacePanel::makeChoices()
{
    m_clients->setObjectName(QStringLiteral("raceClients"));
    m_clients->setAccessibleName(tr("How many clients"));
    m_clients->addItem(tr("2 to 4 clients"), 0);
    for (const int clients : {2, 3, 4})
        m_clients->addItem(tr("%n clients", nullptr, clients), clients);
    m_clients->setToolTip(
        tr("2 to 4: it begins with two, and goes on to more as long as the promise holds and the search "
           "takes no more than seconds"));
    m_faults->setObjectName(QStringLiteral("raceFaults"));
    m_faults->setAccessibleName(tr("Which faults"));
    m_faults->addItem(tr("crashes, lapses"), QStringList());
    m_faults->addItem(tr("no crashes"), QStringList {QStringLiteral("crashes")});
    m_faults->addItem(tr("no lapses"), QStringList {QStringLiteral("lapses")});
    m_faults->addItem(tr("no faults"), QStringList {QStringLiteral("crashes"), QStringLiteral("lapses")});
    m_faults->setToolTip(
        tr("Clients die, and leases end, at every point where the promise allows it. Where they are left out, it shows "
           "whether the order of the commands alone breaks it."));
}

/// What is chosen stands before what has come of it.
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
    return head;
}

void RacePanel::makeList()
{
    m_answers->setHorizontalHeaderLabels({tr("Promise"), tr("Claimed"), tr("Verdict"), tr("Steps")});
    m_list->setObjectName(QStringLiteral("raceAnswers"));
    m_list->setAccessibleName(tr("Promises and what the race finder says of them"));
    m_list->setModel(m_answers);
    m_list->setRootIsDecorated(false);
    m_list->setAllColumnsShowFocus(true);
    m_list->setWordWrap(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(VerdictColumn, QHeaderView::Stretch);
    m_list->header()->setSectionsMovable(false);
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
    m_answers->removeRows(0, m_answers->rowCount()); // Before what its rows count.
    const int clients = m_clients->currentData().toInt();
    m_search.start(m_recipe, clients > 0 ? std::optional(clients) : std::nullopt,
                   m_faults->currentData().toStringList());
}

QString RacePanel::verdictOf(const RaceSearch::Answer &answer) const
{
    const QString clients = tr("%n clients", nullptr, answer.clients);
    if (answer.verdict == Verdict::Broken)
        return tr("Broken with %1: %2").arg(clients, spoken(answer.complaint));
    if (answer.isComplete)
        return tr("Holds in all %1 schedules of %2").arg(grouped(answer.schedules), clients);
    const QString states = grouped(static_cast<double>(answer.states));
    return m_search.isCancelled()
             ? tr("Holds in the first %1 states of %2: it was stopped there").arg(states, clients)
             : tr("Holds in the first %1 states of %2: that is as far as it looks").arg(states, clients);
}

void RacePanel::word()
{
    if (!m_recipe.isEmpty())
        m_title->setText(tr("Race finder · %1").arg(m_recipe));
    for (int row = 1; row < m_clients->count(); ++row)
        m_clients->setItemText(row, tr("%n clients", nullptr, m_clients->itemData(row).toInt()));
    for (int row = 0; row < m_answers->rowCount(); ++row) {
        const auto index = static_cast<std::size_t>(m_answers->item(row, PromiseColumn)->data().toInt());
        const RaceSearch::Answer &answer = m_search.answers()[index];
        m_answers->item(row, ClaimColumn)->setText(answer.isClaimed ? tr("claimed") : tr("not claimed"));
        m_answers->item(row, VerdictColumn)->setText(verdictOf(answer));
        m_answers->item(row, VerdictColumn)->setToolTip(widgets::toolTipText(verdictOf(answer)));
    }
    showSelected();
    refresh();
}

void RacePanel::showAnswer()
{
    const RaceSearch::Answer &answer = m_search.answers().back();
    if (answer.verdict == Verdict::NotApplicable)
        return;
    const QString verdict = verdictOf(answer);
    const QString steps = answer.story ? QString::number(answer.story->steps.size()) : QString();
    QList<QStandardItem *> row;
    for (const QString &text : {answer.promise, answer.isClaimed ? tr("claimed") : tr("not claimed"), verdict, steps})
        row += new QStandardItem(text);
    row[VerdictColumn]->setToolTip(widgets::toolTipText(verdict));
    row[PromiseColumn]->setData(static_cast<int>(m_search.answers().size() - 1));
    m_answers->appendRow(row);
    if (const RaceSearch::Answer *chosen = selected(); answer.story && (chosen == nullptr || !chosen->story))
        m_list->setCurrentIndex(m_answers->index(m_answers->rowCount() - 1, PromiseColumn));
    refresh();
}

const RaceSearch::Answer *RacePanel::selected() const
{
    const QModelIndex current = m_list->currentIndex();
    const QStandardItem *item = current.isValid() ? m_answers->item(current.row(), PromiseColumn) : nullptr;
    return item == nullptr ? nullptr : &m_search.answers()[static_cast<std::size_t>(item->data().toInt())];
}

void RacePanel::showSelected()
{
    const RaceSearch::Answer *answer = selected();
    QString about;
    if (answer != nullptr) // The verdict as well: a narrow list cuts it short.
        about = aboutPromise(answer->promise) + u'\n'
              + widgets::fullSentence(m_answers->item(m_list->currentIndex().row(), VerdictColumn)->text());
    m_about->setText(about);
    QStringList lines;
    if (answer != nullptr && answer->story) {
        const auto &steps = answer->story->steps;
        for (std::size_t i = 0; i < steps.size(); ++i)
            lines += QString::number(i + 1).rightJustified(3) + QStringLiteral("  ")
                   + steps[i].toText(answer->story->servers);
    }
    m_schedule->setFont(m_appearance.monospaced());
    m_schedule->setPlainText(lines.join(u'\n'));
    m_schedule->setVisible(!lines.isEmpty());
    m_play->setEnabled(!lines.isEmpty());
}

void RacePanel::play()
{
    const RaceSearch::Answer *answer = selected();
    if (answer == nullptr || !answer->story)
        return;
    if (const auto told = stage::toldFrom(*answer->story))
        Q_EMIT chosen(*told, latchkey::stories::toFile(*answer->story));
    else
        m_status->setText(widgets::sentence(told.error().message()));
}

/// What the promise means, in the words of the glossary.
QString RacePanel::aboutPromise(const QString &promise)
{
    if (promise == u"mutual-exclusion")
        return tr(
            "No two clients are inside at once, no matter which of them crash, as long as nobody who lives outstays "
            "the lease that it asked for and the clocks agree.");
    if (promise == u"crash-release")
        return tr("When everybody has finished or died and every lease is over, a newcomer gets the lock.");
    if (promise == u"owner-only-release")
        return tr("A release or extend, however late, never ends or changes a lock that is another's by then.");
    if (promise == u"contender-neutral")
        return tr("An acquire that fails leaves the holder's lock as it was, value and lease.");
    if (promise == u"clock-free")
        return tr("No two clients are inside at once, also where their clocks differ by more than a lease.");
    if (promise == u"fenced")
        return tr(
            "A resource that goes by fencing numbers never takes an older holder's write after a newer holder's.");
    if (promise == u"no-immortal-data")
        return tr("When everybody has finished or died, no data stays behind without a lifetime.");
    if (promise == u"no-immortal-key")
        return tr(
            "When everybody has finished or died, no key stays behind without a lifetime, not even an empty one.");
    if (promise == u"foreign-key-safe")
        return tr("A key that already holds a value of another type keeps both its value and its lifetime.");
    if (promise == u"no-torn-read")
        return tr("While two clients write the same fields, a reader sees all of one write and nothing of the other.");
    if (promise == u"one-recompute")
        return tr("While the guard lasts, a miss is recomputed by one client only.");
    return {};
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
            .arg(now.promise, tr("%n clients", nullptr, now.clients), grouped(static_cast<double>(now.states)),
                 grouped(static_cast<double>(now.mostStates)),
                 grouped(now.seconds > 0 ? static_cast<double>(now.steps) / now.seconds : 0));
    case RaceSearch::State::Over:
        break;
    }
    if (m_search.error())
        return widgets::sentence(m_search.error()->message());
    if (m_search.isCancelled())
        return tr("Stopped before its end: what stands here is what had been found by then.");
    if (broken == 0)
        return allHold();
    return tr("Broken promises: %1. Choose one, and play it with real processes.").arg(broken);
}

QString RacePanel::allHold() const
{
    const bool hasCrashes = !m_search.without().contains(QStringLiteral("crashes"));
    const bool hasLapses = !m_search.without().contains(QStringLiteral("lapses"));
    if (hasCrashes && hasLapses)
        return tr("Every promise holds in every order, with every crash and every lapse that it allows.");
    if (hasCrashes)
        return tr("Every promise holds in every order, with every crash that it allows; lapses were left out.");
    if (hasLapses)
        return tr("Every promise holds in every order, with every lapse that it allows; crashes were left out.");
    return tr("Every promise holds in every order; crashes and lapses were left out.");
}

void RacePanel::refresh()
{
    const bool isRunning = m_search.state() == RaceSearch::State::Running;
    m_start->setText(isRunning ? tr("Cancel") : m_recipe.isEmpty() ? tr("Find the race") : tr("Find again"));
    m_start->setEnabled(!(isRunning && m_search.isCancelled()));
    widgets::restyle(*m_start, "kind", isRunning ? QStringLiteral("danger") : QString());
    m_clients->setEnabled(!isRunning);
    m_faults->setEnabled(!isRunning);
    m_status->setText(status());
    widgets::restyle(*m_status, "tone", m_search.error() ? QStringLiteral("critical") : QString());
    const RaceSearch::Progress &now = m_search.progress();
    m_progress->setVisible(isRunning);
    m_progress->setValue(now.mostStates > 0 ? static_cast<int>(progressParts * now.states / now.mostStates) : 0);
    m_play->setIcon(m_appearance.icon(QStringLiteral("play"), m_appearance.theme().onAccent));
    for (int row = 0; row < m_answers->rowCount(); ++row) {
        const auto index = static_cast<std::size_t>(m_answers->item(row, PromiseColumn)->data().toInt());
        const RaceSearch::Answer &answer = m_search.answers()[index];
        const theme::Theme &theme = m_appearance.theme();
        const QColor tone = answer.verdict != Verdict::Broken ? theme.good
                          : answer.isClaimed                  ? theme.critical
                                                              : theme.warning;
        m_answers->item(row, VerdictColumn)->setForeground(tone);
    }
}

} // namespace latchkey::ui::stories
