#pragma once

#include "core/language/language.h"

#include <QObject>
#include <QTranslator>

#include <memory>

namespace latchkey::ui::speech {

class Phrasebook;

/// How the window speaks at the moment: its language.
///
/// Follows the environment unless the user has chosen. Where the language changes, what is on screen is reworded, and
/// every widget gets a LanguageChange event for what it words itself.
/// Owned by main(); everybody else gets a reference.
class Speech final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Speech)

public:
    enum class Choice : quint8 { System, English, Chinese };
    Q_ENUM(Choice)

    /// system: what the environment asks for; see language::environmentLanguage().
    explicit Speech(language::Language system);
    ~Speech() override;

    void choose(Choice choice);
    [[nodiscard]] Choice choice() const { return m_choice; }
    [[nodiscard]] language::Language language() const { return m_language; }

private:
    void speak(language::Language language);

    const language::Language m_system;
    Choice m_choice = Choice::System;
    language::Language m_language;
    std::unique_ptr<Phrasebook> m_phrasebook;
    QTranslator m_qtTexts; ///< Of Qt's own dialogs and menus; installed where there are any.
};

} // namespace latchkey::ui::speech
