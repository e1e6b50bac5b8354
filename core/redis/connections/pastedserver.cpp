#include "core/redis/connections/pastedserver.h"

#include <QHash>

namespace latchkey::connections {

using base::ErrorKind;
using base::failure;
using base::Result;
using net::Endpoint;

namespace {

/// Divides a text into words as a shell does, without expansions. QProcess::splitCommand() does not know single quotes.
QStringList shellWords(const QString &text)
{
    QStringList words;
    QChar quote;
    bool isInWord = false;
    for (qsizetype at = 0; at < text.size(); ++at) {
        QChar c = text[at];
        if (quote.isNull() && c.isSpace()) {
            isInWord = false;
            continue;
        }
        if (!isInWord)
            words += QString();
        isInWord = true;
        const bool isQuote = c == u'\'' || c == u'"';
        if (c == quote) {
            quote = QChar();
        } else if (isQuote && quote.isNull()) {
            quote = c;
        } else {
            if (c == u'\\' && quote != u'\'' && at + 1 < text.size())
                c = text[++at];
            words.back() += c;
        }
    }
    return words;
}

/// The options that were read so far.
struct CommandLine
{
    Endpoint endpoint;
    QString url;
};

Result<int> number(const QString &option, const QString &text, int maximum)
{
    bool isNumber = false;
    const int value = text.toInt(&isNumber);
    if (!isNumber || value < 0 || value > maximum)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1: \"%2\" is not a number from 0 to %3"), option,
                       text, maximum);
    return value;
}

/// Returns the TLS options; creates them if there are none.
net::TlsOptions &tlsOf(CommandLine &line)
{
    if (!line.endpoint.tls)
        line.endpoint.tls.emplace();
    return *line.endpoint.tls;
}

Result<void> take(CommandLine &line, const QString &option, const QString &value)
{
    static const QHash<QString, QString net::TlsOptions::*> files = [] {
        QHash<QString, QString net::TlsOptions::*> all;
        for (const net::TlsTextOption &text : net::tlsTextOptions)
            all.insert(QStringLiteral("--") + QLatin1String(text.name), text.value);
        return all;
    }();
    if (option == u"-h") {
        line.endpoint.host = value;
    } else if (option == u"-p") {
        const auto port = number(option, value, 65535);
        if (!port)
            return failure(port.error());
        line.endpoint.port = static_cast<quint16>(*port);
    } else if (option == u"-n") {
        const auto database = number(option, value, 1'000'000);
        if (!database)
            return failure(database.error());
        line.endpoint.database = *database;
    } else if (option == u"-s") {
        if (!value.startsWith(u'/'))
            return failure(
                ErrorKind::Usage,
                QT_TRANSLATE_NOOP("core", "-s: the path \"%1\" is relative; write it from the root, like %2"), value,
                QStringLiteral("/run/redis.sock"));
        line.endpoint.transport = Endpoint::Transport::Unix;
        line.endpoint.path = value;
    } else if (option == u"-a" || option == u"--pass") {
        line.endpoint.password = value;
    } else if (option == u"--user") {
        line.endpoint.user = value;
    } else if (option == u"-u") {
        line.url = value;
    } else {
        tlsOf(line).*files.value(option) = value;
    }
    return {};
}

/// Returns whether this is an option of redis-cli with a value that does not locate the server.
bool takesOtherValue(const QString &option)
{
    static const QStringList options {QStringLiteral("-r"),          QStringLiteral("-i"),
                                      QStringLiteral("-d"),          QStringLiteral("-D"),
                                      QStringLiteral("-t"),          QStringLiteral("-X"),
                                      QStringLiteral("--cacertdir"), QStringLiteral("--tls-ciphers"),
                                      QStringLiteral("--pattern"),   QStringLiteral("--count"),
                                      QStringLiteral("--eval"),      QStringLiteral("--show-pushes")};
    return options.contains(option);
}

Result<Endpoint> fromCommandLine(const QStringList &words)
{
    static const QStringList withValue {QStringLiteral("-h"),     QStringLiteral("-p"),       QStringLiteral("-n"),
                                        QStringLiteral("-s"),     QStringLiteral("-a"),       QStringLiteral("-u"),
                                        QStringLiteral("--pass"), QStringLiteral("--user"),   QStringLiteral("--cert"),
                                        QStringLiteral("--key"),  QStringLiteral("--cacert"), QStringLiteral("--sni")};
    CommandLine line;
    for (qsizetype at = 1; at < words.size() && words[at].startsWith(u'-'); ++at) {
        const QString &option = words[at];
        if (option == u"--insecure")
            return failure(
                ErrorKind::Usage,
                QT_TRANSLATE_NOOP(
                    "core",
                    "--insecure is not supported: every certificate is verified; specify its CA (cacert), or pin it"));
        if (option == u"--tls") {
            (void)tlsOf(line);
            continue;
        }
        const bool isOurs = withValue.contains(option);
        if (!isOurs && !takesOtherValue(option))
            continue;
        if (++at == words.size())
            return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 needs a value"), option);
        if (!isOurs)
            continue;
        if (auto taken = take(line, option, words[at]); !taken)
            return failure(std::move(taken.error()));
    }
    if (!line.url.isEmpty())
        return Endpoint::fromUrl(line.url);
    // The URL is saved, so the endpoint is parsed from it again; the case of a host name may differ. An address that no
    // URL can contain would be saved as an empty one.
    const auto kept = Endpoint::fromUrl(line.endpoint.toUrlWithPassword());
    if (kept || (line.endpoint.transport == Endpoint::Transport::Tcp && line.endpoint.port == 0))
        return kept;
    return line.endpoint.transport == Endpoint::Transport::Unix
             ? failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "-s: \"%1\" cannot be the path of a socket"),
                       line.endpoint.path)
             : failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "-h: \"%1\" is no host name and no IP address"),
                       line.endpoint.host);
}

} // namespace

Result<Endpoint> parsePastedServer(const QString &text)
{
    const QString trimmed = text.trimmed();
    const QStringList words = shellWords(trimmed);
    if (!words.isEmpty()) {
        const QString program = words.front().section(u'/', -1);
        if (program == u"redis-cli" || program == u"valkey-cli")
            return fromCommandLine(words);
    }
    if (!trimmed.isEmpty() && !trimmed.contains(QStringLiteral("://")) && !trimmed.contains(u' '))
        return Endpoint::fromUrl(QStringLiteral("redis://") + trimmed);
    return Endpoint::fromUrl(trimmed);
}

} // namespace latchkey::connections
