#include "ui/keytable/keycolumns.h"

#include "ui/keytable/keytext.h"

#include <QDateTime>

namespace latchkey::ui::keytable {

using keyspace::ValueReader;
using Cell = ColumnTraits::Cell;
using Widths = ColumnTraits::Widths;

namespace {

QString keyOf(const KeyFacts &facts)
{
    return keyText(facts.key);
}

QString typeOf(const KeyFacts &facts)
{
    return typeText(facts.type);
}

QString valueOf(const KeyFacts &facts)
{
    return facts.value == nullptr ? QString() : valueText(*facts.value);
}

QString timeLeftOf(const KeyFacts &facts)
{
    return timeLeftText(facts.deadline, facts.state, facts.time.now());
}

/// By the clock that goes on: an end is a moment, wherever the countdown has stopped.
QString endOf(const KeyFacts &facts)
{
    const base::Clock &clock = facts.time.clock();
    const auto wallNow = QDateTime::fromMSecsSinceEpoch(clock.wallNow().time_since_epoch().count());
    return endText(facts.deadline, clock.now(), wallNow);
}

QString endInFull(const KeyFacts &facts)
{
    return endSentence(facts.deadline, facts.state, endOf(facts));
}

std::array<ColumnTraits, ColumnCount> makeTraits()
{
    std::array<ColumnTraits, ColumnCount> all;
    all[KeyColumn] = {.title = [] { return KeyText::tr("Key"); },
                      .text = keyOf,
                      .toolTip = keyOf,
                      .sort = &rows::byKey,
                      .needs = {},
                      .cell = Cell::Text,
                      .widths = {},
                      .compact = Widths {},
                      .alignment = Qt::AlignLeft};
    all[TypeColumn] = {.title = [] { return KeyText::tr("Type"); },
                       .text = typeOf,
                       .toolTip = nullptr,
                       .sort = &rows::byType,
                       .needs = ValueReader::What::Types,
                       .cell = Cell::Type,
                       .widths = {96, 96},
                       .compact = {},
                       .alignment = Qt::AlignLeft};
    all[ValueColumn] = {.title = [] { return KeyText::tr("Value"); },
                        .text = valueOf,
                        .toolTip = valueOf,
                        .sort = &rows::byValue,
                        .needs = ValueReader::What::Values,
                        .cell = Cell::Text,
                        .widths = {},
                        .compact = Widths {76, 76},
                        .alignment = Qt::AlignLeft};
    all[TimeLeftColumn] = {.title = [] { return KeyText::tr("Time left"); },
                           .text = timeLeftOf,
                           .toolTip = endInFull,
                           .sort = &rows::byTimeLeft,
                           .needs = {},
                           .cell = Cell::Countdown,
                           .widths = {250, 162},
                           .compact = Widths {162, 162},
                           .alignment = Qt::AlignLeft};
    all[EndColumn] = {.title = [] { return KeyText::tr("Ends at"); },
                      .text = endOf,
                      .toolTip = endInFull,
                      .sort = &rows::byTimeLeft,
                      .needs = {},
                      .cell = Cell::Text,
                      .widths = {190, 190},
                      .compact = {},
                      .alignment = Qt::AlignLeft};
    return all;
}

} // namespace

const std::array<ColumnTraits, ColumnCount> &columnTraits()
{
    static const std::array<ColumnTraits, ColumnCount> traits = makeTraits();
    return traits;
}

const ColumnTraits &traitsOf(int column)
{
    return columnTraits().at(static_cast<std::size_t>(column));
}

} // namespace latchkey::ui::keytable
