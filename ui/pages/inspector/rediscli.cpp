#include "ui/pages/inspector/rediscli.h"

#include <algorithm>

namespace latchkey::ui::inspector {

namespace {

QString shellQuoted(const QString &text)
{
    const bool isPlain = !text.isEmpty() && std::ranges::all_of(text, [](QChar c) {
        return c.isLetterOrNumber() || QStringLiteral("-_./:@%+=,").contains(c);
    });
    return isPlain ? text
                   : QLatin1Char('\'') + QString(text).replace(u'\'', QLatin1String("'\\''")) + QLatin1Char('\'');
}

/// Quotes an argument as redis-cli reads it in double quotes: every byte that is not printable ASCII as \xNN.
QString cliQuoted(const QByteArray &bytes)
{
    QString text = QStringLiteral("\"");
    for (const char byte : bytes) {
        if (byte == '"' || byte == '\\')
            text += QStringLiteral("\\%1").arg(QLatin1Char(byte));
        else if (byte >= 0x20 && byte < 0x7F)
            text += QLatin1Char(byte);
        else
            text += QStringLiteral("\\x%1").arg(static_cast<uchar>(byte), 2, 16, QLatin1Char('0'));
    }
    return text + QLatin1Char('"');
}

/// Returns the TLS options. redis-cli has no option for fingerprints and rejects a certificate that is only pinned.
QStringList tlsWords(const net::TlsOptions &tls)
{
    QStringList words {QStringLiteral("--tls")};
    const auto add = [&words](const char *option, const QString &value) {
        if (!value.isEmpty())
            words << QLatin1String(option) << shellQuoted(value);
    };
    add("--cacert", tls.caFile);
    add("--cert", tls.certificateFile);
    add("--key", tls.keyFile);
    add("--sni", tls.serverName);
    return words;
}

/// Returns the start of a command line that runs on that machine.
QStringList sshWords(const ssh::SshHost &sshHost)
{
    QStringList words {QStringLiteral("ssh")};
    if (sshHost.port != 0)
        words << QStringLiteral("-p") << QString::number(sshHost.port);
    if (!sshHost.user.isEmpty())
        words << QStringLiteral("-l") << shellQuoted(sshHost.user);
    return words << shellQuoted(sshHost.host);
}

/// Returns the command for the machine from which the server address is valid.
QString localCommand(const net::Endpoint &server, const base::Key &key)
{
    QStringList words {QStringLiteral("redis-cli")};
    if (server.transport == net::Endpoint::Transport::Unix)
        words << QStringLiteral("-s") << shellQuoted(server.path);
    else
        words << QStringLiteral("-h") << shellQuoted(server.host) << QStringLiteral("-p")
              << QString::number(server.port);
    if (server.tls)
        words << tlsWords(*server.tls);
    if (!server.user.isEmpty())
        words << QStringLiteral("--user") << shellQuoted(server.user);
    if (server.database != 0)
        words << QStringLiteral("-n") << QString::number(server.database);

    const QByteArray &bytes = key.bytes();
    const bool fitsCommandLine =
        !bytes.isEmpty() && std::ranges::all_of(bytes, [](char byte) { return byte >= 0x20 && byte < 0x7F; });
    if (fitsCommandLine)
        return (words << QStringLiteral("PTTL") << shellQuoted(QString::fromLatin1(bytes))).join(u' ');
    return QStringLiteral("printf '%s\\n' %1 | %2")
        .arg(shellQuoted(QStringLiteral("PTTL ") + cliQuoted(bytes)), words.join(u' '));
}

} // namespace

QString redisCliCommand(const net::Endpoint &server, const base::Key &key)
{
    const QString command = localCommand(server, key);
    return server.ssh ? (sshWords(*server.ssh) << shellQuoted(command)).join(u' ') : command;
}

} // namespace latchkey::ui::inspector
