#pragma once

#include <QByteArray>
#include <QList>

#include <array>
#include <bitset>
#include <vector>

namespace latchkey::recognition {

/// Whether it pays to read the value of a key of that name, as far as names tell.
enum class Interest : quint8 {
    None, ///< An everyday name (a session, a counter, a cache): a lock there would say so.
    Some, ///< It could be anything: some libraries leave the name to their users.
    High, ///< It has a word for a lock in it, or is named as a library names its locks.
};

/// The words that make a name a lock's, or an everyday one. All in lower case.
struct NameWords
{
    QByteArrayList lockWords;     ///< Count as words of their own: `lock:7`, `orderLock`; not `block:7`.
    QByteArrayList notBeforeLock; ///< `workerlock` counts, but not what makes another word: `clock`, `unlock`.
    QByteArrayList notAfterLock;  ///< `lock_count` is about locks, and is none.
    QByteArrayList everydayWords;
};

/// Finds in a name, in one pass and without allocating, all that recognition wants to know of it: an automaton over the
/// words and over what the dialects' names have in them. Immutable once made; a million names take well under a second.
class NameScreen final
{
public:
    static constexpr std::size_t mostHints = 256;
    using Hints = std::bitset<mostHints>;

    /// What was found in a name.
    struct Found
    {
        Hints hints;             ///< By their place in the list of hints.
        QByteArrayView lockWord; ///< The first one, in the name itself; empty: none.
        bool isEveryday = false;

        [[nodiscard]] Interest interest() const;
    };

    NameScreen() = default;
    /// hints: parts of names that a library gives; letters match in either case.
    NameScreen(NameWords words, const QByteArrayList &hints);

    [[nodiscard]] Found look(QByteArrayView name) const;

private:
    enum class Kind : quint8 { Hint, LockWord, EverydayWord };
    struct Pattern
    {
        QByteArray text;
        Kind kind = Kind::Hint;
        std::size_t hint = 0;
        qint16 same = -1; ///< Another one with the same text.
    };
    static constexpr std::size_t letters = 64;
    struct State
    {
        std::array<quint16, letters> next {};
        quint16 fail = 0;
        qint16 pattern = -1; // The one that ends here.
        quint16 shorter = 0; // The next state, by way of fail, where one ends too; 0: none.
    };

    void add(const Pattern &pattern);
    void link();
    void take(Found &found, const Pattern &pattern, QByteArrayView name, qsizetype end) const;
    [[nodiscard]] bool isLockWordAt(QByteArrayView name, qsizetype begin, qsizetype end) const;

    NameWords m_words;
    std::vector<Pattern> m_patterns;
    std::vector<State> m_states;
};

} // namespace latchkey::recognition
