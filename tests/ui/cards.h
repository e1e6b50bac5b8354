#pragma once

#include "tests/support/mainwindowfixture.h"
#include "ui/kit/widgets/pill.h"
#include "ui/pages/playground/clientcard.h"
#include "ui/views/commandlog/commandlogview.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace latchkey::test {

/// A card with access to its parts by object name.
struct Card
{
    explicit Card(ui::playground::ClientCard *found)
        : card(*found)
    {}
    [[nodiscard]] QPushButton &button(const char *name) const
    {
        return *card.findChild<QPushButton *>(QString::fromLatin1(name));
    }
    void click(const char *name) const { QTest::mouseClick(&button(name), Qt::LeftButton); }
    void fill(const char *name, const char *text) const
    {
        card.findChild<QLineEdit *>(QString::fromLatin1(name))->setText(QString::fromLatin1(text));
    }
    void chooseRecipe(const char *id) const
    {
        auto *box = card.findChild<QComboBox *>(QStringLiteral("recipe"));
        box->setCurrentIndex(box->findData(QString::fromLatin1(id)));
    }
    [[nodiscard]] QString text(const char *name) const
    {
        return card.findChild<QLabel *>(QString::fromLatin1(name))->text();
    }
    [[nodiscard]] QString state() const { return card.findChild<ui::widgets::Pill *>()->text(); }

    ui::playground::ClientCard &card;
};

/// Returns the lines of the command log, from top to bottom.
inline QStringList wire(const MainWindowFixture &fixture)
{
    const QAbstractItemModel *model = fixture.widget<ui::commandlog::CommandLogView>("wire").model();
    QStringList lines;
    for (int row = 0; row < model->rowCount(); ++row)
        lines += model->index(row, 0).data().toString();
    return lines;
}

/// Opens the Playground, adds `count` clients, and returns their cards when the clients are ready.
inline QList<Card> openWithClients(MainWindowFixture &fixture, int count)
{
    QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
    [&] { LATCHKEY_AWAIT(fixture.button("addClient").isEnabled()); }();
    for (int i = 0; i < count; ++i)
        fixture.click("addClient");
    [&] { LATCHKEY_AWAIT(fixture.window.findChildren<ui::playground::ClientCard *>().size() == count); }();
    QList<Card> cards;
    for (ui::playground::ClientCard *card : fixture.window.findChildren<ui::playground::ClientCard *>())
        cards += Card(card);
    for (const Card &card : cards)
        [&] { LATCHKEY_AWAIT(card.card.client().state() == playground::ClientProcess::State::Idle); }();
    return cards;
}

} // namespace latchkey::test
