#include "app/cli/output.h"

#include <QJsonDocument>

#include <cstdio>
#include <unistd.h>

namespace latchkey::cli {

namespace {

void printLine(const QJsonDocument &document)
{
    printBytes(document.toJson(QJsonDocument::Compact) + '\n');
    std::fflush(stdout);
}

} // namespace

void printJson(const QJsonObject &object)
{
    printLine(QJsonDocument(object));
}

void printJson(const QJsonArray &array)
{
    printLine(QJsonDocument(array));
}

void printBytes(const QByteArray &bytes)
{
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stdout);
}

void printValue(const QByteArray &value)
{
    printBytes(value);
    if (::isatty(STDOUT_FILENO) != 0 && !value.endsWith('\n'))
        std::putchar('\n');
}

QJsonValue millisecondsUntil(base::MonotonicTime then, base::MonotonicTime now)
{
    if (then == base::MonotonicTime::max())
        return QJsonValue::Null;
    return static_cast<qint64>(std::chrono::floor<std::chrono::milliseconds>(then - now).count());
}

} // namespace latchkey::cli
