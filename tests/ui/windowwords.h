#pragma once

#include "tests/support/windowbench.h"
#include "ui/widgets/banner.h"

#include <QLabel>

namespace latchkey::test {

/// The text of the label that says this of itself: of those that every page has, the first.
[[nodiscard]] inline QString labelText(const WindowBench &bench, const char *testName)
{
    for (const QLabel *label : bench.window.findChildren<QLabel *>()) {
        if (label->property("testName").toString() == QLatin1String(testName))
            return label->text();
    }
    return {};
}

/// Whichever banner is open; null where none is.
[[nodiscard]] inline ui::widgets::Banner *openBanner(const WindowBench &bench)
{
    for (auto *banner : bench.window.findChildren<ui::widgets::Banner *>()) {
        if (banner->isVisible())
            return banner;
    }
    return nullptr;
}

[[nodiscard]] inline QString bannerText(const WindowBench &bench)
{
    const auto *banner = openBanner(bench);
    return banner == nullptr ? QString() : banner->text();
}

[[nodiscard]] inline QPushButton *bannerAction(const WindowBench &bench)
{
    auto *banner = openBanner(bench);
    return banner == nullptr ? nullptr : banner->findChild<QPushButton *>(QStringLiteral("bannerAction"));
}

/// Opens a server and waits until its keys have been read.
inline void openServer(WindowBench &bench, const resp::Endpoint &endpoint)
{
    bench.workspace.open(endpoint);
    LATCHKEY_AWAIT(bench.workspace.inspected()->watcher().phase() == keyspace::Watcher::Phase::Watching);
}

} // namespace latchkey::test
