#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/views/commandlog/foldedcommandlog.h"

#include <QAbstractListModel>
#include <QListView>
#include <QTimer>

#include <vector>

namespace latchkey::ui::commandlog {

/// A list model of the lines of a FoldedCommandLog. Owned by its view.
class CommandLogModel final : public QAbstractListModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CommandLogModel)

public:
    using QAbstractListModel::QAbstractListModel;

    void add(CommandLogLine line);
    void clear();
    void closeOperation(const QString &client) { m_fold.closeOperation(client); }
    [[nodiscard]] const CommandLogLine &line(int row) const { return m_fold.lines()[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    /// Returns the whole line as text, and also as a tool tip.
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;

private:
    FoldedCommandLog m_fold;
};

/// A log of the commands of clients, one line each: client, command and reply. If a line is too long, the middle of the
/// command is cut, so that the reply stays visible. The view follows the end unless the user has scrolled up or
/// selected a line. Owned by its parent. The appearance is not owned.
class CommandLogView final : public QListView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CommandLogView)

public:
    explicit CommandLogView(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// Adds a command. `reply`: empty if unknown.
    void add(const QString &client, const QString &command, const QString &reply);
    void clear();
    [[nodiscard]] bool isEmpty() const { return m_model->rowCount() == 0 && m_new.empty(); }
    /// Ends the current operation of a client. Later commands of the client are not folded with earlier ones.
    void closeOperation(const QString &client);

private:
    void showNew();
    void copyChosen() const;

    /// A pending command, or the end of an operation.
    struct New
    {
        CommandLogLine line;
        bool isEnd = false;
    };

    CommandLogModel *m_model;
    std::vector<New> m_new; ///< Lines that are not in the model yet.
    QTimer m_updateTimer;   ///< Delay during which lines are collected for one update.
};

} // namespace latchkey::ui::commandlog
