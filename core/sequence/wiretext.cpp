#include "core/sequence/wiretext.h"

#include <QRegularExpression>

namespace latchkey::sequence {

QString shapeOf(const QString &text)
{
    static const QRegularExpression varying(QStringLiteral("\\b[0-9a-f]{24,}\\b|[0-9]{6,}"));
    return QString(text).replace(varying, QString(QChar(u'\u2026')));
}

QString withShortHex(QString text)
{
    static const QRegularExpression longHex(QStringLiteral("\\b([0-9a-f]{8})[0-9a-f]{24,32}\\b"));
    return text.replace(longHex, QStringLiteral("\\1\u2026"));
}

} // namespace latchkey::sequence
