#pragma once

#include <QString>

namespace latchkey::ui::help {

/// The name of a page of the window, and its purpose in one sentence. Both are translated.
struct PagePurpose
{
    QString name;
    QString purpose;
};

} // namespace latchkey::ui::help
