#pragma once

#include "core/foundation/language/catalogue.h"

#include <QHash>
#include <QTranslator>

#include <optional>

namespace latchkey::ui::i18n {

/// A translator that remembers its translations.
///
/// A QString is shared, not copied. A widget with tr("Connect") therefore shares the characters that this class
/// returned. Their address identifies context and source text, and thus the translation into another language. A key
/// that is named "Connect" has its characters at another address and is left unchanged. Owned by LanguageSwitcher.
/// Texts with a count are not remembered, because inserting the number creates new characters.
class RetranslatingTranslator final : public QTranslator
{
public:
    explicit RetranslatingTranslator(language::Language language);

    /// The arguments of tr().
    struct SourceText
    {
        QByteArray context;
        QByteArray english;
        QByteArray disambiguation;

        friend bool operator==(const SourceText &, const SourceText &) = default;
        friend size_t qHash(const SourceText &question, size_t seed = 0)
        {
            return qHashMulti(seed, question.context, question.english, question.disambiguation);
        }
    };

    /// Returns the arguments for which `text` was returned. Absent if the text is from another source, even if it is
    /// equal.
    [[nodiscard]] std::optional<SourceText> sourceOf(const QString &text) const;
    [[nodiscard]] QString answer(const SourceText &question) const;

    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] QString translate(const char *context, const char *english, const char *disambiguation,
                                    int count) const override;

private:
    language::Catalogue m_catalogue;
    mutable QHash<SourceText, QString> m_translations;
    mutable QHash<const QChar *, SourceText> m_sources; ///< Indexed by the address of the characters in m_translations.
};

} // namespace latchkey::ui::i18n
