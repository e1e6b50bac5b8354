#include "app/cli/lscolumns.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace latchkey::cli {

using help::CommandLine;

namespace {

/// Widths for a file or a pipe, where no cell is cut.
constexpr LsWidths lsPipeWidths {-7, 14, -24, 5, 7, 9, 8, -33};
/// Least width of the key in a terminal.
constexpr int minKeyColumns = 8;
constexpr std::size_t timeColumn = 1;
constexpr std::size_t kindColumn = 2;
constexpr std::size_t fencingColumn = 5;
constexpr std::size_t findingsColumn = 6;
constexpr std::size_t holderColumn = 7;
/// Columns that a narrow terminal omits, in this order: fencing, waiting, count, type.
constexpr std::array leftOutFirst {fencingColumn, std::size_t(4), std::size_t(3), std::size_t(0)};

} // namespace

int terminalWidth()
{
    constexpr int narrowest = 20;
    winsize size {};
    const bool isKnown = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0; // The declaration of ioctl() is variadic.
    const int columns = qEnvironmentVariableIntValue("COLUMNS");
    return columns >= narrowest ? columns : isKnown ? size.ws_col : 0;
}

QString cutTo(const QString &text, qsizetype columns)
{
    if (help::columnsOf(text) <= columns)
        return text;
    qsizetype length = 0;
    while (help::columnsOf(QStringView(text).first(length + 1)) < columns)
        ++length;
    return text.first(length) + QChar(u'…');
}

LsWidths lsWidthsFor(int terminalColumns)
{
    constexpr int shortestTime = 11;
    constexpr int shortestFencing = 7;
    constexpr int minTextWidth = 8;
    constexpr int usualKind = 18;
    constexpr int maxHolderWidth = 36; // Length of a UUID.
    if (terminalColumns <= 0)
        return lsPipeWidths;
    LsWidths widths = lsPipeWidths;
    widths[timeColumn] = shortestTime;
    widths[fencingColumn] = shortestFencing;
    int taken = minKeyColumns + 3; // Includes the gaps after kind and holder, and the wider one after the time.
    for (std::size_t i = 0; i < widths.size(); ++i)
        taken += i == kindColumn || i == holderColumn ? 0 : std::abs(widths[i]) + 1;
    for (const std::size_t column : leftOutFirst) {
        if (terminalColumns - taken < 2 * minTextWidth)
            taken -= std::abs(std::exchange(widths[column], 0)) + 1;
    }
    const int room = std::max(terminalColumns - taken, 2 * minTextWidth);
    const int kind = std::clamp(room - maxHolderWidth, std::min(room / 2, usualKind), -lsPipeWidths[kindColumn]);
    widths[kindColumn] = -kind;
    widths[holderColumn] = -std::clamp(room - kind, minTextWidth, maxHolderWidth);
    return widths;
}

QString lsLine(const LsCells &cells, const LsWidths &widths, bool isCut, const LsColours &colours)
{
    QString line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool isLast = i + 1 == cells.size();
        const int width = isLast ? 0 : widths[i];
        if (width == 0 && !isLast)
            continue;
        const QString cell = isCut && width < 0 ? cutTo(cells[i], -width) : cells[i];
        line += coloured(width < 0 ? help::padded(cell, -width)
                                   : QString(std::max<qsizetype>(width - help::columnsOf(cell), 0), u' ') + cell,
                         colours[i]);
        if (!isLast)
            line += QLatin1String(i == timeColumn ? "  " : " ");
    }
    return line;
}

namespace {

/// Prints a line. The width of the origin is the same for all lines.
void printLsLine(const LsOrigin &origin, Colour ofOrigin, const LsCells &cells, const LsColours &colours)
{
    static const int columns = terminalWidth();
    static const int taken = origin.text.isEmpty() ? 0 : std::abs(origin.width) + 1;
    static const LsWidths widths = lsWidthsFor(columns > 0 ? std::max(columns - taken, 1) : 0);
    QString line = lsLine(cells, widths, columns > 0, colours);
    if (!origin.text.isEmpty()) {
        const QString cell =
            origin.width < 0 ? help::padded(origin.text, -origin.width) : origin.text.rightJustified(origin.width);
        line.prepend(coloured(cell, ofOrigin) + u' ');
    }
    printBytes(line.toUtf8() + '\n');
}

} // namespace

void printLsRow(const LsCells &cells, const LsOrigin &origin)
{
    LsColours colours {};
    const bool isLock = cells[kindColumn] != u"-";
    if (isLock && cells[findingsColumn] != u"0")
        colours[findingsColumn] = Colour::Problem;
    if (isLock && cells[timeColumn] == CommandLine::tr("no expiry"))
        colours[timeColumn] = Colour::Caution;
    printLsLine(origin, Colour::None, cells, colours);
}

bool isTerminal()
{
    return ::isatty(STDOUT_FILENO) != 0;
}

void printLsTitles(const LsOrigin &origin)
{
    LsColours colours {};
    colours.fill(Colour::Title);
    printLsLine(origin, Colour::Title,
                {CommandLine::tr("TYPE"), CommandLine::tr("TIME LEFT"), CommandLine::tr("KIND"),
                 CommandLine::tr("COUNT"), CommandLine::tr("WAITING"), CommandLine::tr("FENCING"),
                 CommandLine::tr("FINDINGS"), CommandLine::tr("HOLDER"), CommandLine::tr("KEY")},
                colours);
}

} // namespace latchkey::cli
