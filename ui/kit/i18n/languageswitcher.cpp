#include "ui/kit/i18n/languageswitcher.h"

#include "ui/kit/i18n/retranslatingtranslator.h"
#include "ui/kit/i18n/retranslation.h"

#include <QCoreApplication>
#include <QLibraryInfo>

namespace latchkey::ui::i18n {

using language::Language;

LanguageSwitcher::LanguageSwitcher(Language system)
    : m_system(system)
    , m_language(system)
    , m_translator(std::make_unique<RetranslatingTranslator>(Language::English))
{
    applyLanguage(system);
}

LanguageSwitcher::~LanguageSwitcher() = default;

void LanguageSwitcher::choose(Choice choice)
{
    m_choice = choice;
    const Language wanted = choice == Choice::System  ? m_system
                          : choice == Choice::Chinese ? Language::Chinese
                                                      : Language::English;
    if (wanted != m_language)
        applyLanguage(wanted);
}

void LanguageSwitcher::applyLanguage(Language language)
{
    m_language = language;
    const auto before = std::exchange(m_translator, std::make_unique<RetranslatingTranslator>(language));
    QCoreApplication::removeTranslator(before.get());
    QCoreApplication::removeTranslator(&m_qtTexts);
    if (language != Language::English
        && m_qtTexts.load(QStringLiteral("qtbase_") + language::codeOf(language),
                          QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&m_qtTexts);
    QCoreApplication::installTranslator(m_translator.get()); // Sends a LanguageChange event to every widget.
    retranslate(*before, *m_translator);
}

} // namespace latchkey::ui::i18n
