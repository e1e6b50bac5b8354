#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QList>

#include <sys/types.h>

// What /proc says of processes.

namespace latchkey::test {

/// `S`, `T` where it has been stopped, `Z` where nobody has taken note of its end, `-` where there is none.
[[nodiscard]] inline char stateOf(pid_t process)
{
    QFile stat(QStringLiteral("/proc/%1/stat").arg(process));
    if (!stat.open(QIODevice::ReadOnly))
        return '-';
    const QByteArray line = stat.readAll();
    return line.isEmpty() ? '-' : line.at(line.lastIndexOf(')') + 2);
}

[[nodiscard]] inline bool isAlive(pid_t process)
{
    const char state = stateOf(process);
    return state != '-' && state != 'Z';
}

/// The children of that process whose command line has the word.
[[nodiscard]] inline QList<pid_t> childrenOf(qint64 parent, const QByteArray &word = {})
{
    QList<pid_t> found;
    for (const QString &name : QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[0-9]*")}, QDir::Dirs)) {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(name));
        QFile words(QStringLiteral("/proc/%1/cmdline").arg(name));
        if (!stat.open(QIODevice::ReadOnly) || !words.open(QIODevice::ReadOnly))
            continue;
        const QByteArray line = stat.readAll();
        const bool isChild = line.sliced(line.lastIndexOf(')') + 1).split(' ').value(2).toLongLong() == parent;
        if (isChild && words.readAll().contains(word))
            found += name.toInt();
    }
    return found;
}

} // namespace latchkey::test
