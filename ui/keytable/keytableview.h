#pragma once

#include "ui/keytable/countdownticker.h"
#include "ui/keytable/keytablemodel.h"
#include "ui/theme/appearance.h"

#include <QTableView>

namespace latchkey::ui::keytable {

/// A table of leases that counts down: columns, delegates, and the ticker that keeps it moving.
///
/// Used wherever leases are shown. It is given a store and makes the model for it.
/// Owned by a page; appearance and clock are not owned, the store must outlive its being shown.
class KeyTableView final : public QTableView
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTableView)

public:
    KeyTableView(theme::Appearance &appearance, const base::Clock &clock, QWidget *parent = nullptr);
    ~KeyTableView() override;

    /// Shows these leases; null: none.
    void setStore(rows::RowStore *store);
    [[nodiscard]] KeyTableModel *keyModel() const { return m_model.get(); }

    /// The leases of the chosen rows, from the top, at most so many.
    [[nodiscard]] std::vector<keys::KeyId> chosen(std::size_t most) const;
    [[nodiscard]] int chosenCount() const;
    /// Only keys, values and the time left, for a narrow place.
    void setCompact(bool isCompact);
    [[nodiscard]] const CountdownTicker &ticker() const { return *m_ticker; }

Q_SIGNALS:
    /// What is chosen has changed, or may have.
    void choiceChanged();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void setUpColumns();
    void fitTimeLeft();
    void setUpDelegates();

    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    std::unique_ptr<KeyTableModel> m_model;
    CountdownTicker *m_ticker;
    bool m_isCompact = false;
};

} // namespace latchkey::ui::keytable
