#include "ui/shell/shell/wrapped.h"

#include "ui/kit/widgets/plaintext.h"

#include <QLabel>

namespace latchkey::ui::shell {

void wrapAt(int width, QLabel &label, const QString &text)
{
    label.setWordWrap(true);
    label.setFixedWidth(width);
    widgets::setWrapped(label, text, width);
}

} // namespace latchkey::ui::shell
