#include "core/foundation/base/text.h"
#include "core/inspect/expectations/expectation.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that the text of an expectation is read as the same expectation. An accepted file has at most
/// maxExpectations, and a refusal of a file names the file.
void fuzzExpectations(QByteArrayView bytes)
{
    using namespace expectations;
    const QString name = QStringLiteral("mine.txt");
    const auto all = parseExpectations(name, bytes.toByteArray());
    if (!all) {
        requireRefusal(all.error(), name);
        return;
    }
    require(!all->empty() && all->size() <= maxExpectations, "a file has one at least and no more than the most");
    for (const Expectation &each : *all) {
        const auto again = parseExpectation(each.text);
        require(again && *again == each, "the text of an expectation is read as the same expectation");
        require(each.kind != Expectation::Kind::Gone || each.from <= each.until, "a span ends after its begin");
        require(each.from.count() >= 0 && each.until.count() >= 0, "no time is negative");
        (void)each.matches("lock:orders:1");
    }
}

} // namespace latchkey::fuzz
