#pragma once

#include "core/redis/connections/savedconnection.h"
#include "ui/shell/connections/connectiontest.h"

#include <vector>

namespace latchkey::ui::connections {

/// A test of the servers of a redlock group, all at the same time: see ConnectionTest. At the end it compares their
/// self-descriptions, because the votes of one server under two addresses would be counted twice.
///
/// Owned by the dialog that shows the result. Clock and random source are not owned. It changes nothing.
class GroupTest final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupTest)

public:
    GroupTest(const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~GroupTest() override;

    /// Tests these servers, with the passwords of the keychain. Ends a running test.
    void start(const std::vector<latchkey::connections::SavedConnection> &servers);
    /// Ends a running test and forgets all results.
    void reset();
    [[nodiscard]] bool isRunning() const;
    /// Returns a paragraph for each server, and one about all of them when every server was tested.
    [[nodiscard]] QString text() const;
    /// Returns the style sheet property of the worst result; empty while a test is running.
    [[nodiscard]] QString tone() const;

Q_SIGNALS:
    /// Emitted when text(), tone() or isRunning() may have changed.
    void changed();

private:
    struct Tested
    {
        latchkey::connections::SavedConnection server;
        std::unique_ptr<ConnectionTest> test;
        QString result;
        QString tone; ///< Empty while the test is running.
    };

    [[nodiscard]] std::pair<QString, QString> conclusion() const;

    const base::Clock &m_clock;
    base::RandomSource &m_random;
    std::vector<Tested> m_servers;
};

} // namespace latchkey::ui::connections
