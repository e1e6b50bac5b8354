#include "ui/kit/i18n/retranslatingtranslator.h"

namespace latchkey::ui::i18n {

RetranslatingTranslator::RetranslatingTranslator(language::Language language)
    : m_catalogue(language)
{}

std::optional<RetranslatingTranslator::SourceText> RetranslatingTranslator::sourceOf(const QString &text) const
{
    const auto found = m_sources.constFind(text.constData());
    // The size is checked because a shortened text may start at the same address.
    if (found == m_sources.constEnd() || m_translations.value(*found).size() != text.size())
        return std::nullopt;
    return *found;
}

QString RetranslatingTranslator::answer(const SourceText &question) const
{
    if (const auto known = m_translations.constFind(question); known != m_translations.constEnd())
        return *known;
    QString text =
        m_catalogue.translate(question.context.constData(), question.english.constData(),
                              question.disambiguation.isEmpty() ? nullptr : question.disambiguation.constData(), -1);
    if (text.isEmpty())
        text = QString::fromUtf8(question.english);
    m_translations.insert(question, text);
    m_sources.insert(text.constData(), question);
    return text;
}

QString RetranslatingTranslator::translate(const char *context, const char *english, const char *disambiguation,
                                           int count) const
{
    if (count >= 0 || language::EnglishScope::isWanted())
        return m_catalogue.translate(context, english, disambiguation, count);
    // Qt's own texts have a separate translator.
    if (qstrncmp(context, "Q", 1) == 0)
        return m_catalogue.translate(context, english, disambiguation, count);
    return answer({context, english, disambiguation});
}

} // namespace latchkey::ui::i18n
