#include "core/foundation/base/utf8locale.h"

#include <QByteArray>

#include <clocale>

namespace latchkey::base {

void ensureUtf8Locale()
{
    std::setlocale(LC_CTYPE, ""); // Has no effect if the locale is not installed.
    if (qstrcmp(std::setlocale(LC_CTYPE, nullptr), "C") != 0)
        return;
    // LC_ALL overrides LC_CTYPE, which overrides LANG.
    qputenv(qEnvironmentVariableIsEmpty("LC_ALL") ? "LC_CTYPE" : "LC_ALL", "C.UTF-8");
}

} // namespace latchkey::base
