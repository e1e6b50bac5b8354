#include "app/cli/lscolumns.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"

#include <algorithm>

namespace latchkey::cli {

using help::CommandLine;

void printLsRow(const LsCells &cells)
{
    constexpr std::array widths {-7, 14, -24, 5, 7, 9, 8, -33};
    QString line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const int width = i < widths.size() ? widths[i] : 0;
        const QString &cell = cells[i];
        line += width < 0 ? help::padded(cell, -width)
                          : QString(std::max<qsizetype>(width - help::columnsOf(cell), 0), u' ') + cell;
        if (i + 1 < cells.size())
            line += QLatin1String(i == 1 ? "  " : " ");
    }
    printBytes(line.toUtf8() + '\n');
}

void printLsTitles()
{
    printLsRow({CommandLine::tr("TYPE"), CommandLine::tr("TIME LEFT"), CommandLine::tr("KIND"),
                CommandLine::tr("COUNT"), CommandLine::tr("WAITING"), CommandLine::tr("FENCING"),
                CommandLine::tr("FINDINGS"), CommandLine::tr("HOLDER"), CommandLine::tr("KEY")});
}

} // namespace latchkey::cli
