#pragma once

#include "core/base/bytes.h"
#include "core/stage/resource.h"

#include <QFrame>

#include <map>

class QLabel;

namespace latchkey::ui::clients {

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
    qsizetype m_count = -1; ///< The most that are inside with one lock.
    QLabel *m_number;
    QLabel *m_who;
    QLabel *m_writes;
};

} // namespace latchkey::ui::clients
