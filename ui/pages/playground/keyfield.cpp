#include "ui/pages/playground/keyfield.h"

#include <QAction>

#include <algorithm>

namespace latchkey::ui::playground {

namespace {

/// Size limit for editing in bytes, because a longer key would not be visible.
constexpr qsizetype maxEditedLength = 2000;
constexpr qsizetype longestShown = 200;

/// Returns the key as a text that can be read back unchanged. Absent if there is no such text.
std::optional<QString> editable(const base::Key &key)
{
    if (key.bytes().size() > maxEditedLength)
        return std::nullopt;
    const auto text = base::utf8Text(key.bytes());
    const bool isVisible = text && std::ranges::all_of(*text, [](QChar c) { return c.isSurrogate() || c.isPrint(); });
    return isVisible ? text : std::nullopt;
}

} // namespace

KeyField::KeyField(QWidget *parent)
    : QLineEdit(parent)
    , m_clear(new QAction(tr("Enter another key"), this))
{
    setObjectName(QStringLiteral("clientKey"));
    setAccessibleName(tr("Key"));
    m_clear->setVisible(false);
    addAction(m_clear, TrailingPosition);
    connect(m_clear, &QAction::triggered, this, [this] {
        setKey({});
        setFocus(Qt::OtherFocusReason);
    });
}

void KeyField::setClearIcon(const QIcon &icon)
{
    m_clear->setIcon(icon);
}

base::Key KeyField::key() const
{
    return m_bytes.value_or(base::Key(text().toUtf8()));
}

void KeyField::setKey(const base::Key &key)
{
    if (key == this->key() && (m_bytes || editable(key)))
        return;
    const auto text = editable(key);
    m_bytes = text ? std::nullopt : std::optional(key);
    setReadOnly(m_bytes.has_value());
    m_clear->setVisible(m_bytes.has_value());
    setToolTip(m_bytes ? tr("These bytes cannot be typed; they are shown escaped.") : QString());
    setAccessibleDescription(toolTip());
    setText(text.value_or(base::printable(key.bytes(), longestShown)));
    setCursorPosition(0); // A long key shows its start.
}

} // namespace latchkey::ui::playground
