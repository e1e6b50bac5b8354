#pragma once

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QStringList>

// The pages of the project: README.md and the manual, in both languages.

namespace latchkey::test {

/// Returns the text of a file of the project. Aborts the test program if there is no such file.
[[nodiscard]] inline QString textOf(const char *path)
{
    QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/") + QLatin1String(path));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there is no %s", path);
    return QString::fromUtf8(file.readAll());
}

[[nodiscard]] inline QString textOf(const QString &path)
{
    return textOf(qPrintable(path));
}

/// Returns all captures of the expression's group.
[[nodiscard]] inline QStringList captures(const QString &text, const QString &expression)
{
    QStringList found;
    const QRegularExpression search(expression, QRegularExpression::MultilineOption);
    for (auto match = search.globalMatch(text); match.hasNext();)
        found += match.next().captured(1);
    return found;
}

/// Returns the paths of the manual's pages.
[[nodiscard]] inline QStringList manualPages(const char *folder)
{
    QStringList pages = QDir(QStringLiteral(LATCHKEY_SOURCE_DIR "/") + QLatin1String(folder))
                            .entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
    for (QString &name : pages)
        name.prepend(QLatin1String(folder) + u'/');
    return pages;
}

/// Returns the paths of all pages in both languages.
[[nodiscard]] inline QStringList allPages()
{
    return QStringList {QStringLiteral("README.md"), QStringLiteral("resources/README.zh-CN.md")}
         + manualPages("resources/manual") + manualPages("resources/manual/zh-CN");
}

} // namespace latchkey::test
