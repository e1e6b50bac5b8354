#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "ui/kit/widgets/messagearea.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QTest>

namespace tst_messages {

using namespace latchkey::ui;
using widgets::Banner;
using widgets::BannerMessage;
using widgets::MessageArea;
using widgets::Messages;
using namespace std::chrono_literals;

class TestMessages final : public QObject
{
    Q_OBJECT

    struct Place
    {
        Place()
            : appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()))
            , other(new QPushButton(&page))
            , area(new MessageArea(messages, appearance, &page))
        {
            page.resize(900, 500);
            page.show();
            other->setFocus();
        }
        void say(const char *topic, const char *text)
        {
            messages.show({QString::fromLatin1(topic), Banner::Tone::Info, QString::fromLatin1(text), {}, {}, {}});
        }
        /// Returns the visible texts, from top to bottom.
        [[nodiscard]] QStringList texts() const
        {
            QList<Banner *> banners = area->findChildren<Banner *>();
            banners.removeIf([](const Banner *banner) { return !banner->isVisible(); });
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
            std::ranges::sort(banners, {}, &QWidget::y);
            QStringList texts;
            for (const Banner *banner : banners)
                texts += banner->text();
            return texts;
        }
        void click(const char *button) const
        {
            for (auto *banner : area->findChildren<Banner *>()) {
                if (banner->isVisible()) {
                    QTest::mouseClick(banner->findChild<QPushButton *>(QString::fromLatin1(button)), Qt::LeftButton);
                    return;
                }
            }
        }

        theme::Appearance appearance;
        QWidget page;
        Messages messages;
        QPushButton *other; ///< Has the keyboard focus. Owned by the page.
        MessageArea *area;  // Likewise.
    };

private Q_SLOTS:
    void several_waitForTheirTurn()
    {
        Place place;
        for (const char *text : {"one", "two", "three", "four", "five"})
            place.say(text, text);
        QCOMPARE(place.texts(), (QStringList {QStringLiteral("one"), QStringLiteral("two"), QStringLiteral("three")}));
        place.click("bannerClose");
        QCOMPARE(place.texts(), (QStringList {QStringLiteral("two"), QStringLiteral("three"), QStringLiteral("four")}));
        place.messages.remove(QStringLiteral("three"));
        QCOMPARE(place.texts(), (QStringList {QStringLiteral("two"), QStringLiteral("four"), QStringLiteral("five")}));
    }

    void newsAboutTheSame_takesTheOldOnesPlace()
    {
        Place place;
        place.say("deletion", "a was deleted");
        place.say("problem", "no permission");
        place.say("deletion", "b was deleted");
        QCOMPARE(place.texts(), (QStringList {QStringLiteral("b was deleted"), QStringLiteral("no permission")}));
    }

    void area_liesOverThePageAndWithinIt()
    {
        Place place;
        for (const char *text : {"one", "two", "three"})
            place.say(text, text);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QVERIFY(place.page.rect().contains(place.area->geometry()));
        place.page.resize(500, 400);
        LATCHKEY_AWAIT(place.page.rect().contains(place.area->geometry()));
        place.messages.show(
            {QStringLiteral("long"), Banner::Tone::Warning, QStringLiteral("word ").repeated(120), {}, {}, {}});
        place.messages.remove(QStringLiteral("one"));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QVERIFY(place.page.rect().contains(place.area->geometry()));
        for (const Banner *banner : place.area->findChildren<Banner *>()) {
            const auto *label = banner->findChild<QLabel *>(QStringLiteral("bannerText"));
            QVERIFY(!banner->isVisible() || label->height() >= label->heightForWidth(label->width()));
        }
    }

    void action_isDoneAndItsMessageGoes()
    {
        Place place;
        int done = 0;
        place.messages.show({QStringLiteral("url"),
                             Banner::Tone::Info,
                             QStringLiteral("gone"),
                             QStringLiteral("Again"),
                             [&] {
                                 ++done;
                                 place.say("url", "tried again"); // The action may set a message with the same topic.
                             },
                             {}});
        place.click("bannerAction");
        QCOMPARE(done, 1);
        QCOMPARE(place.texts(), QStringList {QStringLiteral("tried again")});
    }

    void newsWithoutAnAction_disappearsAutomatically()
    {
        Place place;
        place.messages.show({QStringLiteral("news"), Banner::Tone::Info, QStringLiteral("done"), {}, {}, 20ms});
        place.say("stays", "stays");
        LATCHKEY_AWAIT(place.texts() == QStringList {QStringLiteral("stays")});
    }

    void newsThatHasTheKeyboard_stays()
    {
        Place place;
        place.page.activateWindow();
        LATCHKEY_AWAIT(place.page.isActiveWindow());
        place.messages.show({QStringLiteral("news"), Banner::Tone::Info, QStringLiteral("done"), {}, {}, 20ms});
        auto *close = place.area->findChild<QPushButton *>(QStringLiteral("bannerClose"));
        close->setFocus();
        place.messages.show({QStringLiteral("later"), Banner::Tone::Info, QStringLiteral("later"), {}, {}, 60ms});
        LATCHKEY_AWAIT(place.texts() == QStringList {QStringLiteral("done")});

        int freed = 0;
        connect(place.area, &MessageArea::focusReleased, place.area, [&] { ++freed; });
        QTest::keyClick(close, Qt::Key_Escape);
        QCOMPARE(place.texts(), QStringList());
        QCOMPARE(freed, 1);
    }
};

LATCHKEY_WINDOW_TEST(TestMessages)

} // namespace tst_messages

#include "tst_messages.moc"
