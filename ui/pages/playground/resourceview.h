#pragma once

#include "core/playground/scenarios/resource.h"
#include "ui/pages/playground/believedholder.h"

#include <QFrame>

#include <optional>

class QLabel;

namespace latchkey::ui::playground {

class StableLabel;

/// A view of the resource that locks protect: the clients inside per lock, and accepted and refused writes. It is red
/// while several clients are inside with the same lock, and never green while a client wrongly believes that it holds
/// a lock. Owned by its page.
class ResourceView final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ResourceView)

public:
    explicit ResourceView(QWidget *parent = nullptr);

    /// Shows the clients that believe that they hold a lock, by key.
    void showHolders(const BelievedHolders &inside);
    void showWrites(const scenarios::Resource &resource);
    [[nodiscard]] bool isViolated() const { return m_count > 1; }

private:
    [[nodiscard]] static QString nameOf(const BelievedHolder &insider);

    std::optional<BelievedHolders> m_inside; ///< Shown clients; absent before the first call.
    std::size_t m_count = 0;                 ///< Largest number of clients inside with one lock.
    QLabel *m_number;
    StableLabel *m_who;
    QLabel *m_writes;
};

} // namespace latchkey::ui::playground
