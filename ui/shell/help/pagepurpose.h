#pragma once

#include <QString>

namespace latchkey::ui::help {

/// The name of a page of the window, and one sentence about its purpose. Both are translated.
struct PagePurpose
{
    QString name;
    QString purpose;
};

} // namespace latchkey::ui::help
