#include "core/foundation/base/glob.h"

#include <algorithm>
#include <utility>

namespace latchkey::base {

namespace {

/// Matches one character against the set that begins after `[`. Returns the result and the position after the set. As
/// in Redis, an unclosed set ends with the pattern.
std::pair<bool, qsizetype> matchSet(QByteArrayView pattern, qsizetype at, char character)
{
    const bool negated = at < pattern.size() && pattern[at] == '^';
    if (negated)
        ++at;
    bool found = false;
    while (at < pattern.size() && pattern[at] != ']') {
        if (pattern[at] == '\\' && at + 1 < pattern.size()) {
            found = found || pattern[at + 1] == character;
            at += 2;
        } else if (at + 2 < pattern.size() && pattern[at + 1] == '-') {
            // Compared as signed characters, as in the server.
            const auto [low, high] =
                std::minmax({static_cast<signed char>(pattern[at]), static_cast<signed char>(pattern[at + 2])});
            found =
                found || (static_cast<signed char>(character) >= low && static_cast<signed char>(character) <= high);
            at += 3;
        } else {
            found = found || pattern[at] == character;
            ++at;
        }
    }
    return {found != negated, std::min(at + 1, pattern.size())};
}

/// Matches one character against the pattern element at `at`, which must not be a star. Returns the result and the
/// position after the element.
std::pair<bool, qsizetype> matchOne(QByteArrayView pattern, qsizetype at, char character)
{
    switch (pattern[at]) {
    case '?':
        return {true, at + 1};
    case '[':
        return matchSet(pattern, at + 1, character);
    case '\\':
        if (at + 1 < pattern.size())
            return {pattern[at + 1] == character, at + 2};
        [[fallthrough]];
    default:
        return {pattern[at] == character, at + 1};
    }
}

} // namespace

Glob::Glob(QByteArray pattern)
    : m_pattern(std::move(pattern))
{}

Glob Glob::fromFilter(const QByteArray &text)
{
    if (text.isEmpty())
        return {};
    const bool isPattern = text.contains('*') || text.contains('?');
    QByteArray pattern;
    for (const char byte : text) {
        if (byte == '\\' || (byte == '[' && !isPattern))
            pattern += '\\';
        pattern += byte;
    }
    return Glob(isPattern ? pattern : '*' + pattern + '*');
}

Glob Glob::exactly(const QByteArray &key)
{
    QByteArray pattern;
    for (const char byte : key) {
        if (QByteArrayView("*?[\\").contains(byte))
            pattern += '\\';
        pattern += byte;
    }
    return Glob(pattern);
}

bool Glob::matches(QByteArrayView key) const
{
    if (matchesEverything())
        return true;
    const QByteArrayView pattern(m_pattern);
    qsizetype inPattern = 0;
    qsizetype inKey = 0;
    // Position after the last star, and end of its match so far. On a mismatch the star matches one more character.
    // Earlier stars never have to be retried, so the time is at most the pattern's length times the key's.
    qsizetype star = -1;
    qsizetype starKey = 0;
    while (inKey < key.size()) {
        if (inPattern < pattern.size() && pattern[inPattern] == '*') {
            star = ++inPattern;
            starKey = inKey;
            continue;
        }
        if (inPattern < pattern.size()) {
            const auto [matched, next] = matchOne(pattern, inPattern, key[inKey]);
            if (matched) {
                inPattern = next;
                ++inKey;
                continue;
            }
        }
        if (star < 0)
            return false;
        inPattern = star;
        inKey = ++starKey;
    }
    while (inPattern < pattern.size() && pattern[inPattern] == '*')
        ++inPattern;
    return inPattern == pattern.size();
}

} // namespace latchkey::base
