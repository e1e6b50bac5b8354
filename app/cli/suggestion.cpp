#include "app/cli/suggestion.h"

#include "app/cli/arguments.h"
#include "app/help/commandline.h"

#include <QCommandLineParser>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// Returns the edit distance: the number of inserted, deleted, replaced and transposed characters (optimal string
/// alignment).
int editDistance(const QString &a, const QString &b)
{
    const auto width = static_cast<std::size_t>(b.size()) + 1;
    std::vector<int> beforeLast(width);
    std::vector<int> last(width);
    std::vector<int> current(width);
    std::iota(last.begin(), last.end(), 0);
    for (qsizetype i = 0; i < a.size(); ++i) {
        current[0] = static_cast<int>(i) + 1;
        for (std::size_t column = 1; column < width; ++column) {
            const auto j = static_cast<qsizetype>(column) - 1;
            current[column] =
                std::min({last[column] + 1, current[column - 1] + 1, last[column - 1] + (a[i] == b[j] ? 0 : 1)});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                current[column] = std::min(current[column], beforeLast[column - 2] + 1);
        }
        beforeLast = std::exchange(last, current);
    }
    return last.back();
}

/// Returns the message for an option that has another name in this version. Empty if there is none.
QString renamedOption(const QCommandLineParser &parser, const QStringList &names)
{
    static constexpr std::array renamed {std::pair {"passes", "expirations"}, std::pair {"waits", "timer-steps"}};
    for (const auto &[before, now] : renamed) {
        if (names.contains(QLatin1String(now)) && parser.unknownOptionNames().contains(QLatin1String(before)))
            return CommandLine::tr("--%1 is called --%2 now").arg(QLatin1String(before), QLatin1String(now));
    }
    return {};
}

} // namespace

QString suggestionFor(const QString &word, const QStringList &candidates)
{
    constexpr qsizetype longest = 50; // Longer words are not names.
    if (word.size() < 2 || word.size() > longest)
        return {};
    QString best;
    int smallest = word.size() < 4 ? 2 : 3; // One more than the largest distance that counts as a typing error.
    for (const QString &candidate : candidates) {
        if (const int distance = editDistance(word, candidate); distance < smallest) {
            smallest = distance;
            best = candidate;
        }
    }
    return best;
}

QString parseErrorText(const QCommandLineParser &parser, const QList<QCommandLineOption> &options)
{
    QStringList names;
    for (const QCommandLineOption &option : options)
        std::ranges::copy_if(option.names(), std::back_inserter(names),
                             [](const auto &name) { return name.size() > 1; });
    if (QString renamed = renamedOption(parser, names); !renamed.isEmpty())
        return renamed;
    QString text = parser.errorText();
    if (text.endsWith(u'.') || text.endsWith(QChar(0x3002))) // The full stop of a Chinese sentence.
        text.chop(1);
    text[0] = text[0].toLower();
    text = Arguments::readable(text);
    for (const QString &unknown : parser.unknownOptionNames()) {
        if (const QString meant = suggestionFor(unknown, names); !meant.isEmpty())
            return CommandLine::tr("%1 (did you mean --%2?)").arg(text, meant);
    }
    return text;
}

} // namespace latchkey::cli
