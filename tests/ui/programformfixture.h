#pragma once

#include "tests/support/mainwindowfixture.h"
#include "tests/support/workers.h"
#include "ui/pages/stories/programpanel.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeView>

namespace latchkey::test {

/// The window with the open program form, and access to its widgets.
class ProgramFormFixture final
{
public:
    ProgramFormFixture() { open(); }

    void open() const
    {
        QTest::mouseClick(&window.widget<QToolButton>("storiesButton"), Qt::LeftButton);
        window.click("exploreProgram");
    }
    [[nodiscard]] ui::stories::ProgramPanel &panel() const
    {
        return window.widget<ui::stories::ProgramPanel>("programPanel");
    }
    [[nodiscard]] const racesearch::RaceSearch &search() const { return panel().search(); }
    [[nodiscard]] QLineEdit &command() const { return window.widget<QLineEdit>("programCommand"); }
    template<typename Widget>
    [[nodiscard]] Widget &inPanel(const char *name) const
    {
        return *panel().findChild<Widget *>(QString::fromLatin1(name));
    }
    [[nodiscard]] const QWidget *keyboard() const { return window.window.focusWidget(); }
    [[nodiscard]] QString status() const { return inPanel<QLabel>("programStatus").text(); }
    [[nodiscard]] const QAbstractItemModel &answers() const { return *inPanel<QTreeView>("programAnswers").model(); }
    /// Returns the answers: `no-immortal-key Broken: …`.
    [[nodiscard]] QStringList lines() const
    {
        QStringList all;
        for (int row = 0; row < answers().rowCount(); ++row)
            all += answers().index(row, 0).data().toString() + u' ' + answers().index(row, 2).data().toString();
        return all;
    }
    void type(const char *worker, const char *argument = "") const
    {
        QStringList words = workerCommand(QString::fromLatin1(worker));
        words.insert(1, QStringLiteral("-S")); // Without the search for packages, Python starts faster.
        command().setText((words + QStringList {QString::fromLatin1(argument)}).join(u' '));
    }
    /// Runs a search and waits for its end.
    [[nodiscard]] bool find(const char *worker, const char *argument = "") const
    {
        type(worker, argument);
        window.click("programStart");
        return isOver();
    }
    [[nodiscard]] bool isOver() const
    {
        return waitFor([this] { return search().state() == racesearch::RaceSearch::State::Over; });
    }
    /// Starts a search that no machine can finish within a test.
    [[nodiscard]] bool searchWithoutEnd() const
    {
        type("twoconversations");
        window.widget<QSpinBox>("programClients").setValue(4);
        window.widget<QSpinBox>("programLostReplies").setValue(2);
        window.widget<QComboBox>("programLongest").setCurrentIndex(4);
        window.click("programStart");
        return waitFor([this] { return search().progress().states > 0; });
    }

    MainWindowFixture window;
};

} // namespace latchkey::test
