#include "ui/kit/widgets/bidi.h"

#include <QGuiApplication>

#include <algorithm>

namespace latchkey::ui::widgets {

QString isolated(const QString &part)
{
    const bool needsIt = QGuiApplication::layoutDirection() == Qt::RightToLeft || part.isRightToLeft()
                      || std::ranges::any_of(part, [](QChar c) {
                             return c.direction() == QChar::DirR || c.direction() == QChar::DirAL;
                         });
    constexpr QChar firstStrongIsolate(0x2068);
    constexpr QChar popDirectionalIsolate(0x2069);
    return needsIt ? firstStrongIsolate + part + popDirectionalIsolate : part;
}

} // namespace latchkey::ui::widgets
