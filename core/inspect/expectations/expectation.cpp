#include "core/inspect/expectations/expectation.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>

namespace latchkey::expectations {

using base::ErrorKind;
using base::failure;
using base::Text;
using std::chrono::milliseconds;
using Kind = Expectation::Kind;

namespace {

struct Word
{
    QString text;
    qsizetype at = 0; ///< Index of its first character.
};

std::vector<Word> wordsOf(const QString &text)
{
    static const QRegularExpression word(QStringLiteral("\\S+"));
    std::vector<Word> words;
    for (auto match = word.globalMatch(text); match.hasNext();) {
        const auto found = match.next();
        words.push_back({found.captured(), found.capturedStart()});
    }
    return words;
}

/// First words of each kind.
constexpr std::array beginnings {
    std::pair("gone", Kind::Gone),
    std::pair("exists", Kind::Exists),
    std::pair("renewed", Kind::Renewed),
    std::pair("never", Kind::Expiring),
};

std::optional<Kind> kindBegunBy(const QString &word)
{
    const auto *found =
        std::ranges::find_if(beginnings, [&](const auto &beginning) { return word == QLatin1String(beginning.first); });
    return found == beginnings.end() ? std::nullopt : std::optional(found->second);
}

/// A whole or decimal number and its unit.
struct Amount
{
    QString number;
    QString unit;
    qsizetype at = 0;
};

/// A reader of the words after the key. Throws a base::Failure with the position of the fault.
class ClauseReader final
{
public:
    ClauseReader(std::vector<Word> words, std::size_t from, qsizetype end)
        : m_words(std::move(words))
        , m_next(from)
        , m_end(end)
    {}

    [[noreturn]] static void refuse(qsizetype at, const Text &what)
    {
        throw base::Failure({ErrorKind::Usage, Text(QT_TRANSLATE_NOOP("core", "at character %1: %2"), at + 1, what)});
    }

    void expect(std::initializer_list<const char *> phrase)
    {
        for (const char *expected : phrase) {
            const QString word = QString::fromLatin1(expected);
            if (isAtEnd())
                refuse(m_end, Text(QT_TRANSLATE_NOOP("core", "\"%1\" is missing"), word));
            if (current().text != word)
                refuse(current().at,
                       Text(QT_TRANSLATE_NOOP("core", "\"%1\" stands where \"%2\" is expected"), current().text, word));
            ++m_next;
        }
    }
    [[nodiscard]] bool isAtEnd() const { return m_next >= m_words.size(); }
    void expectEnd() const
    {
        if (!isAtEnd())
            refuse(current().at, Text(QT_TRANSLATE_NOOP("core", "\"%1\" is too much"), current().text));
    }
    /// Refuses `after writing` for a clause that does not support it.
    void refuseAfterWriting() const
    {
        if (current().text == u"after")
            refuse(current().at,
                   Text(QT_TRANSLATE_NOOP("core", "\"after writing\" goes with \"gone between\" and \"exists until\" "
                                                  "only")));
    }
    [[nodiscard]] qsizetype place() const { return isAtEnd() ? m_end : current().at; }

    /// Reads a number. The unit may be missing only if the caller has another one.
    [[nodiscard]] Amount amount()
    {
        if (isAtEnd())
            refuse(m_end, Text(QT_TRANSLATE_NOOP("core", "a time is missing; write it like 500ms, 5s or 2m")));
        const Word word = current();
        ++m_next;
        qsizetype digits = 0;
        while (digits < word.text.size() && (word.text[digits].isDigit() || word.text[digits] == u'.'))
            ++digits;
        Amount amount {word.text.first(digits), word.text.sliced(digits), word.at};
        if (amount.unit.isEmpty() && !isAtEnd() && isUnit(current().text)) {
            amount.unit = current().text;
            ++m_next;
        }
        return amount;
    }
    [[nodiscard]] static milliseconds timeOf(const Amount &amount)
    {
        // base::parseDuration() converts the number with its unit and reports errors.
        const bool isDecimal = amount.number.contains(u'.') && isUnit(amount.unit);
        const auto unit = base::parseDuration((isDecimal ? QStringLiteral("1") : amount.number) + amount.unit);
        if (!unit)
            refuse(amount.at, unit.error().text);
        if (!isDecimal)
            return *unit;
        bool isNumber = false;
        const double count = amount.number.toDouble(&isNumber) * static_cast<double>(unit->count());
        if (!isNumber || std::abs(count - std::round(count)) > 1e-6 || count > 1e15)
            refuse(amount.at, Text(QT_TRANSLATE_NOOP("core", "\"%1\" is no time in whole milliseconds"),
                                   amount.number + amount.unit));
        return milliseconds(std::llround(count));
    }

private:
    [[nodiscard]] const Word &current() const { return m_words[m_next]; }
    [[nodiscard]] static bool isUnit(const QString &text)
    {
        return QStringList {QStringLiteral("ms"), QStringLiteral("s"), QStringLiteral("m"), QStringLiteral("h"),
                            QStringLiteral("d")}
            .contains(text);
    }

    std::vector<Word> m_words;
    std::size_t m_next;
    qsizetype m_end;
};

void readGone(ClauseReader &reader, Expectation &expectation)
{
    reader.expect({"gone", "between"});
    Amount first = reader.amount();
    reader.expect({"and"});
    const Amount second = reader.amount();
    if (first.unit.isEmpty())
        first.unit = second.unit;
    expectation.from = ClauseReader::timeOf(first);
    expectation.until = ClauseReader::timeOf(second);
    if (expectation.from > expectation.until)
        ClauseReader::refuse(second.at, Text(QT_TRANSLATE_NOOP("core", "%1 is before %2, so that no key can meet it"),
                                             second.number + second.unit, first.number + first.unit));
}

/// Reads a time greater than zero, because no key is renewed continuously.
void readTime(ClauseReader &reader, Expectation &expectation)
{
    const Amount amount = reader.amount();
    expectation.until = ClauseReader::timeOf(amount);
    if (expectation.until.count() <= 0)
        ClauseReader::refuse(amount.at, Text(QT_TRANSLATE_NOOP("core", "the time must be longer than zero")));
}

void readClause(ClauseReader &reader, Expectation &expectation)
{
    const bool countsFromWriting = expectation.kind == Kind::Gone || expectation.kind == Kind::Exists;
    switch (expectation.kind) {
    case Kind::Gone:
        readGone(reader, expectation);
        break;
    case Kind::Exists:
        reader.expect({"exists", "until"});
        readTime(reader, expectation);
        break;
    case Kind::Renewed:
        reader.expect({"renewed", "at", "least", "every"});
        readTime(reader, expectation);
        break;
    case Kind::Expiring:
        reader.expect({"never", "without", "expiry"});
        break;
    }
    if (!reader.isAtEnd() && countsFromWriting) {
        reader.expect({"after", "writing"});
        expectation.isAfterWriting = true;
    } else if (!reader.isAtEnd()) {
        reader.refuseAfterWriting();
    }
    reader.expectEnd();
}

/// Reads KEY. With an escaped *, ?, [ or ], a backslash escapes the next character, as in a pattern of SCAN. Otherwise
/// a backslash is literal, because keys contain backslashes more often than a star must be escaped.
void readKey(const QString &text, Expectation &expectation)
{
    static const QRegularExpression escape(QStringLiteral(R"(\\(x[0-9A-Fa-f]{2}|.))"));
    QByteArray literal;
    QByteArray pattern;
    bool hasEscape = false;
    bool isPattern = false;
    qsizetype plainFrom = 0;
    const auto addPlain = [&](qsizetype end) {
        const QByteArray plain = text.sliced(plainFrom, end - plainFrom).toUtf8();
        isPattern = isPattern || plain.contains('*') || plain.contains('?');
        literal += plain;
        pattern += plain;
    };
    for (auto match = escape.globalMatch(text); match.hasNext();) {
        const auto found = match.next();
        const QString escaped = found.captured(1);
        addPlain(found.capturedStart());
        plainFrom = found.capturedEnd();
        const QByteArray bytes = escaped.size() > 1 ? base::fromPrintable(found.captured()) : escaped.toUtf8();
        hasEscape = hasEscape || QByteArrayView("*?[]").contains(bytes);
        literal += bytes;
        pattern += base::Glob::exactly(bytes).pattern();
    }
    addPlain(text.size());
    expectation.key = hasEscape ? (isPattern ? pattern : literal) : base::fromPrintable(text);
    expectation.isPattern = hasEscape ? isPattern : expectation.key.contains('*') || expectation.key.contains('?');
    if (expectation.isPattern)
        expectation.pattern = hasEscape ? base::Glob(pattern) : base::Glob::fromFilter(expectation.key);
}

Expectation read(const QString &text)
{
    const std::vector<Word> words = wordsOf(text);
    if (words.empty())
        ClauseReader::refuse(0, Text(QT_TRANSLATE_NOOP("core", "a key and what is expected of it are missing")));
    // The last of these words is used: a key may contain blanks and any word.
    const auto last = std::ranges::find_if(words.rbegin(), words.rend(),
                                           [](const Word &word) { return kindBegunBy(word.text).has_value(); });
    const auto keyEnd = words.size() - static_cast<std::size_t>(last - words.rbegin()) - (last == words.rend() ? 0 : 1);
    if (last == words.rend()) {
        const qsizetype at = words.size() > 1 ? words[1].at : text.size();
        ClauseReader::refuse(
            at, Text(QT_TRANSLATE_NOOP(
                    "core", "what is expected is missing; it reads \"gone between 1s and 2s\", \"exists until 5s\", "
                            "\"renewed at least every 10s\" or \"never without expiry\"")));
    }
    if (keyEnd == 0)
        ClauseReader::refuse(words.front().at, Text(QT_TRANSLATE_NOOP("core", "the key is missing")));
    Expectation expectation;
    expectation.text = text.trimmed();
    expectation.kind = *kindBegunBy(last->text);
    const Word &lastOfKey = words[keyEnd - 1];
    const QString key = text.sliced(words.front().at, lastOfKey.at + lastOfKey.text.size() - words.front().at);
    readKey(key, expectation);
    ClauseReader reader(words, keyEnd, text.size());
    readClause(reader, expectation);
    return expectation;
}

} // namespace

base::Result<Expectation> parseExpectation(const QString &text)
{
    try {
        return read(text);
    } catch (const base::Failure &failed) {
        return failure(failed.error());
    }
}

base::Result<std::vector<Expectation>> parseExpectations(const QString &name, const QByteArray &contents)
{
    std::vector<Expectation> all;
    int line = 0;
    for (const QByteArray &bytes : contents.split('\n')) {
        ++line;
        const QByteArray trimmed = bytes.trimmed();
        if (trimmed.isEmpty() || trimmed.startsWith('#'))
            continue;
        // Characters count from the start of the line, blanks included.
        auto expectation = parseExpectation(textOf(bytes.endsWith('\r') ? bytes.chopped(1) : bytes));
        if (!expectation)
            return failure(expectation.error().during(QStringLiteral("%1:%2").arg(name).arg(line)));
        all.push_back(std::move(*expectation));
    }
    if (all.empty())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1: no expectation is in it"), name);
    if (all.size() > maxExpectations)
        return failure(
            ErrorKind::Usage,
            QT_TRANSLATE_NOOP("core", "%1: there are %2 expectations, and at most %3 can be watched together"), name,
            all.size(), maxExpectations);
    return all;
}

QString textOf(const QByteArray &bytes)
{
    return base::utf8Text(bytes).value_or(base::printable(bytes));
}

} // namespace latchkey::expectations
