#pragma once

#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testserver.h"
#include "ui/shell/shell/mainwindow.h"

#include <QApplication>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace latchkey::test {

/// The real main window in this process. Its widgets are found by object names.
class MainWindowFixture final
{
public:
    /// Creates the window. `clock`: for all parts of the window except its timers.
    explicit MainWindowFixture(const base::Clock &clock = base::SystemClock::instance())
        : settings(folder.filePath(QStringLiteral("latchkey.ini")))
        , appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()))
        , workspace(settings, QStringLiteral(LATCHKEY_CLI), clock, base::SystemRandom::instance())
        , window(workspace, appearance, languageSwitcher)
    {
        window.resize(1280, 800); // Independent of the size of the screen.
        window.show();
    }

    template<typename Widget>
    [[nodiscard]] Widget &widget(const char *name) const
    {
        auto *found = window.findChild<Widget *>(QString::fromLatin1(name));
        if (found == nullptr)
            qFatal("the window has no %s", name);
        return *found;
    }
    [[nodiscard]] QPushButton &button(const char *name) const { return widget<QPushButton>(name); }
    void click(const char *name) const { QTest::mouseClick(&button(name), Qt::LeftButton); }

    /// Returns an open dialog; null if none is open.
    template<typename Dialog>
    [[nodiscard]] Dialog *dialog(const char *name) const
    {
        auto *found = window.findChild<Dialog *>(QString::fromLatin1(name));
        return found != nullptr && found->isVisible() ? found : nullptr;
    }

    [[nodiscard]] ui::keytable::KeyTableView &table() const
    {
        return *window.findChild<ui::inspector::InspectorPage *>()->findChild<ui::keytable::KeyTableView *>();
    }
    [[nodiscard]] QString cell(int row, int column) const
    {
        return table().model()->index(row, column).data().toString();
    }
    [[nodiscard]] int rows() const { return table().model() == nullptr ? 0 : table().model()->rowCount(); }
    [[nodiscard]] QStringList keys() const
    {
        QStringList result;
        for (int row = 0; row < rows(); ++row)
            result += cell(row, ui::keytable::KeyTableModel::KeyColumn);
        return result;
    }
    void choose(const QString &key) const
    {
        // selectRow() is not used: it selects nothing in a right-to-left layout.
        const int row = static_cast<int>(keys().indexOf(key));
        table().setCurrentIndex(table().model()->index(row, ui::keytable::KeyTableModel::KeyColumn));
    }

    QTemporaryDir folder;
    ui::shell::Settings settings;
    ui::theme::Appearance appearance;
    ui::i18n::LanguageSwitcher languageSwitcher {language::Language::English};
    ui::shell::Workspace workspace;
    ui::shell::MainWindow window;
};

} // namespace latchkey::test
