#include "core/explore/schedules/commandpattern.h"

#include <algorithm>
#include <array>

namespace latchkey::schedules {

using base::Glob;
using resp::Reply;

namespace {

/// Options of commands that a pattern may name in any case. Beside these, any word of capital letters counts as one.
constexpr std::array options {"NX",    "XX",      "GT",      "LT",    "GET",   "EX",     "PX",
                              "EXAT",  "PXAT",    "KEEPTTL", "CH",    "LEFT",  "RIGHT",  "BLOCK",
                              "GROUP", "STREAMS", "PERSIST", "COUNT", "LIMIT", "REPLACE"};

bool isCapital(const QByteArray &word)
{
    return std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool isOption(const QByteArray &word)
{
    return isCapital(word) || std::ranges::find(options, word.toUpper()) != options.end();
}

/// Returns whether the word matches. An option matches in any case.
bool matchesWord(const QByteArray &pattern, const QByteArray &word, bool isOption)
{
    return isOption ? Glob(pattern.toUpper()).matches(word.toUpper()) : Glob(pattern).matches(word);
}

bool isSuccess(const Reply &reply)
{
    return !reply.isError() && !reply.isNil() && !reply.isInteger(0) && !(reply.isArray() && reply.elements().empty());
}

} // namespace

base::Result<CommandPattern> CommandPattern::parse(const QByteArray &text)
{
    QList<QByteArray> words = text.simplified().split(' ');
    CommandPattern pattern;
    pattern.m_text = text.simplified();
    if (const qsizetype arrow = words.indexOf("->"); arrow >= 0) {
        if (words.size() != arrow + 2)
            return base::failure(base::ErrorKind::Usage,
                                 QT_TRANSLATE_NOOP("core", "one word for the reply must follow ->"));
        pattern.m_reply = words.last();
        words.resize(arrow);
    }
    if (words.isEmpty() || words.first().isEmpty())
        return base::failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the command is missing"));
    pattern.m_name = words.takeFirst().toUpper();
    pattern.m_arguments = words;
    return pattern;
}

bool CommandPattern::matches(const resp::Command &command) const
{
    const auto &words = command.words();
    const QByteArray name = command.name().toUpper();
    const bool isScript = name == "EVAL" && m_name == "EVALSHA"; // The search knows the source of the script.
    if (!isScript && !Glob(m_name).matches(name))
        return false;
    if (m_arguments.isEmpty())
        return true;
    if (words.size() < 2 || !matchesWord(m_arguments.first(), words[1], isCapital(m_arguments.first())))
        return false;
    auto at = words.begin() + 2;
    for (const QByteArray &pattern : m_arguments.mid(1)) {
        at = std::find_if(at, words.end(),
                          [&](const QByteArray &word) { return matchesWord(pattern, word, isOption(pattern)); });
        if (at == words.end())
            return false;
        ++at;
    }
    return true;
}

bool CommandPattern::matches(const Reply &reply) const
{
    if (!m_reply)
        return isSuccess(reply);
    if (*m_reply == "any")
        return true;
    if (*m_reply == "nil" || reply.isNil())
        return *m_reply == "nil" && reply.isNil();
    if (reply.isError() || reply.isArray())
        return false;
    return Glob(*m_reply).matches(reply.isInteger() ? QByteArray::number(reply.toInteger()) : reply.bytes());
}

} // namespace latchkey::schedules
