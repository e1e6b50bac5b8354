#include "core/foundation/language/language.h"

#include <optional>

namespace latchkey::language {

namespace {

/// Returns the language of a locale name. Absent if there is no translation.
std::optional<Language> known(const QString &locale)
{
    QStringList parts = locale.section(u'.', 0, 0).section(u'@', 0, 0).replace(u'-', u'_').split(u'_');
    const QString name = parts.takeFirst().toLower();
    if (name == u"en" || name == u"c" || name == u"posix")
        return Language::English;
    if (name != u"zh")
        return std::nullopt;
    for (const char *other : {"Hant", "TW", "HK", "MO"}) {
        if (parts.contains(QLatin1String(other), Qt::CaseInsensitive))
            return std::nullopt;
    }
    return Language::Chinese;
}

bool isPortable(const QString &locale)
{
    const QString name = locale.section(u'.', 0, 0);
    return name.isEmpty() || name == u"C" || name == u"POSIX";
}

} // namespace

Language firstKnown(const QStringList &wanted)
{
    for (const QString &locale : wanted) {
        if (const auto language = known(locale))
            return *language;
    }
    return Language::English;
}

Language environmentLanguage()
{
    QString locale;
    for (const char *variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        locale = qEnvironmentVariable(variable);
        if (!locale.isEmpty())
            break;
    }
    if (isPortable(locale))
        return Language::English;
    return firstKnown(qEnvironmentVariable("LANGUAGE").split(u':', Qt::SkipEmptyParts) + QStringList {locale});
}

QString codeOf(Language language)
{
    return language == Language::Chinese ? QStringLiteral("zh_CN") : QStringLiteral("en");
}

} // namespace latchkey::language
