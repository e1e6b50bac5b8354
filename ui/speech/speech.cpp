#include "ui/speech/speech.h"

#include "ui/speech/phrasebook.h"
#include "ui/speech/rewording.h"

#include <QCoreApplication>
#include <QLibraryInfo>

namespace latchkey::ui::speech {

using language::Language;

Speech::Speech(Language system)
    : m_system(system)
    , m_language(system)
    , m_phrasebook(std::make_unique<Phrasebook>(Language::English))
{
    speak(system);
}

Speech::~Speech() = default;

void Speech::choose(Choice choice)
{
    m_choice = choice;
    const Language wanted = choice == Choice::System  ? m_system
                          : choice == Choice::Chinese ? Language::Chinese
                                                      : Language::English;
    if (wanted != m_language)
        speak(wanted);
}

void Speech::speak(Language language)
{
    m_language = language;
    const auto before = std::exchange(m_phrasebook, std::make_unique<Phrasebook>(language));
    QCoreApplication::removeTranslator(before.get());
    QCoreApplication::removeTranslator(&m_qtTexts);
    if (language != Language::English
        && m_qtTexts.load(QStringLiteral("qtbase_") + language::codeOf(language),
                          QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&m_qtTexts);
    QCoreApplication::installTranslator(m_phrasebook.get()); // Sends a LanguageChange event to every widget.
    reword(*before, *m_phrasebook);
}

} // namespace latchkey::ui::speech
