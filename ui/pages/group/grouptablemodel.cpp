#include "ui/pages/group/grouptablemodel.h"

#include "core/foundation/base/bytes.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/keytable/kindtitle.h"

#include <limits>

namespace latchkey::ui::group {

using voting::GroupLocks;
using voting::LockVotes;

namespace {

std::size_t serverOf(int column)
{
    return static_cast<std::size_t>(column - GroupTableModel::FirstServerColumn);
}

} // namespace

GroupTableModel::GroupTableModel(GroupLocks &locks, QStringList names, theme::Appearance &appearance,
                                 const base::Clock &clock, QObject *parent)
    : QAbstractTableModel(parent)
    , m_locks(locks)
    , m_names(std::move(names))
    , m_appearance(appearance)
    , m_clock(clock)
{
    connect(&m_locks, &GroupLocks::aboutToInsert, this, [this](int row) { beginInsertRows({}, row, row); });
    connect(&m_locks, &GroupLocks::inserted, this, &GroupTableModel::endInsertRows);
    connect(&m_locks, &GroupLocks::aboutToRemove, this, [this](int row) { beginRemoveRows({}, row, row); });
    connect(&m_locks, &GroupLocks::removed, this, &GroupTableModel::endRemoveRows);
    connect(&m_locks, &GroupLocks::changed, this,
            [this](int row) { Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1)); });
    connect(&m_locks, &GroupLocks::serversChanged, this,
            [this] { Q_EMIT headerDataChanged(Qt::Horizontal, FirstServerColumn, columnCount() - 1); });
}

int GroupTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_locks.count());
}

int GroupTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : FirstServerColumn + static_cast<int>(m_locks.serverCount());
}

QVariant GroupTableModel::data(const QModelIndex &index, int role) const
{
    const GroupTexts::Lock &lock = m_locks.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(lock, index.column());
    case Qt::ToolTipRole:
        return widgets::toolTipText(fullText(lock, index.column()));
    case Qt::AccessibleTextRole:
        return fullText(lock, index.column());
    case SortRole:
        return sortValue(lock, index.column());
    case Qt::ForegroundRole:
        return colour(lock, index.column());
    case Qt::FontRole:
        return index.column() == KindColumn || index.column() == VotesColumn ? QVariant()
                                                                             : QVariant(m_appearance.monospaced());
    default:
        return {};
    }
}

/// Servers without a time come first, those that need attention before them: unknown, no key, other holder.
QVariant GroupTableModel::sortValue(const GroupTexts::Lock &lock, int column) const
{
    const auto endOf = [](const base::Deadline &end) {
        return end.isNever() ? std::numeric_limits<qint64>::max() : qint64(end.at().time_since_epoch().count());
    };
    if (column == VotesColumn)
        return QVariant::fromValue(static_cast<qint64>(lock.votes.votes()));
    if (column == ValidColumn) {
        if (const auto until = lock.votes.validUntil(m_clock.now()))
            return QVariant::fromValue(qint64(until->time_since_epoch().count()));
        const auto end = lock.votes.majorityEnd();
        return QVariant::fromValue(end ? endOf(*end) : -1);
    }
    if (column < FirstServerColumn)
        return text(lock, column);
    switch (lock.votes.voteOf(serverOf(column))) {
    case LockVotes::Vote::Unknown:
        return QVariant::fromValue(qint64(-3));
    case LockVotes::Vote::NoKey:
        return QVariant::fromValue(qint64(-2));
    case LockVotes::Vote::OtherHolder:
        return QVariant::fromValue(qint64(-1));
    case LockVotes::Vote::Holds:
        return QVariant::fromValue(endOf(lock.votes.reply(serverOf(column)).deadline));
    }
    Q_UNREACHABLE();
}

QString GroupTableModel::text(const GroupTexts::Lock &lock, int column) const
{
    switch (column) {
    case KeyColumn:
        return base::printable(lock.key);
    case KindColumn:
        return lock.analysis.title.isEmpty() ? QStringLiteral("–") : keytable::shortKindTitle(lock.analysis);
    case HolderColumn:
        return lock.votes.holder() ? GroupTexts::holder(lock) : QStringLiteral("–");
    case VotesColumn:
        return GroupTexts::votes(lock);
    case ValidColumn:
        return GroupTexts::validity(lock, m_clock.now());
    default:
        return GroupTexts::serverCell(lock, serverOf(column), m_clock.now());
    }
}

QString GroupTableModel::fullText(const GroupTexts::Lock &lock, int column) const
{
    if (column >= FirstServerColumn)
        return GroupTexts::serverSentence(lock, serverOf(column), m_names[column - FirstServerColumn], m_clock.now());
    if (column == VotesColumn || column == ValidColumn)
        return GroupTexts::answer(lock, m_clock.now());
    if (column == KindColumn && !lock.analysis.title.isEmpty())
        return keytable::kindTitle(lock.analysis);
    return text(lock, column);
}

/// Returns red for a server that disagrees or is silent, and for a lock without a majority. The text states the same.
QVariant GroupTableModel::colour(const GroupTexts::Lock &lock, int column) const
{
    const theme::Theme &theme = m_appearance.theme();
    if (column == VotesColumn)
        return lock.votes.hasMajority() == true ? QVariant() : QVariant(theme.critical);
    if (column < FirstServerColumn)
        return {};
    switch (lock.votes.voteOf(serverOf(column))) {
    case LockVotes::Vote::Holds:
        return {};
    case LockVotes::Vote::OtherHolder:
    case LockVotes::Vote::NoKey:
        return theme.critical;
    case LockVotes::Vote::Unknown:
        return lock.missingVotes[serverOf(column)].since ? theme.critical : theme.muted;
    }
    Q_UNREACHABLE();
}

QVariant GroupTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (section >= FirstServerColumn) {
        const QString &name = m_names[section - FirstServerColumn];
        const auto silence = m_locks.missingVoteOf(serverOf(section));
        if (role == Qt::DisplayRole)
            return silence ? tr("%1 (silent)").arg(name) : name;
        if (role == Qt::ToolTipRole)
            return widgets::toolTipText(silence ? GroupTexts::silence(name, *silence, m_clock.now())
                                                : m_locks.server(serverOf(section)).endpoint().display());
        return {};
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case KeyColumn:
        return tr("Key");
    case KindColumn:
        return tr("Kind");
    case HolderColumn:
        return tr("Holder");
    case VotesColumn:
        return tr("Votes");
    case ValidColumn:
        return tr("Valid for");
    case FirstServerColumn:
        break;
    }
    return {};
}

} // namespace latchkey::ui::group
