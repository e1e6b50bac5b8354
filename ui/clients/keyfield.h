#pragma once

#include "core/base/bytes.h"

#include <QLineEdit>

class QAction;

namespace latchkey::ui::clients {

/// A field for a key.
///
/// It shows the key itself where that is text; what is typed here is the key. A key that is no text (bytes that are not
/// UTF-8, control characters, marks that turn the direction of writing) cannot be shown and read back without being
/// changed: its bytes are kept beside the field, which shows them escaped and cannot be edited until it is cleared.
/// Owned by its card.
class KeyField final : public QLineEdit
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyField)

public:
    explicit KeyField(QWidget *parent = nullptr);

    [[nodiscard]] base::Key key() const;
    void setKey(const base::Key &key);
    void setClearIcon(const QIcon &icon);

private:
    std::optional<base::Key> m_bytes; ///< Set: the text only describes it.
    QAction *m_clear;
};

} // namespace latchkey::ui::clients
