#include "core/foundation/base/terminaltext.h"

#include <algorithm>
#include <cstdio>

namespace latchkey::base {

bool isShownByTerminals(QChar character)
{
    return character.isSurrogate()
        || (character.isPrint() && character.category() != QChar::Separator_Line
            && character.category() != QChar::Separator_Paragraph);
}

QString terminalText(const QString &text)
{
    if (std::ranges::all_of(text, isShownByTerminals))
        return text;
    QString shown;
    for (const QChar character : text) {
        if (isShownByTerminals(character)) {
            shown += character;
            continue;
        }
        for (const char byte : QString(character).toUtf8())
            shown += QStringLiteral("\\x%1").arg(static_cast<uchar>(byte), 2, 16, QLatin1Char('0'));
    }
    return shown;
}

void logAsTerminalText()
{
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &context, const QString &message) {
        std::fprintf(stderr, "%s\n", terminalText(qFormatLogMessage(type, context, message)).toUtf8().constData());
    });
}

} // namespace latchkey::base
