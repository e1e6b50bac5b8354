#pragma once

#include <QList>
#include <QString>

#include <concepts>
#include <memory>
#include <string>

class QJsonValue;

namespace latchkey::base {

/// The English source of a Text, as written in the code: `QT_TRANSLATE_NOOP("core", "%1 is not a duration")`, which
/// lupdate extracts. The compiler accepts only a literal with exactly one placeholder, %1 to %9, for each argument.
template<std::size_t Arguments>
class TextSource final
{
public:
    consteval TextSource(const char *english) // NOLINT(google-explicit-constructor): it is how a literal is written.
        : m_english(english)
    {
        for (std::size_t place = 1; place <= 9; ++place) {
            if (hasPlaceholder(place) != (place <= Arguments))
                placeholdersAndArgumentsDiffer();
        }
    }

    [[nodiscard]] constexpr const char *english() const { return m_english; }

private:
    [[nodiscard]] consteval bool hasPlaceholder(std::size_t place) const
    {
        for (const char *at = m_english; *at != '\0'; ++at) {
            if (at[0] == '%' && at[1] == static_cast<char>('0' + static_cast<char>(place)))
                return true;
        }
        return false;
    }
    static void placeholdersAndArgumentsDiffer() {} // Not constexpr: a call is a compile error, which shows this name.

    const char *m_english;
};

/// A message that is translated when it is shown: a source text and its arguments.
///
/// The code that detects a problem does not know the language of the reader. So a Text stores a source text that
/// translators know, and its arguments: names, numbers and external texts, which are used unchanged, or further Texts.
/// toString() uses the translators installed at that moment and inserts the arguments. An argument that looks like a
/// placeholder ("%2" in a key's name) is not replaced. A Text can also consist of one external text alone, such as a
/// message of the server. Copies share their content. A Text is plain text: code that shows it as rich text must escape
/// it.
class Text final
{
public:
    /// The context of all texts in core, for translators.
    static constexpr const char *context = "core";

    Text() = default;
    /// Creates a text that is used unchanged in every language: a name, a number, a message of a server or the system.
    /// The constructor is a template, so that a literal is never converted to a Text.
    template<std::same_as<QString> String>
    Text(const String &asItIs) // NOLINT(google-explicit-constructor): such an argument is written as what it is.
        : m_content(contentOf(asItIs))
    {}
    Text(QLatin1String asItIs); // NOLINT(google-explicit-constructor)

    template<typename... Arguments>
    explicit Text(TextSource<sizeof...(Arguments)> source, const Arguments &...arguments)
        : Text(literal(source.english()), none, {argument(arguments)...})
    {}

    /// Creates a text with "%n", which may have several forms in a language. `count`: at least 0.
    template<typename... Arguments>
    [[nodiscard]] static Text counted(qint64 count, TextSource<sizeof...(Arguments)> source,
                                      const Arguments &...arguments)
    {
        return Text(literal(source.english()), count, {argument(arguments)...});
    }

    /// Creates a text of the form "subject: what".
    [[nodiscard]] static Text about(const Text &subject, const Text &what);

    /// Creates "first; second", or one of both if the other is empty.
    [[nodiscard]] static Text joined(const Text &first, const Text &second);

    [[nodiscard]] bool isEmpty() const { return m_content == nullptr; }

    /// Returns the text in the current language.
    [[nodiscard]] QString toString() const;
    /// Returns the text in English, for formats that do not depend on the language of the user.
    [[nodiscard]] QString english() const;

    /// Converts the text for another process of this program, which translates it into its own language: `"as it is"`,
    /// or `{"english": "%1 is not a duration", "with": ["5"]}`, with a "count" if there is one.
    [[nodiscard]] QJsonValue toJson() const;
    /// Reads a result of toJson(); any other value gives the empty text.
    [[nodiscard]] static Text fromJson(const QJsonValue &value);

    /// Returns whether both texts have the same source and arguments, and therefore the same text in every language.
    friend bool operator==(const Text &a, const Text &b);

private:
    struct Content;

    static constexpr qint64 none = -1;

    Text(const QByteArray &english, qint64 count, const QList<Text> &arguments);

    [[nodiscard]] static std::shared_ptr<const Content> contentOf(const QString &asItIs);

    [[nodiscard]] static QByteArray literal(const char *english)
    {
        return QByteArray::fromRawData(english, static_cast<qsizetype>(std::char_traits<char>::length(english)));
    }

    template<typename T>
    [[nodiscard]] static Text argument(const T &value)
    {
        if constexpr (std::integral<T>)
            return Text(QString::number(value));
        else
            return Text(value);
    }

    std::shared_ptr<const Content> m_content; // Null: the empty text.
};

} // namespace latchkey::base
