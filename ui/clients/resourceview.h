#pragma once

#include "core/base/bytes.h"
#include "core/stage/resource.h"

#include <QFrame>

#include <map>
#include <optional>

class QLabel;

namespace latchkey::ui::clients {

class Saying;

/// What locks are there to protect: who is inside with which of them, and whose writes have been taken and refused. Red
/// while more than one is inside with the same lock. Owned by its page.
class ResourceView final : public QFrame
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ResourceView)

public:
    explicit ResourceView(QWidget *parent = nullptr);

    /// Who believes that a lock is theirs, by its key.
    void showInside(const std::map<base::Key, QStringList> &inside);
    void showWrites(const stage::Resource &resource);
    [[nodiscard]] bool isViolated() const { return m_count > 1; }

private:
    std::optional<std::map<base::Key, QStringList>> m_inside; ///< As it is shown; absent: nothing is yet.
    qsizetype m_count = 0;                                    ///< The most that are inside with one lock.
    QLabel *m_number;
    Saying *m_who;
    QLabel *m_writes;
};

} // namespace latchkey::ui::clients
