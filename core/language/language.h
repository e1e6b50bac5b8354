#pragma once

#include <QString>
#include <QStringList>

namespace latchkey::language {

/// The languages that all texts are there in.
enum class Language : quint8 {
    English,
    Chinese, ///< In simplified characters.
};

/// The first of the wanted languages that there is, else English. wanted: names of locales, the best first, as the
/// environment writes them (`zh_CN.UTF-8`) or as Qt does (`zh-Hans-CN`). Traditional characters are another language.
[[nodiscard]] Language firstKnown(const QStringList &wanted);

/// What the environment asks for, by the rules of gettext: LC_ALL goes before LC_MESSAGES, which goes before LANG, and
/// LANGUAGE lists more of them, unless those say C. To be asked before base::ensureUtf8Locale(), which changes LC_ALL.
[[nodiscard]] Language environmentLanguage();

/// For settings and file names: `en`, `zh_CN`.
[[nodiscard]] QString codeOf(Language language);

} // namespace latchkey::language
