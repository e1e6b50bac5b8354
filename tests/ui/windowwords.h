#pragma once

#include "tests/support/mainwindowfixture.h"
#include "ui/kit/widgets/banner.h"

#include <QLabel>

namespace latchkey::test {

/// Returns the text of the first label with this test name.
[[nodiscard]] inline QString labelText(const MainWindowFixture &bench, const char *testName)
{
    for (const QLabel *label : bench.window.findChildren<QLabel *>()) {
        if (label->property("testName").toString() == QLatin1String(testName))
            return label->text();
    }
    return {};
}

/// Returns the open banner. Null if there is none.
[[nodiscard]] inline ui::widgets::Banner *openBanner(const MainWindowFixture &bench)
{
    for (auto *banner : bench.window.findChildren<ui::widgets::Banner *>()) {
        if (banner->isVisible())
            return banner;
    }
    return nullptr;
}

[[nodiscard]] inline QString bannerText(const MainWindowFixture &bench)
{
    const auto *banner = openBanner(bench);
    return banner == nullptr ? QString() : banner->text();
}

[[nodiscard]] inline QPushButton *bannerAction(const MainWindowFixture &bench)
{
    auto *banner = openBanner(bench);
    return banner == nullptr ? nullptr : banner->findChild<QPushButton *>(QStringLiteral("bannerAction"));
}

/// Opens a server and waits until its keys have been read.
inline void openServer(MainWindowFixture &bench, const net::Endpoint &endpoint)
{
    bench.workspace.open(endpoint);
    LATCHKEY_AWAIT(bench.workspace.inspected()->watcher().phase() == watching::Watcher::Phase::Watching);
}

} // namespace latchkey::test
