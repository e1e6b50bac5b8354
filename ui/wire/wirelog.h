#pragma once

#include "ui/theme/appearance.h"
#include "ui/wire/wirefold.h"

#include <QAbstractListModel>
#include <QListView>
#include <QTimer>

#include <vector>

namespace latchkey::ui::wire {

/// The lines of a WireFold as rows. Owned by its view.
class WireModel final : public QAbstractListModel
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WireModel)

public:
    using QAbstractListModel::QAbstractListModel;

    void add(WireLine line);
    void clear();
    void closeAct(const QString &client) { m_fold.closeAct(client); }
    [[nodiscard]] const WireLine &line(int row) const { return m_fold.lines()[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    /// The whole line as text, and the same as a tool tip.
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;

private:
    WireFold m_fold;
};

/// What clients say to the server, a line each: who, the command, and always the reply, which is what people look for:
/// of a long line the middle of the command gives way. Follows the end unless somebody has scrolled up or chosen a
/// line. Owned by its parent; the appearance is not owned.
class WireLog final : public QListView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WireLog)

public:
    explicit WireLog(theme::Appearance &appearance, QWidget *parent = nullptr);

    /// reply: empty where nobody knows it.
    void add(const QString &client, const QString &command, const QString &reply);
    void clear();
    [[nodiscard]] bool isEmpty() const { return m_model->rowCount() == 0 && m_new.empty(); }
    /// What the client says from now on belongs to something new, and is not folded with what it said before.
    void closeAct(const QString &client);

private:
    void showNew();
    void copyChosen() const;

    /// Something said, or the end of what a client was at.
    struct New
    {
        WireLine line;
        bool isEnd = false;
    };

    WireModel *m_model;
    std::vector<New> m_new; ///< Not among the rows yet.
    QTimer m_soon;          ///< What comes meanwhile is shown together.
};

} // namespace latchkey::ui::wire
