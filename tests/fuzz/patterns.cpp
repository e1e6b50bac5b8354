#include "core/inspect/recognition/dialects.h"
#include "core/inspect/recognition/lockpattern.h"
#include "tests/fuzz/target.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

#include <array>

namespace latchkey::fuzz {

namespace {

using recognition::LockPattern;

void requireKept(const LockPattern &pattern)
{
    const auto text = recognition::dialectText(pattern);
    if (!text)
        return;
    const auto again = recognition::lockPatternFrom(QJsonDocument::fromJson(*text).object());
    require(again.has_value(), "the text of a pattern is read as a pattern");
    require(recognition::dialectText(*again).value() == *text, "the text of a pattern is read as the same pattern");
}

void requireDialect(const LockPattern &pattern)
{
    const auto text = recognition::dialectText(pattern);
    if (!text)
        return;
    const QByteArray file = R"({"format": "latchkey-dialects", "version": 1, "dialects": [)" + *text + "]}";
    require(recognition::Dialects::builtIn().with(QStringLiteral("mine.json"), file).has_value(),
            "the text of a pattern is a dialect");
}

/// Reads the keys, the type and the field from one line each. Puts a star before keys with a set, because a set needs a
/// star beside it.
LockPattern patternFrom(const QByteArray &bytes)
{
    static constexpr std::array types {keys::KeyType::String, keys::KeyType::Hash};
    static constexpr std::array places {LockPattern::Where::JsonField, LockPattern::Where::HashField};
    const QList<QByteArray> lines = bytes.split('\n');
    const QByteArray &keys = lines.front();
    const bool isHash = lines.value(1).startsWith('h');
    return {QStringLiteral("own.fuzz"), QStringLiteral("Fuzz"), keys.contains('[') ? '*' + keys : keys,
            types[isHash ? 1 : 0],      places[isHash ? 1 : 0], lines.value(2)};
}

/// Returns whether all sets consist of letters and digits. In the language of the filter, brackets in a set are
/// ambiguous.
bool hasPlainSets(const QByteArray &keys)
{
    static const QRegularExpression plain(QStringLiteral("^(?:[^\\[\\]]|\\[\\^?(?:[a-z0-9](?:-[a-z0-9])?)*\\])*$"),
                                          QRegularExpression::DotMatchesEverythingOption);
    return plain.match(QString::fromLatin1(keys)).hasMatch();
}

} // namespace

/// Checks that the text of a pattern is a dialect, and that the same pattern is read from the text.
void fuzzPatterns(QByteArrayView bytes)
{
    const QByteArray text = bytes.toByteArray();
    const QJsonDocument json = QJsonDocument::fromJson(text);
    if (!json.isObject()) {
        const LockPattern pattern = patternFrom(text);
        if (hasPlainSets(pattern.keys))
            requireKept(pattern);
        requireDialect(pattern);
    } else if (const auto pattern = recognition::lockPatternFrom(json.object())) {
        requireKept(*pattern);
    }
}

} // namespace latchkey::fuzz
