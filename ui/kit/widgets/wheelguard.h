#pragma once

#include <QObject>

namespace latchkey::ui::widgets {

/// A filter for the application's mouse wheel: a combo box or a spin box changes by the wheel only while it has the
/// focus.
///
/// Without the filter, a user who scrolls a form changes the fields that pass under the mouse. The wheel over such a
/// field scrolls the form instead. Owned by the main window; it is in effect while it exists.
class WheelGuard final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WheelGuard)

public:
    explicit WheelGuard(QObject *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace latchkey::ui::widgets
