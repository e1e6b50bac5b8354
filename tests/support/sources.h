#pragma once

#include <QDirIterator>
#include <QFile>
#include <QString>

namespace latchkey::test {

/// A file of the project. The path is relative to the project's folder.
struct Source
{
    QString path;
    QString text;
};

/// Returns the files below these folders of the project that match the patterns, in no particular order. Folders are
/// names such as "core" or "ui".
inline QList<Source> sources(const QStringList &folders, const QStringList &patterns)
{
    const QString root = QStringLiteral(LATCHKEY_SOURCE_DIR);
    QList<Source> found;
    for (const QString &folder : folders) {
        QDirIterator files(root + u'/' + folder, patterns, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (!file.open(QIODevice::ReadOnly))
                qFatal("cannot read %s", qPrintable(file.fileName()));
            found += Source {file.fileName().sliced(root.size() + 1), QString::fromUtf8(file.readAll())};
        }
    }
    return found;
}

} // namespace latchkey::test
