#include "tests/fuzz/target.h"

#include "core/foundation/base/terminaltext.h"

#include <algorithm>
#include <array>

namespace latchkey::fuzz {

namespace {

constexpr std::array all {
    Target {"clients", fuzzClients, 400},
    Target {"dialects", fuzzDialects, 40},
    Target {"expectations", fuzzExpectations, 400},
    Target {"info", fuzzInfo, 400},
    Target {"orders", fuzzOrders, 400},
    Target {"pasted", fuzzPasted, 400},
    Target {"patterns", fuzzPatterns, 100},
    Target {"recogniser", fuzzRecogniser, 100},
    Target {"recording", fuzzRecording, 200},
    Target {"replies", fuzzReplies, 400},
    Target {"reports", fuzzReports, 400},
    Target {"scenario", fuzzScenario, 100},
    Target {"servers", fuzzServers, 30},
    Target {"story", fuzzStory, 100},
    Target {"url", fuzzUrl, 400},
};

} // namespace

std::span<const Target> targets()
{
    return all;
}

const Target *targetNamed(QByteArrayView name)
{
    const auto found = std::ranges::find_if(all, [&](const Target &target) { return name == target.name; });
    return found == all.end() ? nullptr : found;
}

void requireShown(const QString &text, const char *property)
{
    require(std::ranges::all_of(text, base::isShownByTerminals), property);
}

void requireRefusal(const base::Error &error, const QString &file)
{
    const QString message = error.message();
    if (error.kind != base::ErrorKind::Usage || !message.startsWith(file))
        throw Broken("a refusal names the file: " + message.toStdString());
}

} // namespace latchkey::fuzz
