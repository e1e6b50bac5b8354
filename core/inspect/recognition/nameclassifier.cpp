#include "core/inspect/recognition/nameclassifier.h"

#include <algorithm>
#include <queue>

namespace latchkey::recognition {

namespace {

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool isLetter(char c)
{
    return isUpper(c) || (c >= 'a' && c <= 'z');
}

char lower(char c)
{
    return isUpper(c) ? static_cast<char>(c | 0x20) : c;
}

/// Letter class of each byte: letters without case, digits, and separators.
constexpr auto classes = [] {
    std::array<quint8, 256> table {};
    quint8 next = 1;
    for (std::size_t c = 'a'; c <= 'z'; ++c) {
        table[c - 'a' + 'A'] = next;
        table[c] = next++;
    }
    for (std::size_t c = '0'; c <= '9'; ++c)
        table[c] = next++;
    for (const char c :
         {':', '.', '_', '-', '/', '{', '}', '|', '@', '#', '+', '[', ']', '(', ')', '$', '%', '&', '~', '=', ' '})
        table[static_cast<uchar>(c)] = next++;
    return table;
}();

std::size_t classOf(char c)
{
    return classes[static_cast<uchar>(c)];
}

/// Returns whether a word begins here, also in camel case: `orderLock`.
bool beginsWord(QByteArrayView name, qsizetype at)
{
    return at == 0 || !isLetter(name[at - 1]) || (isUpper(name[at]) && !isUpper(name[at - 1]));
}

bool endsWord(QByteArrayView name, qsizetype end)
{
    return end == name.size() || !isLetter(name[end]) || (isUpper(name[end]) && !isUpper(name[end - 1]));
}

bool isSame(QByteArrayView text, QByteArrayView word)
{
    return std::ranges::equal(text, word, [](char a, char b) { return lower(a) == b; });
}

/// Returns the next word, which may follow one separator.
QByteArrayView wordAfter(QByteArrayView name, qsizetype end)
{
    const qsizetype begin = end < name.size() && !isLetter(name[end]) ? end + 1 : end;
    qsizetype behind = begin;
    while (behind < name.size() && isLetter(name[behind]) && (behind == begin || !beginsWord(name, behind)))
        ++behind;
    return name.sliced(std::min(begin, name.size()), behind - std::min(begin, name.size()));
}

/// Returns whether this everyday word is common in lock names: jobs are kept in Redis, and are also locked.
bool isLockedOften(QByteArrayView everydayWord)
{
    return everydayWord == "job" || everydayWord == "jobs";
}

} // namespace

LockLikelihood NameClassifier::Found::lockLikelihood() const
{
    if (!lockWord.isEmpty() || hints.any())
        return LockLikelihood::High;
    return isEveryday ? LockLikelihood::None : LockLikelihood::Some;
}

NameClassifier::NameClassifier(NameWords words, const QByteArrayList &hints)
    : m_words(std::move(words))
    , m_states(1)
{
    for (const QByteArray &word : m_words.lockWords)
        add({word, Kind::LockWord, 0, -1});
    for (const QByteArray &word : m_words.everydayWords)
        add({word, Kind::EverydayWord, 0, -1});
    for (qsizetype i = 0; i < hints.size(); ++i)
        add({hints[i], Kind::Hint, static_cast<std::size_t>(i), -1});
    link();
}

void NameClassifier::add(const Pattern &pattern)
{
    std::size_t state = 0;
    for (const char c : pattern.text) {
        const std::size_t letter = classOf(c);
        if (m_states[state].next[letter] == 0) {
            m_states[state].next[letter] = static_cast<quint16>(m_states.size());
            m_states.emplace_back();
        }
        state = m_states[state].next[letter];
    }
    m_patterns.push_back(pattern);
    m_patterns.back().same = m_states[state].pattern;
    m_states[state].pattern = static_cast<qint16>(m_patterns.size() - 1);
}

/// Converts the trie to an automaton: without a next letter, a state continues at its longest suffix that is also a
/// prefix.
void NameClassifier::link()
{
    std::queue<quint16> reached;
    for (const quint16 state : m_states[0].next) {
        if (state != 0)
            reached.push(state);
    }
    for (; !reached.empty(); reached.pop()) {
        const quint16 state = reached.front();
        const quint16 fail = m_states[state].fail;
        m_states[state].shorter = m_states[fail].pattern >= 0 ? fail : m_states[fail].shorter;
        for (std::size_t letter = 0; letter < letters; ++letter) {
            quint16 &next = m_states[state].next[letter];
            if (next == 0) {
                next = m_states[fail].next[letter];
            } else {
                m_states[next].fail = m_states[fail].next[letter];
                reached.push(next);
            }
        }
    }
}

NameClassifier::Found NameClassifier::classify(QByteArrayView name) const
{
    Found found;
    bool hasJob = false;
    if (m_states.empty())
        return found;
    std::size_t state = 0;
    for (qsizetype i = 0; i < name.size(); ++i) {
        state = m_states[state].next[classOf(name[i])];
        for (std::size_t ending = state; ending != 0; ending = m_states[ending].shorter) {
            for (qint16 at = m_states[ending].pattern; at >= 0; at = m_patterns[static_cast<std::size_t>(at)].same) {
                const Pattern &pattern = m_patterns[static_cast<std::size_t>(at)];
                if (pattern.kind == Kind::EverydayWord && isLockedOften(pattern.text))
                    hasJob = hasJob || (beginsWord(name, i + 1 - pattern.text.size()) && endsWord(name, i + 1));
                else
                    take(found, pattern, name, i + 1);
            }
        }
    }
    found.isEveryday = found.isEveryday || (hasJob && found.lockWord.isEmpty());
    return found;
}

void NameClassifier::take(Found &found, const Pattern &pattern, QByteArrayView name, qsizetype end) const
{
    const qsizetype begin = end - pattern.text.size();
    switch (pattern.kind) {
    case Kind::Hint:
        found.hints.set(pattern.hint);
        break;
    case Kind::LockWord:
        if (found.lockWord.isEmpty() && isLockWordAt(name, begin, end))
            found.lockWord = name.sliced(begin, end - begin);
        break;
    case Kind::EverydayWord:
        found.isEveryday = found.isEveryday || (beginsWord(name, begin) && endsWord(name, end));
        break;
    }
}

/// Returns whether the lock word is separate, or ends a compound: `workerlock`, but neither `clock` nor `locker`.
bool NameClassifier::isLockWordAt(QByteArrayView name, qsizetype begin, qsizetype end) const
{
    if (!endsWord(name, end))
        return false;
    const QByteArrayView after = wordAfter(name, end);
    if (std::ranges::any_of(m_words.notAfterLock, [&](const QByteArray &word) { return isSame(after, word); }))
        return false;
    if (beginsWord(name, begin))
        return true;
    qsizetype start = begin;
    while (start > 0 && !beginsWord(name, start))
        --start;
    const QByteArrayView before = name.sliced(start, begin - start);
    return before.size() >= 3 && std::ranges::none_of(m_words.notBeforeLock, [&](const QByteArray &part) {
               return before.size() >= part.size() && isSame(before.last(part.size()), part);
           });
}

} // namespace latchkey::recognition
