#include "ui/views/keytable/keycolumns.h"

#include "core/foundation/base/timetext.h"
#include "ui/views/keytable/keytext.h"

#include <QLocale>

namespace latchkey::ui::keytable {

using watching::ValueReader;
using Cell = ColumnTraits::Cell;
using Widths = ColumnTraits::Widths;

namespace {

/// Table widths in pixels, with the columns of locks. From `roomyTable` on, there is room for values; from `wideTable`
/// on, for all columns.
constexpr int roomyTable = 1000;
constexpr int wideTable = 1400;

QString keyOf(const KeyRowData &data)
{
    return keyText(data.key);
}

QString typeOf(const KeyRowData &data)
{
    return typeText(data.type);
}

QString valueOf(const KeyRowData &data)
{
    return data.value == nullptr ? QString() : valueText(*data.value);
}

QString kindOf(const KeyRowData &data)
{
    return data.analysis == nullptr ? QString() : shortKindText(*data.analysis);
}

/// Returns the kind together with the meaning of its icon.
QString kindInFull(const KeyRowData &data)
{
    const QString kind = data.analysis == nullptr ? QString() : kindText(*data.analysis);
    const bool hasSign = data.kindSign != nullptr && !data.kindSign->text.isEmpty();
    return kind.isEmpty() || !hasSign ? kind : kind + u'\n' + data.kindSign->text;
}

QString holderOf(const KeyRowData &data)
{
    return data.analysis == nullptr ? QString() : holderText(*data.analysis);
}

QString findingsOf(const KeyRowData &data)
{
    return data.analysis == nullptr || data.analysis->findings == 0 ? QString()
                                                                    : QLocale().toString(data.analysis->findings);
}

QString timeLeftOf(const KeyRowData &data)
{
    const bool isFields = data.fields != nullptr && data.deadline.isNever() && data.state == keys::KeyState::Live;
    return isFields ? firstFieldText(*data.fields, data.time.now())
                    : timeLeftText(data.deadline, data.state, data.time.now());
}

/// Returns the end of a key by the running clock: an expiry is a moment that does not depend on a frozen countdown.
QString endOf(const KeyRowData &data)
{
    const base::Clock &clock = data.time.clock();
    const auto wallNow = base::localTime(clock.wallNow());
    return endText(data.deadline, clock.now(), wallNow);
}

QString endInFull(const KeyRowData &data)
{
    QString end = endSentence(data.deadline, data.state, endOf(data));
    if (data.fields != nullptr && data.state == keys::KeyState::Live)
        end += u'\n' + fieldsSentence(*data.fields, data.time.now());
    return data.renewals == nullptr
             ? end
             : KeyText::tr("%1; %2", "when it ends, and how it is renewed").arg(end, renewalsText(*data.renewals));
}

ColumnTraits holderTraits()
{
    ColumnTraits traits;
    traits.title = [] { return KeyText::tr("Holder"); };
    traits.text = holderOf;
    traits.toolTip = holderOf;
    traits.sort = &rows::byHolder;
    traits.cell = Cell::Holder;
    traits.widths = {240, 180};
    traits.subject = ColumnTraits::Subject::Locks;
    return traits;
}

std::array<ColumnTraits, ColumnCount> makeTraits()
{
    std::array<ColumnTraits, ColumnCount> all;
    all[KeyColumn].title = [] { return KeyText::tr("Key"); };
    all[KeyColumn].text = keyOf;
    all[KeyColumn].toolTip = keyOf;
    all[KeyColumn].sort = &rows::byKey;
    all[KeyColumn].compact = Widths {};

    all[KindColumn].title = [] { return KeyText::tr("Lock"); };
    all[KindColumn].text = kindOf;
    all[KindColumn].toolTip = kindInFull;
    all[KindColumn].sort = &rows::byKind;
    all[KindColumn].cell = Cell::Kind;
    all[KindColumn].widths = {190, 172};
    all[KindColumn].subject = ColumnTraits::Subject::Locks;

    all[HolderColumn] = holderTraits();

    all[TypeColumn].title = [] { return KeyText::tr("Type"); };
    all[TypeColumn].text = typeOf;
    all[TypeColumn].sort = &rows::byType;
    all[TypeColumn].needs = ValueReader::Part::Types;
    all[TypeColumn].cell = Cell::Type;
    all[TypeColumn].widths = {96, 96};
    all[TypeColumn].besideLocksFrom = wideTable;

    all[ValueColumn].title = [] { return KeyText::tr("Value"); };
    all[ValueColumn].text = valueOf;
    all[ValueColumn].toolTip = valueOf;
    all[ValueColumn].sort = &rows::byValue;
    all[ValueColumn].needs = ValueReader::Part::Values;
    all[ValueColumn].besideLocksFrom = roomyTable;
    all[ValueColumn].besideLocks = 150;
    all[ValueColumn].compact = Widths {76, 76};

    all[TimeLeftColumn].title = [] { return KeyText::tr("Time left"); };
    all[TimeLeftColumn].text = timeLeftOf;
    all[TimeLeftColumn].toolTip = endInFull;
    all[TimeLeftColumn].sort = &rows::byTimeLeft;
    all[TimeLeftColumn].cell = Cell::Countdown;
    all[TimeLeftColumn].widths = {250, 162};
    all[TimeLeftColumn].compact = Widths {162, 162};

    all[EndColumn].title = [] { return KeyText::tr("Expires at"); };
    all[EndColumn].text = endOf;
    all[EndColumn].toolTip = endInFull;
    all[EndColumn].sort = &rows::byTimeLeft;
    all[EndColumn].widths = {190, 190};
    all[EndColumn].besideLocksFrom = wideTable;

    all[FindingsColumn].title = [] { return KeyText::tr("Findings"); };
    all[FindingsColumn].text = findingsOf;
    all[FindingsColumn].sort = &rows::byFindings;
    all[FindingsColumn].cell = Cell::Findings;
    all[FindingsColumn].widths = {92, 92};
    all[FindingsColumn].subject = ColumnTraits::Subject::Findings;
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
