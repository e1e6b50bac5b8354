#include "core/playground/sequence/wiretext.h"

#include <QRegularExpression>

#include <QStringList>

#include <algorithm>

namespace latchkey::sequence {

namespace {

/// Minimum length of a shortened word: `abcd…wxyz`.
constexpr qsizetype shortest = 9;
/// Absolute minimum: `a…z`.
constexpr qsizetype minLength = 3;

/// Splits a command into words. A word with spaces is in quotation marks.
QStringList wordsOf(const QString &command)
{
    QStringList words {QString()};
    bool isQuoted = false;
    for (qsizetype i = 0; i < command.size(); ++i) {
        const QChar letter = command[i];
        if (letter == u'"' && (i == 0 || command[i - 1] != u'\\'))
            isQuoted = !isQuoted;
        if (letter == u' ' && !isQuoted)
            words += QString();
        else
            words.back() += letter;
    }
    return words;
}

/// Returns whether the word is an option, such as `PX` or `5000`.
bool isOption(const QString &word)
{
    return word == word.toUpper();
}

QString withoutMiddle(const QString &word, qsizetype letters)
{
    return word.left((letters - 1) / 2) + QChar(u'\u2026') + word.right(letters / 2);
}

} // namespace

QString shapeOf(const QString &text)
{
    static const QRegularExpression varying(QStringLiteral("\\b[0-9a-f]{24,}\\b|[0-9]{6,}"));
    return QString(text).replace(varying, QString(QChar(u'\u2026')));
}

QString withShortHex(QString text)
{
    static const QRegularExpression longHex(QStringLiteral("\\b([0-9a-f]{8})[0-9a-f]{24,32}\\b"));
    return text.replace(longHex, QStringLiteral("\\1\u2026"));
}

QString fitted(const QString &command, qsizetype letters)
{
    if (command.size() <= letters)
        return command;
    QStringList words = wordsOf(command);
    qsizetype total = command.size();
    const auto shorten = [&](qsizetype first, qsizetype last, qsizetype least) {
        while (total > letters) {
            QString *longest = nullptr;
            for (qsizetype i = first; i < std::min(last, words.size()); ++i) {
                const bool isLonger = words[i].size() > (longest == nullptr ? least : longest->size());
                if (isLonger && (words[i].size() > shortest || !isOption(words[i])))
                    longest = &words[i];
            }
            if (longest == nullptr)
                return;
            const qsizetype cut = std::max(least, longest->size() - (total - letters));
            total -= longest->size() - cut;
            *longest = withoutMiddle(*longest, cut);
        }
    };
    shorten(2, words.size(), shortest);
    shorten(2, words.size(), minLength);
    shorten(1, 2, shortest); // The key is shortened only if necessary.
    return words.join(u' ');
}

} // namespace latchkey::sequence
