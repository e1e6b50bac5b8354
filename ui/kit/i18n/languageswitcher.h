#pragma once

#include "core/foundation/language/language.h"

#include <QObject>
#include <QTranslator>

#include <memory>

namespace latchkey::ui::i18n {

class RetranslatingTranslator;

/// The current language of the window.
///
/// The language follows the environment unless the user has chosen one. After a change, visible texts are translated
/// again, and each widget receives a LanguageChange event for its composed texts. Owned by main(); other objects have a
/// reference.
class LanguageSwitcher final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LanguageSwitcher)

public:
    enum class Choice : quint8 { System, English, Chinese };
    Q_ENUM(Choice)

    /// `system`: language of the environment; see language::environmentLanguage().
    explicit LanguageSwitcher(language::Language system);
    ~LanguageSwitcher() override;

    void choose(Choice choice);
    [[nodiscard]] Choice choice() const { return m_choice; }
    [[nodiscard]] language::Language language() const { return m_language; }

private:
    void applyLanguage(language::Language language);

    const language::Language m_system;
    Choice m_choice = Choice::System;
    language::Language m_language;
    std::unique_ptr<RetranslatingTranslator> m_translator;
    QTranslator m_qtTexts; ///< Texts of Qt's dialogs and menus; installed if available.
};

} // namespace latchkey::ui::i18n
