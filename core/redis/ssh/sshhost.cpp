#include "core/redis/ssh/sshhost.h"

#include <algorithm>

namespace latchkey::ssh {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// Returns whether the text is a safe name. A leading hyphen would be an option of ssh, which may also pass a name to
/// the shell of a ProxyCommand.
bool isName(const QString &text)
{
    return !text.isEmpty() && text.front() != u'-' && std::ranges::all_of(text, [](QChar c) {
        return c.isPrint() && !c.isSpace() && !QStringLiteral("'\"`$\\;&<>|(){}[]@/").contains(c);
    });
}

tl::unexpected<base::Error> refusal(const QString &text)
{
    return failure(ErrorKind::Usage,
                   QT_TRANSLATE_NOOP("core", "\"%1\" is no host for ssh; write it like [user@]host[:port]"), text);
}

} // namespace

Result<SshHost> SshHost::fromText(const QString &text)
{
    SshHost sshHost;
    const qsizetype at = text.lastIndexOf(u'@');
    if (at >= 0) {
        sshHost.user = text.first(at);
        if (!isName(sshHost.user))
            return refusal(text);
    }
    QString place = text.sliced(at + 1);
    qsizetype colon = place.lastIndexOf(u':');
    const bool isBracketed = place.startsWith(u'[');
    if (isBracketed && colon < place.indexOf(u']'))
        colon = -1;
    if (colon >= 0) {
        bool isNumber = false;
        sshHost.port = place.sliced(colon + 1).toUShort(&isNumber);
        if (!isNumber || sshHost.port == 0)
            return refusal(text);
        place.truncate(colon);
    }
    if (isBracketed && place.endsWith(u']'))
        place = place.sliced(1, place.size() - 2);
    sshHost.host = place;
    if (!isName(sshHost.host) || (sshHost.host.contains(u':') && !isBracketed))
        return refusal(text);
    return sshHost;
}

QString SshHost::display() const
{
    QString text = host.contains(u':') ? QStringLiteral("[%1]").arg(host) : host;
    if (!user.isEmpty())
        text.prepend(user + u'@');
    if (port != 0)
        text += QStringLiteral(":%1").arg(port);
    return text;
}

} // namespace latchkey::ssh
