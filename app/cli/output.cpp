#include "app/cli/output.h"

#include "core/foundation/base/standarddescriptors.h"
#include "core/foundation/base/terminaltext.h"
#include "core/foundation/base/timetext.h"
#include "core/foundation/files/json.h"

#include <QRegularExpression>

#include <csignal>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace latchkey::cli {

namespace {

void printDocument(const QJsonDocument &document)
{
    printBytes(files::toLine(document) + '\n');
    std::fflush(stdout);
}

/// Inherited handler of SIGPIPE. Qt's sockets set it to ignore later.
using SignalHandler = void (*)(int);
SignalHandler inheritedPipeHandler = SIG_DFL;

} // namespace

void printJson(const QJsonObject &object)
{
    printDocument(QJsonDocument(object));
}

void printJson(const QJsonArray &array)
{
    printDocument(QJsonDocument(array));
}

void printLine(const QString &text)
{
    for (const QStringView line : QStringView(text).split(u'\n'))
        printBytes(base::terminalText(line.toString()).toUtf8() + '\n');
}

void printBytes(const QByteArray &bytes)
{
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stdout);
}

QString originColumn(const EventOrigin &origin, const QString &text)
{
    return origin.width == 0 ? QString() : text.leftJustified(origin.width) + QLatin1String("  ");
}

void printEvent(base::WallTime at, const char *event, const QString &text, const EventOrigin &origin)
{
    const QString line = base::preciseTimeOfDay(at) + QLatin1String("  ") + originColumn(origin, origin.server)
                       + QString::fromLatin1(event).leftJustified(11) + QLatin1String("  ") + text + u'\n';
    printBytes(line.toUtf8());
}

void printValue(const QByteArray &value)
{
    if (::isatty(STDOUT_FILENO) == 0) {
        printBytes(value);
        return;
    }
    // A terminal would execute control sequences. Unchanged bytes are for programs only.
    for (const QByteArray &line : (value.endsWith('\n') ? value.chopped(1) : value).split('\n'))
        printBytes(base::terminalText(QString::fromUtf8(line)).toUtf8() + '\n');
}

void prepareOutput()
{
    base::occupyStandardDescriptors();
    struct sigaction inherited {};
    if (::sigaction(SIGPIPE, nullptr, &inherited) == 0)
        inheritedPipeHandler = inherited.sa_handler;
}

bool isOutputLost()
{
    return std::ferror(stdout) != 0;
}

bool writeOutput()
{
    return std::fflush(stdout) == 0 && !isOutputLost();
}

bool flushOutput()
{
    if (writeOutput())
        return true;
    pollfd output {STDOUT_FILENO, 0, 0};
    const bool isReaderGone = ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
    if (isReaderGone && inheritedPipeHandler == SIG_DFL) {
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    return false;
}

QString shellQuoted(const QString &line)
{
    static const QRegularExpression plain(QStringLiteral("^[\\w@%+=:,./-]+$"));
    QStringList words = line.split(u' ');
    for (QString &word : words) {
        if (!plain.match(word).hasMatch())
            word = u'\'' + word.replace(u'\'', QLatin1String("'\\''")) + u'\'';
    }
    return words.join(u' ');
}

QJsonValue millisecondsUntil(base::MonotonicTime then, base::MonotonicTime now)
{
    if (then == base::MonotonicTime::max())
        return QJsonValue::Null;
    return static_cast<qint64>(std::chrono::floor<std::chrono::milliseconds>(then - now).count());
}

} // namespace latchkey::cli
