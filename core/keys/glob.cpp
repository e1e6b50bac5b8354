#include "core/keys/glob.h"

#include <algorithm>
#include <utility>

namespace latchkey::keys {

namespace {

/// Matches one character against the set that begins behind `[`; gives what follows the set. An unclosed set ends with
/// the pattern, as in Redis.
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
            // As signed characters, which is what the server compares.
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

/// Matches one character against the pattern's element at `at`, which is not a star; gives what follows the element.
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
    // Where the last star stood, and where its match ends so far: on a mismatch the star takes one character more.
    // Earlier stars need no second chance, so no pattern takes longer than its length times the key's.
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

} // namespace latchkey::keys
