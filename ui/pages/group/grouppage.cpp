#include "ui/pages/group/grouppage.h"

#include "ui/kit/widgets/indenteddelegate.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/kit/widgets/taborder.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace latchkey::ui::group {

using voting::GroupLocks;
using namespace std::chrono_literals;

namespace {

/// Interval of the countdowns.
constexpr auto countdownInterval = 200ms;

} // namespace

GroupPage::GroupPage(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_clock(clock)
    , m_title(new QLabel(tr("Group"), this))
    , m_counts(widgets::makePlainLabel(QStringLiteral("secondary"), {}, this))
    , m_filter(new QLineEdit(this))
    , m_choose(new QPushButton(tr("Choose a group…"), this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("patternProblem"), {}, this))
    , m_table(new QTableView(this))
    , m_selected(widgets::makePlainLabel(QStringLiteral("groupSelected"), {}, this))
    , m_selectedArea(new QScrollArea(this))
    , m_empty(new widgets::EmptyState(appearance, m_table))
{
    setUpTable();
    setUpSorting();
    setUpLayout();
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_filtered.setFilterFixedString(text);
        showState();
    });
    connect(m_table->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
        if (!m_isFitting)
            m_fixedColumns.insert(column);
    });
    connect(m_choose, &QPushButton::clicked, this, &GroupPage::groupsRequested);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &GroupPage::showSelected);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &GroupPage::showState);
    connect(&m_appearance, &theme::Appearance::changed, this, [this] { m_table->viewport()->update(); });
    m_countdown.callOnTimeout(this, [this] {
        if (!isVisible())
            return;
        m_table->viewport()->update();
        showState();
    });
    m_countdown.start(countdownInterval);
    showGroup();
}

GroupPage::~GroupPage()
{
    m_filtered.setSourceModel(nullptr);
}

void GroupPage::setUpTable()
{
    m_filtered.setFilterKeyColumn(GroupTableModel::KeyColumn);
    m_filtered.setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_table->setObjectName(QStringLiteral("groupTable"));
    m_table->setAccessibleName(tr("Locks of the group"));
    m_table->setModel(&m_filtered);
    m_table->setItemDelegate(new widgets::IndentedDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setResizeContentsPrecision(0); // Only the rows on screen are measured.
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

/// Sorts by a click on a header, or by Alt and the number of the column, as in the table of keys. Initially, the locks
/// are sorted by their keys.
void GroupPage::setUpSorting()
{
    constexpr int digits = 9;
    m_filtered.setSortRole(GroupTableModel::SortRole);
    m_table->horizontalHeader()->setSortIndicator(GroupTableModel::KeyColumn, Qt::AscendingOrder);
    m_table->setSortingEnabled(true);
    for (int column = 0; column < digits; ++column) {
        auto *action = new QAction(this);
        action->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + column)));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, [this, column] { sortBy(column); });
        addAction(action);
    }
}

/// Sorts by a column, or reverses the order if it is sorted by that column.
void GroupPage::sortBy(int column)
{
    if (column >= m_filtered.columnCount())
        return;
    const QHeaderView *header = m_table->horizontalHeader();
    const bool reverses =
        header->sortIndicatorSection() == column && header->sortIndicatorOrder() == Qt::AscendingOrder;
    m_table->sortByColumn(column, reverses ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void GroupPage::setUpLayout()
{
    m_title->setObjectName(QStringLiteral("pageTitle"));
    m_counts->setProperty("testName", QStringLiteral("groupCounts"));
    m_filter->setObjectName(QStringLiteral("groupFilter"));
    m_filter->setPlaceholderText(tr("Part of a key"));
    m_filter->setAccessibleName(tr("Filter the locks of the group"));
    m_filter->setClearButtonEnabled(true);
    m_choose->setObjectName(QStringLiteral("groupChoose"));
    m_problem->setProperty("testName", QStringLiteral("groupProblem"));
    m_problem->setWordWrap(true);
    m_selected->setWordWrap(true);
    m_selected->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_selected->setMargin(12);
    m_selectedArea->setObjectName(QStringLiteral("detailScroll"));
    m_selectedArea->setAccessibleName(tr("Votes for the selected lock"));
    m_selectedArea->setWidgetResizable(true);
    m_selectedArea->setFocusPolicy(Qt::StrongFocus);
    m_selectedArea->setWidget(m_selected);
    m_selectedArea->setFixedHeight(fontMetrics().lineSpacing() * 9);
    auto *line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(m_title);
    line->addWidget(m_counts);
    line->addStretch(1);
    line->addWidget(m_filter, 1);
    line->addWidget(m_choose);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    layout->addLayout(line);
    layout->addWidget(m_problem);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_selectedArea);
    widgets::tabInLayoutOrder(*layout);
}

void GroupPage::setGroup(Group group)
{
    m_filtered.setSourceModel(nullptr);
    m_model.reset();
    m_locks.reset();
    m_name = std::move(group.name);
    if (!group.watched.empty()) {
        m_locks = std::make_unique<GroupLocks>(std::move(group.watched), m_clock);
        m_model = std::make_unique<GroupTableModel>(*m_locks, std::move(group.servers), m_appearance, m_clock);
        m_filtered.setSourceModel(m_model.get());
        connect(m_locks.get(), &GroupLocks::serversChanged, this, &GroupPage::showState);
        connect(m_locks.get(), &GroupLocks::changed, this, &GroupPage::showSelected);
    }
    showGroup();
}

void GroupPage::showGroup()
{
    m_fixedColumns.clear();
    m_widths.clear();
    for (int column = 0; m_model != nullptr && column < m_model->columnCount(); ++column)
        setWidth(column, m_table->horizontalHeader()->minimumSectionSize());
    m_filter->setEnabled(m_model != nullptr);
    showState();
    showSelected();
}

void GroupPage::setWidth(int column, int width)
{
    const QScopedValueRollback<bool> rollback(m_isFitting, true);
    m_table->setColumnWidth(column, width);
}

std::vector<int> GroupPage::wantedWidths() const
{
    const QAbstractItemView &view = *m_table;
    const int character = QFontMetrics(m_appearance.monospaced()).averageCharWidth();
    std::vector<int> widths;
    for (int column = 0; m_model != nullptr && column < m_model->columnCount(); ++column) {
        const int maximum = character
                          * (column == GroupTableModel::KeyColumn      ? 40
                             : column == GroupTableModel::HolderColumn ? 14
                                                                       : 26);
        widths.push_back(std::min(
            maximum, std::max(view.sizeHintForColumn(column), m_table->horizontalHeader()->sectionSizeHint(column))));
    }
    return widths;
}

/// Returns the widths down to which columns shrink in a narrow window: titles and numbers stay readable.
std::vector<int> GroupPage::minimumWidths() const
{
    const int character = QFontMetrics(m_appearance.monospaced()).averageCharWidth();
    std::vector<int> widths;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const int characters = column == GroupTableModel::KeyColumn         ? 20
                             : column == GroupTableModel::VotesColumn       ? 18
                             : column >= GroupTableModel::FirstServerColumn ? 12
                                                                            : 10;
        widths.push_back(std::max(characters * character, m_table->horizontalHeader()->sectionSizeHint(column)));
    }
    return widths;
}

/// Fits the columns to their texts, up to a limit. Small changes do not move them, so that they keep their places while
/// the times count down. If the window is too narrow for all of them, the texts that are also shown below are cut:
/// kind, holder, then those of the servers and the key. A column that the user has resized keeps its width.
void GroupPage::fitColumns()
{
    if (m_model == nullptr)
        return;
    const int character = QFontMetrics(m_appearance.monospaced()).averageCharWidth();
    const std::vector<int> wanted = wantedWidths();
    m_widths.resize(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] > m_widths[i] || m_widths[i] - wanted[i] > 6 * character)
            m_widths[i] = wanted[i];
        if (m_fixedColumns.contains(static_cast<int>(i)))
            m_widths[i] = m_table->columnWidth(static_cast<int>(i));
    }
    std::vector<int> widths = m_widths;
    const std::vector<int> minimum = minimumWidths();
    int excess = std::accumulate(widths.begin(), widths.end(), 0) - m_table->viewport()->width();
    std::vector<std::size_t> shrinking {GroupTableModel::KindColumn, GroupTableModel::HolderColumn};
    for (std::size_t i = GroupTableModel::FirstServerColumn; i < widths.size(); ++i)
        shrinking.push_back(i);
    shrinking.insert(shrinking.end(), {GroupTableModel::KeyColumn, GroupTableModel::VotesColumn});
    for (const std::size_t column : shrinking) {
        if (m_fixedColumns.contains(static_cast<int>(column)))
            continue;
        const int cut = std::clamp(excess, 0, std::max(widths[column] - minimum[column], 0));
        widths[column] -= cut;
        excess -= cut;
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
        if (m_table->columnWidth(static_cast<int>(i)) != widths[i])
            setWidth(static_cast<int>(i), widths[i]);
    }
}

QStringList GroupPage::serverProblems() const
{
    QStringList sentences;
    for (std::size_t i = 0; i < m_locks->serverCount(); ++i) {
        if (const auto silence = m_locks->missingVoteOf(i))
            sentences += GroupTexts::silence(m_model->names()[static_cast<qsizetype>(i)], *silence, m_clock.now());
        else if (m_locks->isUndescribed(i))
            sentences += GroupTexts::undescribed(m_model->names()[static_cast<qsizetype>(i)]);
    }
    return sentences;
}

void GroupPage::showState()
{
    QString problem;
    QString counts;
    if (m_locks != nullptr) {
        problem = m_locks->dependence() ? widgets::fullSentence(m_locks->dependence()->message())
                                        : serverProblems().join(u'\n');
        counts = tr("%1: %n servers", nullptr, static_cast<int>(m_locks->serverCount())).arg(m_name) + tr(", ")
               + tr("%n locks", nullptr, static_cast<int>(m_locks->count()));
    }
    if (m_problem->text() != problem)
        m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    if (m_counts->text() != counts)
        m_counts->setText(counts);
    fitColumns();
    showEmptyState();
    showSelected();
}

/// Shows why there is no row. "No lock" needs all servers to be read to the end.
void GroupPage::showEmptyState()
{
    if (m_filtered.rowCount() > 0 && !m_locks->dependence()) {
        m_emptyText.clear();
        return m_empty->hide();
    }
    const auto show = [this](const QString &title, const QString &text, bool offersGroups) {
        if (std::exchange(m_emptyText, title + text) == title + text)
            return;
        m_empty->show(QStringLiteral("server"), title, text, offersGroups ? tr("Choose a group…") : QString(),
                      [this] { Q_EMIT groupsRequested(); });
    };
    if (m_locks == nullptr)
        return show(tr("No group is open"),
                    tr("A redlock group is a set of independent servers that vote for the holders of locks. Choose one "
                       "in the list of servers, or create one there."),
                    true);
    if (m_locks->dependence())
        return show(
            tr("The servers are not independent"),
            tr("Their votes would be counted twice. Change the group in the list of servers, and open it again."),
            true);
    if (m_locks->count() > 0)
        return show(tr("No lock matches the filter"), tr("Clear the filter to see all locks."), false);
    std::size_t read = 0;
    for (std::size_t i = 0; i < m_locks->serverCount(); ++i)
        read += m_locks->isFullyScanned(i) ? std::size_t(1) : std::size_t(0);
    if (read < m_locks->serverCount())
        return show(tr("No lock was found yet"),
                    tr("%1 of %2 servers were read to the end. The others may have locks.")
                        .arg(read)
                        .arg(m_locks->serverCount()),
                    false);
    show(tr("No locks"), tr("No server of the group has a lock. A new one appears here."), false);
}

/// Shows a sentence about the selected lock, and one about each server.
void GroupPage::showSelected()
{
    const QModelIndexList selected = m_table->selectionModel()->selectedRows();
    QStringList sentences;
    if (m_locks != nullptr && !selected.isEmpty()) {
        const GroupTexts::Lock &lock = m_locks->at(m_filtered.mapToSource(selected.front()).row());
        const base::MonotonicTime now = m_clock.now();
        sentences += GroupTexts::answer(lock, now);
        for (std::size_t i = 0; i < m_locks->serverCount(); ++i)
            sentences += GroupTexts::serverSentence(lock, i, m_model->names()[static_cast<qsizetype>(i)], now);
    } else if (m_filtered.rowCount() > 0) {
        sentences += tr("Select a lock to see the vote of each server.");
    }
    const QString text = sentences.join(u'\n');
    if (m_selected->text() != text)
        m_selected->setText(text);
    m_selectedArea->setVisible(!text.isEmpty());
}

void GroupPage::takeFocus()
{
    if (m_filtered.rowCount() > 0)
        m_table->setFocus(Qt::OtherFocusReason);
    else
        m_choose->setFocus(Qt::OtherFocusReason);
}

void GroupPage::editFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

} // namespace latchkey::ui::group
