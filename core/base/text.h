#pragma once

#include <QList>
#include <QString>

#include <concepts>
#include <memory>
#include <string>

class QJsonValue;

namespace latchkey::base {

/// The English of a Text, as it stands in the source: `QT_TRANSLATE_NOOP("core", "%1 is not a duration")`, which is
/// what lupdate looks for. It can only be made of a literal, and has exactly the places %1 to %9 that there are
/// arguments: both are checked by the compiler.
template<std::size_t Arguments>
class TextSource final
{
public:
    consteval TextSource(const char *english) // NOLINT(google-explicit-constructor): it is how a literal is written.
        : m_english(english)
    {
        for (std::size_t place = 1; place <= 9; ++place) {
            if (names(place) != (place <= Arguments))
                placesAndArgumentsDiffer();
        }
    }

    [[nodiscard]] constexpr const char *english() const { return m_english; }

private:
    [[nodiscard]] consteval bool names(std::size_t place) const
    {
        for (const char *at = m_english; *at != '\0'; ++at) {
            if (at[0] == '%' && at[1] == static_cast<char>('0' + static_cast<char>(place)))
                return true;
        }
        return false;
    }
    static void placesAndArgumentsDiffer() {} // Not constexpr: reaching it is an error, which shows its name.

    const char *m_english;
};

/// A text for people that is put into words when it is shown: what it says, and of what.
///
/// The one idea: the code that finds something out does not know in which language it will be read. A Text keeps a
/// source that translators know and its arguments: names, numbers and what others have said, which are taken as they
/// are, or further Texts. toString() asks the translators that are installed by then, and fills the places in; an
/// argument that looks like a place ("%2" in a key's name) stays what it is. A Text can also be what others have said
/// and nothing else. Copies share what they hold. It is no rich text: the code that shows it escapes it if need be.
class Text final
{
public:
    /// The context of all of core's texts, for translators.
    static constexpr const char *context = "core";

    Text() = default;
    /// What is taken as it is, in whatever language: a name, a number, what a server or the system has said. (A
    /// template, so that a literal is never converted to it.)
    template<std::same_as<QString> String>
    Text(const String &asItIs) // NOLINT(google-explicit-constructor): such an argument is written as what it is.
        : m_content(contentOf(asItIs))
    {}
    Text(QLatin1String asItIs); // NOLINT(google-explicit-constructor)

    template<typename... Arguments>
    explicit Text(TextSource<sizeof...(Arguments)> source, const Arguments &...arguments)
        : Text(literal(source.english()), none, {argument(arguments)...})
    {}

    /// With "%n" in it, of which a language may have several forms. \a count is from 0 on.
    template<typename... Arguments>
    [[nodiscard]] static Text counted(qint64 count, TextSource<sizeof...(Arguments)> source,
                                      const Arguments &...arguments)
    {
        return Text(literal(source.english()), count, {argument(arguments)...});
    }

    /// "subject: what is said of it".
    [[nodiscard]] static Text about(const Text &subject, const Text &what);

    [[nodiscard]] bool isEmpty() const { return m_content == nullptr; }

    /// In the language of now.
    [[nodiscard]] QString toString() const;

    /// For another process of ours, which words it in its own language: `"as it is"`, or `{"english": "%1 is not a
    /// duration", "with": ["5"]}` with a "count" where there is one.
    [[nodiscard]] QJsonValue toJson() const;
    /// What toJson() does not write is the empty text.
    [[nodiscard]] static Text fromJson(const QJsonValue &value);

    /// Whether they say the same in every language.
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

    std::shared_ptr<const Content> m_content; // None: the empty text.
};

} // namespace latchkey::base
