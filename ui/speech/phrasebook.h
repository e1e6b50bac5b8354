#pragma once

#include "core/language/catalogue.h"

#include <QHash>
#include <QTranslator>

#include <optional>

namespace latchkey::ui::speech {

/// A translator that knows afterwards what it has said.
///
/// The one idea: a QString is shared, not copied, so a widget that was given tr("Connect") holds the very characters
/// that this class gave out. By their address it is known what they say, in which context, and so how to say it in
/// another language. A key that happens to be called "Connect" has characters of its own, and is left alone.
/// Owned by Speech. Texts with a count are passed on and forgotten: their place is filled in, in other characters.
class Phrasebook final : public QTranslator
{
public:
    explicit Phrasebook(language::Language language);

    /// What tr() was asked.
    struct Question
    {
        QByteArray context;
        QByteArray english;
        QByteArray disambiguation;

        friend bool operator==(const Question &, const Question &) = default;
        friend size_t qHash(const Question &question, size_t seed = 0)
        {
            return qHashMulti(seed, question.context, question.english, question.disambiguation);
        }
    };

    /// What was asked when text was given out; nothing where it is from somewhere else, also if it reads the same.
    [[nodiscard]] std::optional<Question> questionOf(const QString &text) const;
    [[nodiscard]] QString answer(const Question &question) const;

    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] QString translate(const char *context, const char *english, const char *disambiguation,
                                    int count) const override;

private:
    language::Catalogue m_catalogue;
    mutable QHash<Question, QString> m_answers;
    mutable QHash<const QChar *, Question> m_questions; ///< By the characters of m_answers.
};

} // namespace latchkey::ui::speech
