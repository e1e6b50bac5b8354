#pragma once

#include <QPushButton>

namespace latchkey::ui::inspector {

/// A button of a filter with the number of keys that the filter would show.
///
/// Its width does not depend on the count: there is room for three digits, or for the longest count so far. A button
/// beside it therefore does not move under the pointer. Owned by its parent.
class CountChip final : public QPushButton
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CountChip)
    /// The text without the count. A property, so that a change of the language translates it.
    Q_PROPERTY(QString name READ name WRITE setName)

public:
    CountChip(const QString &name, QWidget *parent);

    [[nodiscard]] QString name() const { return m_name; }
    void setName(const QString &name);
    /// Sets the count; 0 is not displayed.
    void setCount(qsizetype count);
    /// Sets whether the button displays the count. Otherwise the tool tip contains it.
    void setCountShown(bool isShown);
    /// Resets the room to three digits, for the keys of another server.
    void forgetLongestCount();
    /// Returns the room for the count in pixels, whether or not the count is shown.
    [[nodiscard]] int countRoom() const;
    [[nodiscard]] bool isCountShown() const { return m_isCountShown; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

private:
    void refresh();

    QString m_name;
    qsizetype m_count = 0;
    qsizetype m_longest; ///< The largest count for which there is room.
    bool m_isCountShown = true;
};

} // namespace latchkey::ui::inspector
