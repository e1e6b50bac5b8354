#pragma once

#include <QByteArrayList>
#include <QDir>
#include <QFile>
#include <QList>

#include <sys/types.h>

// Queries to /proc. A process may end between the opening and the reading of its file; the read then returns nothing.

namespace latchkey::test {

/// Returns the fields of /proc/<process>/stat after the program's name: state, parent, and so on. Empty if the process
/// does not exist.
[[nodiscard]] inline QByteArrayList processFields(const QString &process)
{
    QFile stat(QStringLiteral("/proc/%1/stat").arg(process));
    const QByteArray line = stat.open(QIODevice::ReadOnly) ? stat.readAll() : QByteArray();
    const qsizetype name = line.lastIndexOf(')');
    return name < 0 ? QByteArrayList() : line.sliced(name + 1).trimmed().split(' ');
}

/// Returns the state of a process as in /proc: `S` sleeping, `T` stopped, `Z` ended but not reaped by its parent. `-`
/// if the process does not exist.
[[nodiscard]] inline char stateOf(pid_t process)
{
    const QByteArray state = processFields(QString::number(process)).value(0);
    return state.isEmpty() ? '-' : state.front();
}

[[nodiscard]] inline bool isAlive(pid_t process)
{
    const char state = stateOf(process);
    return state != '-' && state != 'Z';
}

/// Returns the children of the process with the word in their command lines. An empty word also matches zombies.
[[nodiscard]] inline QList<pid_t> childrenOf(qint64 parent, const QByteArray &word = {})
{
    QList<pid_t> found;
    for (const QString &name : QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[0-9]*")}, QDir::Dirs)) {
        if (processFields(name).value(1).toLongLong() != parent)
            continue;
        QFile words(QStringLiteral("/proc/%1/cmdline").arg(name));
        if (words.open(QIODevice::ReadOnly) && words.readAll().contains(word))
            found += name.toInt();
    }
    return found;
}

} // namespace latchkey::test
