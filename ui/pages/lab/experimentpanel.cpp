#include "ui/pages/lab/experimentpanel.h"

#include "core/foundation/base/random.h"
#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace latchkey::ui::lab {

using inspection::InspectedServer;
using latchkey::lab::ExpiryMeter;
using latchkey::lab::LabRun;
using latchkey::lab::Plan;
using latchkey::lab::PromiseVerdict;
using Phase = LabRun::Phase;

namespace {

/// Number of remaining keys that are named.
constexpr int maxNamed = 3;
constexpr int maxHistogramWidth = 760;
constexpr int minListWidth = 536; ///< Least width in pixels at which no verdict is cut.
constexpr int listFirst = 100;    ///< Stretch factor: other widgets get room only when all rows are visible.
constexpr int rowsMargin = 40;

} // namespace

ExperimentPanel::ExperimentPanel(QString writerProgram, theme::Appearance &appearance, const base::Clock &clock,
                                 QWidget *parent)
    : QWidget(parent)
    , m_writerProgram(std::move(writerProgram))
    , m_appearance(appearance)
    , m_clock(clock)
    , m_form(new ExperimentForm(this))
    , m_start(new QPushButton(this))
    , m_status(widgets::makePlainLabel(QStringLiteral("labStatus"), QString(), this))
    , m_progress(new QProgressBar(this))
    , m_recipes(new QStandardItemModel(0, ColumnCount, this))
    , m_list(new QTreeView(this))
    , m_title(widgets::makePlainLabel(QStringLiteral("sectionTitle"), QString(), this))
    , m_about(widgets::makePlainLabel(QStringLiteral("secondary"), QString(), this))
    , m_left(widgets::makePlainLabel(QStringLiteral("labLeft"), QString(), this))
    , m_toReader(new HistogramView(tr("Seen expired by a read"), appearance, this))
    , m_toEvent(new HistogramView(tr("expired event received"), appearance, this))
{
    setObjectName(QStringLiteral("experimentPanel"));
    m_start->setObjectName(QStringLiteral("labStart"));
    m_start->setProperty("kind", QStringLiteral("primary"));
    connect(m_start, &QPushButton::clicked, this, &ExperimentPanel::startOrCancel);
    m_status->setWordWrap(true);
    m_about->setWordWrap(true);
    m_left->setWordWrap(true);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_toReader->setObjectName(QStringLiteral("labToReader"));
    m_toEvent->setObjectName(QStringLiteral("labToEvent"));
    fillRecipes();
    setUpLayout();
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &ExperimentPanel::showRecipe);
    m_list->setCurrentIndex(m_recipes->index(0, RecipeColumn));
    connect(&m_appearance, &theme::Appearance::changed, this, &ExperimentPanel::refresh);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &ExperimentPanel::refresh);
    refresh();
}

ExperimentPanel::~ExperimentPanel() = default;

void ExperimentPanel::setUpLayout()
{
    auto *top = new QHBoxLayout;
    top->addWidget(m_form, 1);
    top->addWidget(m_start, 0, Qt::AlignBottom);

    auto *results = new QVBoxLayout;
    results->setSpacing(8);
    results->addWidget(m_list, listFirst);
    results->addWidget(m_title);
    results->addWidget(m_about);
    results->addWidget(m_left);
    results->addStretch(1);
    // The list is no higher than its rows, because the widgets below it describe the selected row.
    const int rows = m_recipes->rowCount();
    m_list->setMaximumHeight(m_list->sizeHintForRow(0) * rows + m_list->header()->sizeHint().height() + rowsMargin);
    auto *side = new QWidget(this);
    side->setMaximumWidth(maxHistogramWidth);
    auto *histograms = new QVBoxLayout(side);
    histograms->setContentsMargins(0, 0, 0, 0);
    histograms->setSpacing(8);
    histograms->addWidget(m_toReader, 1);
    histograms->addWidget(m_toEvent, 1);
    auto *body = new QHBoxLayout;
    body->setSpacing(14);
    body->addLayout(results, 4);
    body->addWidget(side, 3);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(top);
    layout->addWidget(m_status);
    layout->addWidget(m_progress);
    layout->addLayout(body, 1);
}

void ExperimentPanel::fillRecipes()
{
    m_recipes->setHorizontalHeaderLabels({tr("Recipe"), tr("Left"), tr("no-immortal-data"), tr("no-immortal-key")});
    for (const caches::Recipe &recipe : caches::recipes()) {
        QList<QStandardItem *> row;
        for (int column = 0; column < ColumnCount; ++column) {
            row += new QStandardItem;
            row.back()->setEditable(false);
        }
        row[RecipeColumn]->setText(recipe.id);
        row[RecipeColumn]->setCheckable(true);
        row[RecipeColumn]->setCheckState(Qt::Checked);
        const QString flaw = recipe.flaw.isEmpty() ? QString() : QStringLiteral("\n") + recipe.flaw.toString();
        row[RecipeColumn]->setToolTip(widgets::toolTipText(recipe.summary.toString() + flaw));
        m_recipes->appendRow(row);
    }
    m_list->setObjectName(QStringLiteral("labRecipes"));
    m_list->setAccessibleName(tr("Recipes and results"));
    m_list->setModel(m_recipes);
    m_list->setItemDelegate(new widgets::IndentedDelegate(m_list));
    m_list->setRootIsDecorated(false);
    m_list->setMinimumWidth(minListWidth);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->header()->setStretchLastSection(true);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

QStringList ExperimentPanel::chosenRecipes() const
{
    QStringList recipes;
    for (int row = 0; row < m_recipes->rowCount(); ++row) {
        if (m_recipes->item(row, RecipeColumn)->checkState() == Qt::Checked)
            recipes += m_recipes->item(row, RecipeColumn)->text();
    }
    return recipes;
}

void ExperimentPanel::setServer(InspectedServer *server)
{
    if (m_server)
        m_server->disconnect(this);
    m_server = server;
    if (server != nullptr)
        connect(server, &InspectedServer::armedChanged, this, &ExperimentPanel::nameServer);
    nameServer();
}

void ExperimentPanel::nameServer()
{
    const bool mayBeWritten = m_server && m_server->isArmed();
    m_form->setConnectedServer(mayBeWritten ? std::optional(m_server->endpoint().display()) : std::nullopt);
    // On a disarmed server, a running experiment must stop writing too.
    if (isRunning() && !m_run->isOnOwnServer() && !mayBeWritten)
        m_run->cancel();
}

void ExperimentPanel::takeFocus()
{
    m_start->setFocus(Qt::OtherFocusReason);
}

bool ExperimentPanel::isRunning() const
{
    return m_run && m_run->phase() != Phase::Over;
}

void ExperimentPanel::requestStart()
{
    m_start->click();
}

void ExperimentPanel::startOrCancel()
{
    if (isRunning())
        return m_run->cancel();
    const auto plan = m_form->plan(chosenRecipes());
    if (!plan) {
        m_status->setText(widgets::fullSentence(plan.error().message()));
        return;
    }
    m_run = std::make_unique<LabRun>(m_writerProgram, m_clock, base::SystemRandom::instance());
    connect(m_run.get(), &LabRun::phaseChanged, this, &ExperimentPanel::refresh);
    connect(m_run.get(), &LabRun::progressed, this, &ExperimentPanel::showProgress);
    const bool isConnected = m_form->wantsConnectedServer() && m_server;
    m_run->start(*plan, isConnected ? std::optional(m_server->endpoint()) : std::nullopt);
}

void ExperimentPanel::refresh()
{
    const bool runs = isRunning();
    m_start->setText(runs ? tr("Cancel") : tr("Run"));
    m_start->setEnabled(!m_run || m_run->phase() != Phase::Cleaning);
    m_form->setEnabled(!runs);
    showProgress();
    showCounts();
    showLateness();
    showRecipe();
}

QString ExperimentPanel::phaseText() const
{
    if (!m_run)
        return tr("A process writes keys by the selected recipes and is killed (SIGKILL) during the writes. The "
                  "results show which keys never expire, and how late the others expire.");
    const QLocale locale;
    const QString keys = locale.toString(m_run->plan().keyCount());
    switch (m_run->phase()) {
    case Phase::Idle:
    case Phase::Starting:
        return tr("Starting…");
    case Phase::Writing:
        return tr("Writing: %1 of %2 keys").arg(locale.toString(m_run->written()), keys);
    case Phase::Waiting:
        return (m_run->killedWrites() == 1
                    ? tr("The writer was killed during 1 write. ")
                    : tr("The writer was killed during %n writes. ", nullptr, m_run->killedWrites()))
             + tr("%1 of %2 keys have ended.")
                   .arg(locale.toString(m_run->meter()->over()), locale.toString(m_run->meter()->ending()));
    case Phase::Cleaning:
        return tr("Removing the remaining keys…");
    case Phase::Over:
        break;
    }
    if (m_run->error())
        return widgets::fullSentence(m_run->error()->message());
    if (m_run->isCancelled())
        return tr("Cancelled.");
    const auto &trips = m_run->meter()->roundTrips();
    const double trip = std::chrono::duration<double, std::milli>(trips.quantile(0.99)).count();
    return tr("%1 keys were planned, and the writer was killed during %2 writes. The error of the delays is 1 ms plus "
              "half a round trip (p99 %3 ms).")
        .arg(keys, locale.toString(m_run->killedWrites()), locale.toString(trip, 'f', 2));
}

void ExperimentPanel::showProgress()
{
    m_status->setText(phaseText());
    m_progress->setVisible(isRunning());
    if (!isRunning())
        return;
    // The first half is writing, the second half the expiry of the keys.
    const int keys = m_run->plan().keyCount();
    const ExpiryMeter *meter = m_run->meter();
    const int ending = meter == nullptr ? 0 : std::max(1, meter->ending());
    const bool isWaiting = m_run->phase() == Phase::Waiting;
    m_progress->setRange(0, 1000);
    m_progress->setValue(isWaiting ? 500 + static_cast<int>(500LL * meter->over() / ending)
                                   : static_cast<int>(500LL * m_run->written() / keys));
    if (isWaiting)
        showLateness();
}

void ExperimentPanel::showCounts()
{
    for (int row = 0; row < m_recipes->rowCount(); ++row) {
        for (int column = LeftColumn; column < ColumnCount; ++column)
            m_recipes->item(row, column)->setText(QString());
    }
    if (!m_run || m_run->phase() < Phase::Waiting)
        return;
    for (const LabRun::RecipeCounts &counts : m_run->recipeCounts()) {
        const auto found = m_recipes->findItems(counts.recipe);
        if (found.isEmpty() || counts.keys == 0)
            continue;
        const int row = found.front()->row();
        m_recipes->item(row, LeftColumn)->setText(QLocale().toString(counts.persistent + counts.empty));
        const std::vector<PromiseVerdict> verdicts = latchkey::lab::verdictsOn(counts);
        showVerdict(row, DataColumn, verdicts[0]);
        showVerdict(row, KeyColumn, verdicts[1]);
    }
}

void ExperimentPanel::showVerdict(int row, int column, const PromiseVerdict &verdict)
{
    const theme::Theme &theme = m_appearance.theme();
    QStandardItem *item = m_recipes->item(row, column);
    const QString claim = verdict.isClaimed ? tr("claimed") : tr("not claimed");
    item->setText(verdict.broken > 0 ? tr("%1, BROKEN").arg(claim) : tr("%1, holds").arg(claim));
    item->setToolTip(verdict.text.toString());
    item->setForeground(verdict.broken == 0 ? theme.good : verdict.isClaimed ? theme.critical : theme.warning);
}

void ExperimentPanel::showLateness()
{
    const ExpiryMeter *meter = m_run ? m_run->meter() : nullptr;
    // Sorts the delays in the meter, so that their copies need not be sorted.
    if (meter != nullptr)
        (void)(meter->readDelays().quantile(0) + meter->eventDelays().quantile(0));
    const QString nothing = tr("Distribution of the delay after which keys expire.");
    m_toReader->setLateness(meter == nullptr ? latchkey::lab::DelayStatistics() : meter->readDelays(), nothing);
    m_toEvent->setLateness(meter == nullptr ? latchkey::lab::DelayStatistics() : meter->eventDelays(),
                           meter != nullptr && m_run->phase() > Phase::Writing && !meter->receivesEvents()
                               ? tr("This server sends no expired events (notify-keyspace-events).")
                               : nothing);
}

void ExperimentPanel::showRecipe()
{
    const QString id = m_recipes->item(std::max(0, m_list->currentIndex().row()), RecipeColumn)->text();
    const caches::Recipe &recipe = **caches::findRecipe(id);
    m_title->setText(recipe.title.toString());
    m_about->setText(recipe.flaw.isEmpty() ? recipe.summary.toString()
                                           : recipe.summary.toString() + u' ' + recipe.flaw.toString());
    const bool isMeasured = m_run && m_run->phase() >= Phase::Waiting && m_run->meter() != nullptr;
    m_left->setVisible(isMeasured && m_run->plan().recipes.contains(id));
    if (!m_left->isHidden())
        m_left->setText(leftText(id));
}

QString ExperimentPanel::leftText(const QString &recipe) const
{
    const Plan &plan = m_run->plan();
    QStringList names;
    int count = 0;
    const auto first = static_cast<int>(plan.recipes.indexOf(recipe)) * plan.keysOfEach;
    for (int key = first; key < first + plan.keysOfEach; ++key) {
        const auto kind = m_run->meter()->outcomeOf(key).kind;
        if (kind != ExpiryMeter::KeyOutcome::Kind::Persistent && kind != ExpiryMeter::KeyOutcome::Kind::Empty)
            continue;
        if (++count <= maxNamed)
            names += base::printable(plan.keyOf(key).bytes());
    }
    if (count == 0)
        return tr("%1 left no key without an expiry.").arg(recipe);
    if (count > maxNamed)
        names += tr("…");
    return (count == 1 ? tr("1 key without an expiry: %1") : tr("%n keys without an expiry: %1", nullptr, count))
        .arg(names.join(QStringLiteral(", ")));
}

} // namespace latchkey::ui::lab
