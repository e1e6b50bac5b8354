#include "core/foundation/files/json.h"
#include "core/playground/playground/clientprotocol.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that an order, once read and written, is read as the same order.
void fuzzOrders(QByteArrayView bytes)
{
    const auto order = playground::orderFromJson(bytes.toByteArray());
    if (!order)
        return;
    const QByteArray line = files::toLine(playground::toJson(*order));
    const auto again = playground::orderFromJson(line);
    require(again.has_value(), "an order that was written is an order");
    require(files::toLine(playground::toJson(*again)) == line, "an order that was written is read as it was");
}

} // namespace latchkey::fuzz
