#include "core/explore/programs/program.h"

#include <QFileInfo>

namespace latchkey::programs {

QString Program::fileName() const
{
    QString name = QFileInfo(QString::fromLocal8Bit(words.value(0))).fileName();
    for (const QByteArray &word : words.mid(1)) {
        const QFileInfo file(QString::fromLocal8Bit(word));
        if (file.isFile()) {
            name = file.fileName();
            break;
        }
    }
    return name;
}

} // namespace latchkey::programs
