#pragma once

#include "tests/support/mainwindowfixture.h"
#include "ui/kit/widgets/banner.h"

#include <QLabel>

namespace latchkey::test {

/// Returns the text of the first label with this test name.
[[nodiscard]] inline QString labelText(const MainWindowFixture &fixture, const char *testName)
{
    for (const QLabel *label : fixture.window.findChildren<QLabel *>()) {
        if (label->property("testName").toString() == QLatin1String(testName))
            return label->text();
    }
    return {};
}

/// Returns the open banner. Null if there is none.
[[nodiscard]] inline ui::widgets::Banner *openBanner(const MainWindowFixture &fixture)
{
    for (auto *banner : fixture.window.findChildren<ui::widgets::Banner *>()) {
        if (banner->isVisible())
            return banner;
    }
    return nullptr;
}

[[nodiscard]] inline QString bannerText(const MainWindowFixture &fixture)
{
    const auto *banner = openBanner(fixture);
    return banner == nullptr ? QString() : banner->text();
}

[[nodiscard]] inline QPushButton *bannerAction(const MainWindowFixture &fixture)
{
    auto *banner = openBanner(fixture);
    return banner == nullptr ? nullptr : banner->findChild<QPushButton *>(QStringLiteral("bannerAction"));
}

/// Opens a server and waits until its keys have been read.
inline void openServer(MainWindowFixture &fixture, const net::Endpoint &endpoint)
{
    fixture.workspace.open(endpoint);
    LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().phase() == watching::Watcher::Phase::Watching);
}

} // namespace latchkey::test
