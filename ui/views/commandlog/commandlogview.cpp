#include "ui/views/commandlog/commandlogview.h"

#include "ui/kit/widgets/plaintext.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>

namespace latchkey::ui::commandlog {

namespace {

constexpr int sideMargin = 8;
constexpr int gap = 8;
constexpr int verticalMargin = 3;
const QString arrow = QStringLiteral("\u2192 ");
/// Interval of updates: 20 waiting clients send about 400 commands a second.
constexpr std::chrono::milliseconds showInterval {120};

/// A delegate for client, command, reply and count.
class WireDelegate final : public QStyledItemDelegate
{
public:
    WireDelegate(const CommandLogModel &model, theme::Appearance &appearance, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_model(model)
        , m_appearance(appearance)
    {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const theme::Theme &theme = m_appearance.theme();
        const CommandLogLine &line = m_model.line(index.row());
        const bool isChosen = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->fillRect(option.rect, isChosen ? theme.accentSoft : theme.surface);
        painter->setFont(option.font);
        // Commands run from left to right in every language.
        painter->setLayoutDirection(Qt::LeftToRight);
        QRect rect = option.rect.adjusted(sideMargin, 0, -sideMargin, 0);
        const auto put = [&](const QString &text, const QColor &colour, Qt::TextElideMode elide, int maxWidth) {
            const QString fitting = painter->fontMetrics().elidedText(text, elide, maxWidth);
            painter->setPen(colour);
            painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, fitting);
            rect.setLeft(rect.left() + painter->fontMetrics().horizontalAdvance(fitting) + gap);
        };
        const QString times = line.count > 1 ? QStringLiteral("\u00d7 %1").arg(line.count) : QString();
        if (!times.isEmpty()) {
            painter->setPen(theme.accent);
            painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, times);
            rect.setRight(rect.right() - painter->fontMetrics().horizontalAdvance(times) - gap);
        }
        put(line.client, theme.muted, Qt::ElideRight, rect.width() / 4);
        const QString reply = line.reply.isEmpty() ? QString() : arrow + line.reply;
        const int replyWidth = std::min(painter->fontMetrics().horizontalAdvance(reply), rect.width() / 2);
        put(line.command, theme.text, Qt::ElideMiddle, rect.width() - gap - replyWidth);
        put(reply, theme.muted, Qt::ElideRight, rect.width());
        painter->restore();
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {100, QFontMetrics(option.font).height() + 2 * verticalMargin};
    }

private:
    const CommandLogModel &m_model;  // Not owned.
    theme::Appearance &m_appearance; // Not owned.
};

QString wholeLine(const CommandLogLine &line)
{
    QString text = QStringLiteral("%1  %2").arg(line.client, line.command);
    if (!line.reply.isEmpty())
        text += u' ' + arrow + line.reply;
    return line.count > 1 ? QStringLiteral("%1  \u00d7 %2").arg(text, QString::number(line.count)) : text;
}

} // namespace

void CommandLogModel::add(CommandLogLine line)
{
    if (const auto earlier = m_fold.repeated(line)) {
        m_fold.add(std::move(line));
        const QModelIndex changed = index(static_cast<int>(*earlier));
        Q_EMIT dataChanged(changed, changed);
        return;
    }
    if (m_fold.lines().size() == FoldedCommandLog::maxLines) {
        beginRemoveRows({}, 0, 0);
        m_fold.removeFirst();
        endRemoveRows();
    }
    const int row = static_cast<int>(m_fold.lines().size());
    beginInsertRows({}, row, row);
    m_fold.add(std::move(line));
    endInsertRows();
}

void CommandLogModel::clear()
{
    if (m_fold.lines().empty())
        return;
    beginRemoveRows({}, 0, static_cast<int>(m_fold.lines().size()) - 1);
    m_fold = FoldedCommandLog();
    endRemoveRows();
}

int CommandLogModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_fold.lines().size());
}

QVariant CommandLogModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::DisplayRole)
        return wholeLine(line(index.row()));
    if (role == Qt::ToolTipRole)
        return widgets::toolTipText(wholeLine(line(index.row())));
    return {};
}

CommandLogView::CommandLogView(theme::Appearance &appearance, QWidget *parent)
    : QListView(parent)
    , m_model(new CommandLogModel(this))
{
    setObjectName(QStringLiteral("wire"));
    setAccessibleName(tr("Commands and replies"));
    setFrameShape(QFrame::NoFrame);
    setUniformItemSizes(true);
    setSelectionMode(ExtendedSelection);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setModel(m_model);
    m_updateTimer.setSingleShot(true);
    m_updateTimer.setInterval(showInterval);
    connect(&m_updateTimer, &QTimer::timeout, this, &CommandLogView::showNew);
    setItemDelegate(new WireDelegate(*m_model, appearance, this));
    auto *copy = new QAction(tr("Copy"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &CommandLogView::copyChosen);
    addAction(copy);
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

void CommandLogView::add(const QString &client, const QString &command, const QString &reply)
{
    m_new.push_back({{client, command, reply}, false});
    if (!m_updateTimer.isActive())
        m_updateTimer.start();
}

void CommandLogView::closeOperation(const QString &client)
{
    if (m_new.empty())
        m_model->closeOperation(client);
    else
        m_new.push_back({{client, {}, {}}, true}); // Queued after the earlier commands of the client.
}

void CommandLogView::clear()
{
    m_new.clear();
    m_model->clear();
}

/// Adds the pending lines together, because new rows cause a layout of the list.
void CommandLogView::showNew()
{
    const bool isAtEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum();
    for (New &each : m_new) {
        if (each.isEnd)
            m_model->closeOperation(each.line.client);
        else
            m_model->add(std::move(each.line));
    }
    m_new.clear();
    if (isAtEnd && isVisible() && !selectionModel()->hasSelection())
        scrollToBottom();
}

void CommandLogView::copyChosen() const
{
    QModelIndexList chosen = selectionModel()->selectedRows();
    std::sort(chosen.begin(), chosen.end());
    QStringList lines;
    for (const QModelIndex &index : chosen)
        lines += index.data().toString();
    if (!lines.isEmpty())
        QGuiApplication::clipboard()->setText(lines.join(u'\n'));
}

} // namespace latchkey::ui::commandlog
