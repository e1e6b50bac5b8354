#include "core/inspect/recognition/siblingnames.h"

#include "core/inspect/recognition/lockpattern.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace latchkey::recognition {

namespace {

constexpr std::size_t maxParts = 64;
/// Minimum length of the longest constant text; see dialectText().
constexpr qsizetype minConstantLength = 3;

quint64 bit(std::size_t part)
{
    return quint64(1) << part;
}

QByteArray literal(const QByteArray &bytes)
{
    QByteArray text;
    for (const char byte : bytes)
        text += QByteArrayView("*?[").contains(byte) ? '[' + QByteArray(1, byte) + ']' : QByteArray(1, byte);
    return text;
}

} // namespace

SiblingNames::SiblingNames(const QByteArray &key)
    : m_key(key)
{
    for (const char separator : QByteArrayView(":/.|#_-")) {
        if (key.contains(separator)) {
            m_separator = separator;
            break;
        }
    }
    const QByteArrayList parts = key.split(m_separator);
    m_parts.assign(parts.begin(), parts.end());
}

void SiblingNames::add(QByteArrayView name)
{
    if (m_parts.size() < 2 || m_parts.size() > maxParts)
        return;
    quint64 differing = 0;
    std::size_t part = 0;
    for (qsizetype begin = 0; begin <= name.size(); ++part) {
        const qsizetype found = name.indexOf(m_separator, begin);
        const qsizetype end = found < 0 ? name.size() : found;
        if (part >= m_parts.size())
            return;
        if (name.sliced(begin, end - begin) != m_parts[part])
            differing |= bit(part);
        begin = end + 1;
    }
    const bool hasEqual = static_cast<std::size_t>(std::popcount(differing)) < m_parts.size();
    if (part == m_parts.size() && differing != 0 && hasEqual)
        ++m_counts[differing];
}

bool SiblingNames::isIdentifier(std::size_t part) const
{
    return std::ranges::any_of(m_parts[part], [](char c) { return c >= '0' && c <= '9'; });
}

quint64 SiblingNames::variableParts() const
{
    const auto areIdentifiers = [this](quint64 parts) {
        for (std::size_t part = 0; part < m_parts.size(); ++part) {
            if ((parts & bit(part)) != 0 && !isIdentifier(part))
                return false;
        }
        return true;
    };
    quint64 variable = 0;
    auto best = std::tuple(0, qint64(0), quint64(0)); // Few parts, many siblings, late parts.
    for (auto count = m_counts.cbegin(); count != m_counts.cend(); ++count) {
        const quint64 parts = count.key();
        const auto rank = std::tuple(-std::popcount(parts), *count, parts);
        const bool isPossible = std::has_single_bit(parts) || areIdentifiers(parts);
        if (isPossible && (variable == 0 || rank > best)) {
            variable = parts;
            best = rank;
        }
    }
    for (auto count = m_counts.cbegin(); variable != 0 && count != m_counts.cend(); ++count) {
        const quint64 further = count.key() & ~variable;
        if (std::has_single_bit(further) && areIdentifiers(further))
            variable |= further;
    }
    return variable;
}

QByteArray SiblingNames::pattern() const
{
    const quint64 variable = variableParts();
    if (variable == 0)
        return namesLike(m_key);
    QByteArray text;
    qsizetype constant = 0;
    qsizetype longest = 0;
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        const bool isVariable = (variable & bit(part)) != 0;
        if (part > 0) {
            text += m_separator;
            ++constant;
        }
        text += isVariable ? QByteArray("*") : literal(m_parts[part]);
        constant = isVariable ? 0 : constant + m_parts[part].size();
        longest = std::max(longest, constant);
    }
    // A shorter text would occur in too many other names.
    return longest < minConstantLength ? namesLike(m_key) : text;
}

} // namespace latchkey::recognition
