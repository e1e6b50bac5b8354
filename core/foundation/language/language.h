#pragma once

#include <QString>
#include <QStringList>

namespace latchkey::language {

/// The languages with a translation of all texts.
enum class Language : quint8 {
    English,
    Chinese, ///< Simplified Chinese.
};

/// Returns the first of the wanted languages with a translation, otherwise English. `wanted`: locale names in order of
/// preference, as in the environment (`zh_CN.UTF-8`) or in Qt (`zh-Hans-CN`). Traditional Chinese counts as another
/// language.
[[nodiscard]] Language firstKnown(const QStringList &wanted);

/// Returns the language of the environment by the rules of gettext: LC_ALL takes precedence over LC_MESSAGES, and
/// LC_MESSAGES over LANG. LANGUAGE lists further languages, unless the locale is C. To be called before
/// base::ensureUtf8Locale(), which changes LC_ALL.
[[nodiscard]] Language environmentLanguage();

/// Returns the code for settings and file names: `en`, `zh_CN`.
[[nodiscard]] QString codeOf(Language language);

} // namespace latchkey::language
