#pragma once

#include "core/stage/resource.h"
#include "ui/clients/insider.h"

#include <QFrame>

#include <optional>

class QLabel;

namespace latchkey::ui::clients {

class Saying;

/// What locks are there to protect: who is inside with which of them, and whose writes have been taken and refused. Red
/// while more than one is inside with the same lock, and never green while one of them is mistaken. Owned by its page.
class ResourceView final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ResourceView)

public:
    explicit ResourceView(QWidget *parent = nullptr);

    /// Clients that believe that a lock is theirs, by its key.
    void showInside(const Insiders &inside);
    void showWrites(const stage::Resource &resource);
    [[nodiscard]] bool isViolated() const { return m_count > 1; }

private:
    [[nodiscard]] static QString nameOf(const Insider &insider);

    std::optional<Insiders> m_inside; ///< As it is shown; absent: nothing is yet.
    std::size_t m_count = 0;          ///< The most that are inside with one lock.
    QLabel *m_number;
    Saying *m_who;
    QLabel *m_writes;
};

} // namespace latchkey::ui::clients
