#pragma once

#include <QByteArray>
#include <QList>

#include <array>
#include <bitset>
#include <vector>

namespace latchkey::recognition {

/// The likelihood, from the name alone, that a key is a lock.
enum class LockLikelihood : quint8 {
    None, ///< Everyday name (a session, a counter, a cache): a lock would also have a lock word.
    Some, ///< Undecided: some libraries let their users choose the name.
    High, ///< Has a lock word, or is named as a library names its locks.
};

/// The words that mark a name as a lock's or as an everyday one, all in lower case.
struct NameWords
{
    QByteArrayList lockWords;     ///< Words that count only if they are separate: `lock:7`, `orderLock`; not `block:7`.
    QByteArrayList notBeforeLock; ///< Prefixes that make another word, such as `clock`, `unlock`; `workerlock` counts.
    QByteArrayList notAfterLock;  ///< Suffixes that make a name about locks, such as `lock_count`.
    QByteArrayList everydayWords;
};

/// An automaton that finds lock words, everyday words and the dialects' hints in a name, in one pass and without
/// allocation. Immutable. A million names take well under a second. Owned by the Dialects.
class NameClassifier final
{
public:
    static constexpr std::size_t maxHints = 256;
    using Hints = std::bitset<maxHints>;

    /// The result of the scan of a name.
    struct Found
    {
        Hints hints;             ///< Indexes into the list of hints.
        QByteArrayView lockWord; ///< First lock word, a view into the name; empty: none.
        bool isEveryday = false;

        [[nodiscard]] LockLikelihood lockLikelihood() const;
    };

    NameClassifier() = default;
    /// Builds the automaton. `hints`: parts of the libraries' key names; letter case is ignored.
    NameClassifier(NameWords words, const QByteArrayList &hints);

    [[nodiscard]] Found classify(QByteArrayView name) const;

private:
    enum class Kind : quint8 { Hint, LockWord, EverydayWord };
    struct Pattern
    {
        QByteArray text;
        Kind kind = Kind::Hint;
        std::size_t hint = 0;
        qint16 same = -1; ///< Another pattern with the same text.
    };
    static constexpr std::size_t letters = 64;
    struct State
    {
        std::array<quint16, letters> next {};
        quint16 fail = 0;
        qint16 pattern = -1; // The pattern that ends here.
        quint16 shorter = 0; // The next state along `fail` with an end of a pattern; 0: none.
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
