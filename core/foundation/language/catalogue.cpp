#include "core/foundation/language/catalogue.h"

namespace latchkey::language {

int EnglishScope::s_count = 0;

Catalogue::Catalogue(Language language)
{
    if (language != Language::English)
        (void)load(QStringLiteral(":/latchkey/translations/latchkey_%1.qm").arg(codeOf(language)));
}

QString Catalogue::translate(const char *context, const char *english, const char *disambiguation, int count) const
{
    return EnglishScope::isWanted() ? QString() : QTranslator::translate(context, english, disambiguation, count);
}

} // namespace latchkey::language
