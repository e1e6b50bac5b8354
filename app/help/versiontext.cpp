#include "app/help/versiontext.h"

#include "core/foundation/base/version.h"
#include "core/redis/resp/codec.h"

#include <QStringList>

#include <latchkeycommit.h> // Written by each build; see commit.cmake.

namespace latchkey::help {

QString versionText(const QString &program)
{
    QStringList parts;
    if (const QString commit = QStringLiteral(LATCHKEY_COMMIT); !commit.isEmpty())
        parts += QStringLiteral("commit ") + commit;
    parts += QStringLiteral("Qt ") + QLatin1String(qVersion());
    parts += QStringLiteral("hiredis ") + resp::hiredisVersion();
    return QStringLiteral("%1 %2 (%3)").arg(program, base::programVersion(), parts.join(QStringLiteral(", ")));
}

} // namespace latchkey::help
