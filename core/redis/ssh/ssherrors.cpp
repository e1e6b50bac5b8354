#include "core/redis/ssh/ssherrors.h"

#include <QRegularExpression>

namespace latchkey::ssh {

using base::ErrorKind;
using base::Text;

namespace {

/// Returns the text captured by the pattern in the last matching line; null if no line matches.
QString lastMatch(const QString &output, const QString &pattern)
{
    const QRegularExpression line(pattern, QRegularExpression::MultilineOption);
    QString found;
    for (auto match = line.globalMatch(output); match.hasNext();)
        found = match.next().captured(1).trimmed();
    return found;
}

TunnelFailure needingPerson(Text why)
{
    return {{ErrorKind::Unreachable, std::move(why)}, true};
}

TunnelFailure unreachable(Text why)
{
    return {{ErrorKind::Unreachable, std::move(why)}, false};
}

QString textOf(const QByteArray &output)
{
    return QString::fromLocal8Bit(output).remove(u'\r');
}

} // namespace

TunnelFailure tunnelFailure(const SshHost &sshHost, const QByteArray &output)
{
    const QString text = textOf(output);
    const QString host = sshHost.display();
    // The most specific message is checked first, because several of these lines appear together.
    if (text.contains(QLatin1String("REMOTE HOST IDENTIFICATION HAS CHANGED")))
        return needingPerson(Text(
            QT_TRANSLATE_NOOP(
                "core", "the SSH host key of %1 has CHANGED: the connection may be intercepted, or the host was "
                        "reinstalled; ask its administrator, and if it was, remove the old key with ssh-keygen -R"),
            host));
    if (text.contains(QLatin1String("Host key verification failed")))
        return needingPerson(
            Text(QT_TRANSLATE_NOOP("core", "the SSH host key of %1 is unknown and not confirmed; compare it with the "
                                           "value from its administrator, and log in once with ssh"),
                 host));
    if (const QString methods = lastMatch(text, QStringLiteral("Permission denied \\(([^)]*)\\)")); !methods.isNull())
        return needingPerson(
            Text(QT_TRANSLATE_NOOP("core", "%1 does not let ssh in: no key or password was accepted (it takes: "
                                           "%2); try it with ssh alone"),
                 host, methods));
    if (text.contains(QLatin1String("Too many authentication failures")))
        return needingPerson(
            Text(QT_TRANSLATE_NOOP("core", "%1 does not let ssh in after so many keys; name the right one in the "
                                           "configuration of ssh (IdentityFile, IdentitiesOnly)"),
                 host));
    if (const QString name = lastMatch(text, QStringLiteral("Could not resolve hostname ([^:]*)")); !name.isNull())
        return unreachable(
            Text(QT_TRANSLATE_NOOP("core", "ssh finds no host called \"%1\"; is it spelled right?"), name));
    if (const QString why = lastMatch(text, QStringLiteral("connect to host .* port \\d+: (.*)$")); !why.isNull())
        return unreachable(
            Text(QT_TRANSLATE_NOOP("core", "ssh cannot connect to %1: %2; is that its SSH port?"), host, why));
    if (const QString why = lastMatch(text, QStringLiteral("(cannot bind to path|path too long).*$")); !why.isNull())
        return TunnelFailure {
            {ErrorKind::Local, Text(QT_TRANSLATE_NOOP("core", "ssh cannot make the near end of a tunnel: %1"), why)},
            false};
    // For an unknown message, the last line is shown, which users can search for.
    const QString last = lastMatch(text, QStringLiteral("^(.*\\S.*)$"));
    return unreachable(last.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "ssh to %1 ended without a message"), host)
                                      : Text(QT_TRANSLATE_NOOP("core", "ssh to %1: %2"), host, last));
}

Text forwardingError(const SshHost &sshHost, const QByteArray &output)
{
    const QString text = textOf(output);
    const QString why = lastMatch(text, QStringLiteral("open failed: (.*)$"));
    if (why.isNull())
        return {};
    if (why.startsWith(QLatin1String("administratively prohibited")))
        return Text(QT_TRANSLATE_NOOP("core", "ssh is logged in at %1, which permits no forwarding there "
                                              "(AllowTcpForwarding, PermitOpen)"),
                    sshHost.display());
    return Text(QT_TRANSLATE_NOOP("core", "ssh is logged in at %1, and from there: %2"), sshHost.display(),
                why.startsWith(QLatin1String("connect failed: ")) ? why.sliced(16) : why);
}

} // namespace latchkey::ssh
