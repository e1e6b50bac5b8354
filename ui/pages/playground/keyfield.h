#pragma once

#include "core/foundation/base/bytes.h"

#include <QLineEdit>

class QAction;

namespace latchkey::ui::playground {

/// An input field for a key.
///
/// A printable key is shown and edited as text. Other keys could not be read back unchanged: bytes that are not UTF-8,
/// control characters, marks that change the writing direction. The bytes of such a key, or of a very long key, are
/// stored beside the field. The field then shows them escaped and is read-only until it is cleared. Owned by its card.
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
    std::optional<base::Key> m_bytes; ///< Key that is not editable; if set, the text only describes the key.
    QAction *m_clear;
};

} // namespace latchkey::ui::playground
