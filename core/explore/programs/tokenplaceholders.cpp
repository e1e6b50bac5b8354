#include "core/explore/programs/tokenplaceholders.h"

#include "core/explore/programs/timesofday.h"

#include <QJsonDocument>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace latchkey::programs {

using races::Offer;
using resp::Command;
using resp::Reply;

namespace {

constexpr char mark = '\x01'; // A byte that no client uses.
constexpr char nameBeginning[] = "token-of-";

QByteArray hidden(QByteArray text, const QList<QByteArray> &values)
{
    for (qsizetype n = 0; n < values.size(); ++n)
        text.replace(values[n], tokenPlaceholder(static_cast<int>(n)));
    return text;
}

QByteArray shown(QByteArray text, const QList<QByteArray> &values)
{
    if (!text.contains(mark))
        return text;
    for (qsizetype n = 0; n < values.size(); ++n)
        text.replace(tokenPlaceholder(static_cast<int>(n)), values[n]);
    return text;
}

/// Returns whether the number is an address in the areas of a program's data, its mappings or its stacks, such as the
/// identifier of a thread. No time of day in any unit has such a number now.
bool isAddress(double number)
{
    constexpr double lowest = 0x5500'0000'0000;
    constexpr double highest = 0x7fff'ffff'ffff;
    return number >= lowest && number <= highest;
}

/// Returns whether two words are numbers that differ by at most 0.1 %. Random numbers are rarely that close; two clock
/// readings are closer. Addresses are often that close, but seldom equal.
bool areCloseNumbers(const QByteArray &a, const QByteArray &b)
{
    constexpr double close = 1e-3;
    bool isNumber = false;
    bool isOtherNumber = false;
    const double one = a.toDouble(&isNumber);
    const double other = b.toDouble(&isOtherNumber);
    return isNumber && isOtherNumber && !(isAddress(one) && isAddress(other))
        && std::abs(one - other) <= close * std::max(std::abs(one), std::abs(other));
}

bool isJsonPunctuation(char c)
{
    return std::string_view("{}[],:\" \t\r\n").find(c) != std::string_view::npos;
}

bool isJson(const QByteArray &word)
{
    return (word.startsWith('{') || word.startsWith('[')) && !QJsonDocument::fromJson(word).isNull();
}

/// Returns the parts of a text between JSON's punctuation, and the punctuation itself, in turn.
QByteArrayList jsonParts(const QByteArray &text)
{
    QByteArrayList parts {QByteArray()};
    for (const char c : text) {
        if (isJsonPunctuation(c) != (parts.size() % 2 == 0))
            parts += QByteArray();
        parts.back() += c;
    }
    return parts;
}

bool isToken(const QByteArray &our, const QByteArray &their)
{
    return our.size() >= minimumTokenLength && their.size() >= minimumTokenLength && !areCloseNumbers(our, their);
}

using ValuePairs = std::vector<std::pair<QByteArray, QByteArray>>;

/// Returns the different parts of two JSON documents of one form that are not known as tokens yet. Absent: the
/// documents differ in something other than tokens, or the words are not documents.
std::optional<ValuePairs> differentParts(const QByteArray &our, const QList<QByteArray> &ourValues,
                                         const QByteArray &their, const QList<QByteArray> &theirValues)
{
    if (!isJson(our) || !isJson(their))
        return std::nullopt;
    const QByteArrayList ours = jsonParts(our);
    const QByteArrayList theirs = jsonParts(their);
    if (ours.size() != theirs.size())
        return std::nullopt;
    ValuePairs different;
    for (qsizetype i = 0; i < ours.size(); ++i) {
        if (hidden(ours[i], ourValues) == hidden(theirs[i], theirValues))
            continue;
        const bool isPunctuation = i % 2 == 1;
        bool isNumber = false;
        (void)ours[i].toDouble(&isNumber); // A placeholder in place of a number would not be valid JSON.
        if (isPunctuation || isNumber || !isToken(ours[i], theirs[i]))
            return std::nullopt;
        if (const std::pair value(ours[i], theirs[i]); std::ranges::find(different, value) == different.end())
            different.push_back(value);
    }
    return different;
}

/// Returns whether the character can be part of a UUID, or of a number in hexadecimal or Base64 form.
bool isIdCharacter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
        || std::string_view("+/=_.-").find(c) != std::string_view::npos;
}

bool isPrintable(const QByteArray &word)
{
    return std::ranges::all_of(word, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Returns the parts of a word between characters that are in no id.
QByteArrayList idParts(const QByteArray &word)
{
    QByteArrayList parts {QByteArray()};
    for (const char c : word) {
        if (isIdCharacter(c))
            parts.back() += c;
        else
            parts += QByteArray();
    }
    return parts;
}

/// Returns the length of the common end of two words, from a separator on.
qsizetype commonSuffixLength(const QByteArray &one, const QByteArray &other)
{
    QByteArray first = one;
    QByteArray second = other;
    std::ranges::reverse(first);
    std::ranges::reverse(second);
    return commonPrefix(first, second).size();
}

/// Returns the tokens in two different words. A program may send an id alone, behind a prefix, and together with other
/// ids, so the tokens are the parts that differ. A whole word is a token if one of its parts is too short for one.
/// Empty: the words differ in something other than tokens.
ValuePairs differentIds(const QByteArray &our, const QList<QByteArray> &ourValues, const QByteArray &their,
                        const QList<QByteArray> &theirValues)
{
    const ValuePairs whole = isToken(our, their) ? ValuePairs {{our, their}} : ValuePairs();
    if (whole.empty() || isJson(our) || isJson(their) || !isPrintable(our) || !isPrintable(their))
        return whole;
    const QByteArrayList ours = idParts(our);
    const QByteArrayList theirs = idParts(their);
    if (ours.size() != theirs.size())
        return whole;
    ValuePairs different;
    for (qsizetype i = 0; i < ours.size(); ++i) {
        if (hidden(ours[i], ourValues) == hidden(theirs[i], theirValues))
            continue;
        const qsizetype prefix = commonPrefix(ours[i], theirs[i]).size();
        const qsizetype suffix = commonSuffixLength(ours[i].sliced(prefix), theirs[i].sliced(prefix));
        const QByteArray one = ours[i].sliced(prefix).chopped(suffix);
        const QByteArray other = theirs[i].sliced(prefix).chopped(suffix);
        const std::pair value = isToken(one, other) ? std::pair(one, other) : std::pair(ours[i], theirs[i]);
        if (!isToken(value.first, value.second))
            return whole;
        if (std::ranges::find(different, value) == different.end())
            different.push_back(value);
    }
    return different.empty() ? whole : different;
}

/// Returns whether both words are JSON documents of one form. A number or a short text in them may be a time.
bool areDocumentsOfOneForm(const QByteArray &our, const QByteArray &their)
{
    return isJson(our) && isJson(their) && jsonParts(our).size() == jsonParts(their).size();
}

/// Returns the value that stands in a sent word where the expected word has this placeholder. Empty: the words differ.
QByteArray valueAt(const QByteArray &placeholder, const QByteArray &sent, const QByteArray &expected,
                   const QList<QByteArray> &values)
{
    const qsizetype at = expected.indexOf(placeholder);
    if (at < 0)
        return {};
    const QByteArray before = shown(expected.first(at), values);
    const QByteArray after = expected.sliced(at + placeholder.size());
    if (!sent.startsWith(before))
        return {};
    const qsizetype next = after.indexOf(mark);
    const QByteArray literal = next < 0 ? after : after.first(next);
    if (next < 0 && !sent.endsWith(literal))
        return {};
    const qsizetype end = next < 0 ? sent.size() - literal.size() : sent.indexOf(literal, before.size());
    return end < before.size() ? QByteArray() : sent.sliced(before.size(), end - before.size());
}

} // namespace

QByteArray tokenPlaceholder(int n)
{
    return mark + QByteArray("own-") + QByteArray::number(n) + mark;
}

std::vector<Offer> withReadableTokens(std::vector<Offer> offers)
{
    return changed(std::move(offers), [](QByteArray word) {
        for (int n = 0; word.contains(mark) && word.contains("own-"); ++n)
            word.replace(tokenPlaceholder(n), n == 0 ? "TOKEN" : "TOKEN-" + QByteArray::number(n + 1));
        return word;
    });
}

QByteArray tokenName(races::ClientIndex client, int n, const QByteArray &prefix)
{
    const QByteArray name = prefix + nameBeginning + races::clientName(client).toLatin1();
    return n == 0 ? name : name + '-' + QByteArray::number(n + 1);
}

QByteArray withTokenNames(QByteArray word, races::ClientIndex client, const QList<QByteArray> &prefixes)
{
    for (int n = 0; n < static_cast<int>(prefixes.size()); ++n)
        word.replace(tokenPlaceholder(n), tokenName(client, n, prefixes[n]));
    return word;
}

bool isTokenName(const QByteArray &word)
{
    return word.contains(nameBeginning);
}

QByteArray commonPrefix(const QByteArray &one, const QByteArray &other)
{
    constexpr std::string_view separators = ":/|#@=,;}-_.";
    const auto equal = std::ranges::mismatch(one, other).in1 - one.begin();
    const auto isSeparator = [&](char c) { return separators.find(c) != std::string_view::npos; };
    const auto beginning = std::string_view(one.constData(), static_cast<std::size_t>(equal));
    const auto last = std::ranges::find_if(beginning.rbegin(), beginning.rend(), isSeparator);
    const QByteArray prefix = one.first(beginning.rend() - last);
    return isJson(one) || isJson(other) || prefix.contains(nameBeginning) ? QByteArray() : prefix;
}

std::optional<QByteArray> similarToken(const QByteArray &one, const QByteArray &other, int which)
{
    constexpr int minPlaces = 8;
    QByteArray value = one;
    int places = 0; // Positions at which the two differ.
    for (qsizetype i = 0; i < std::min(one.size(), other.size()); ++i) {
        if (one[i] == other[i])
            continue;
        if (places % (2 * (which + 1)) > which)
            value[i] = other[i];
        ++places;
    }
    return places < minPlaces + which ? std::nullopt : std::optional(value);
}

Reply changed(const Reply &reply, const std::function<QByteArray(QByteArray)> &change)
{
    switch (reply.kind()) {
    case Reply::Kind::Bulk:
        return Reply::bulk(change(reply.bytes()));
    case Reply::Kind::Status:
        return Reply::status(change(reply.bytes()));
    case Reply::Kind::Array: {
        resp::Replies elements;
        for (const Reply &element : reply.elements())
            elements.push_back(changed(element, change));
        return Reply::array(std::move(elements));
    }
    default:
        return reply;
    }
}

std::vector<Offer> changed(std::vector<Offer> offers, const std::function<QByteArray(QByteArray)> &change)
{
    for (Offer &offer : offers) {
        for (Command &command : offer.commands) {
            for (std::size_t i = 0; i < command.words().size(); ++i)
                command = command.withWord(i, change(command.words()[i]));
        }
    }
    return offers;
}

std::vector<Offer> withPlaceholders(std::vector<Offer> offers, const QList<QByteArray> &values)
{
    if (values.isEmpty())
        return offers;
    return changed(std::move(offers), [&](const QByteArray &word) { return hidden(word, values); });
}

Reply withValues(const Reply &reply, const QList<QByteArray> &values)
{
    return changed(reply, [&](const QByteArray &text) { return shown(text, values); });
}

bool containJsonDocument(const QList<QByteArray> &values)
{
    return std::ranges::any_of(values, isJson);
}

bool haveEqualStructure(const std::vector<Offer> &a, const std::vector<Offer> &b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].conversation != b[i].conversation || a[i].server != b[i].server
            || a[i].commands.size() != b[i].commands.size())
            return false;
        for (std::size_t c = 0; c < a[i].commands.size(); ++c) {
            if (a[i].commands[c].words().size() != b[i].commands[c].words().size())
                return false;
        }
    }
    return true;
}

std::optional<std::vector<Offer>> commonOffers(const std::vector<Offer> &ours, QList<QByteArray> &ourValues,
                                               const std::vector<Offer> &theirs, QList<QByteArray> &theirValues,
                                               Clocks clocks)
{
    if (!haveEqualStructure(ours, theirs))
        return std::nullopt;
    std::vector<Offer> common = ours;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        for (std::size_t c = 0; c < ours[i].commands.size(); ++c) {
            Command &command = common[i].commands[c];
            for (std::size_t w = 0; w < command.words().size(); ++w) {
                const QByteArray our = ours[i].commands[c].words()[w];
                const QByteArray their = theirs[i].commands[c].words()[w];
                if (hidden(our, ourValues) != hidden(their, theirValues)) {
                    // A document keeps its form, so that a script in the server can still read it.
                    ValuePairs values = differentParts(our, ourValues, their, theirValues).value_or(ValuePairs());
                    const bool isOutcomeUnknown = values.empty() && areDocumentsOfOneForm(our, their);
                    if (clocks == Clocks::Different
                        && (isOutcomeUnknown || (containsTimeOfDay(our) && containsTimeOfDay(their))))
                        return std::nullopt;
                    if (values.empty())
                        values = differentIds(our, ourValues, their, theirValues);
                    if (values.empty())
                        return std::nullopt;
                    for (const auto &[one, other] : values) {
                        ourValues += one;
                        theirValues += other;
                    }
                }
                command = command.withWord(w, hidden(our, ourValues));
            }
        }
    }
    return common;
}

bool learnValues(const std::vector<Offer> &sent, const std::vector<Offer> &expected, QList<QByteArray> &values)
{
    if (!haveEqualStructure(sent, expected))
        return false;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        for (std::size_t c = 0; c < sent[i].commands.size(); ++c) {
            const auto &words = sent[i].commands[c].words();
            for (std::size_t w = 0; w < words.size(); ++w) {
                const QByteArray &wanted = expected[i].commands[c].words()[w];
                for (QByteArray value;
                     value = valueAt(tokenPlaceholder(static_cast<int>(values.size())), words[w], wanted, values),
                     value.size() >= minimumTokenLength;)
                    values += value;
                if (hidden(words[w], values) != wanted)
                    return false;
            }
        }
    }
    return true;
}

} // namespace latchkey::programs
