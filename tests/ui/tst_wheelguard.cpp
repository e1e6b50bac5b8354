#include "tests/support/testprogram.h"
#include "ui/kit/widgets/wheelguard.h"

#include <QComboBox>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <QtTest/qtestspontaneevent.h>

namespace tst_wheelguard {

using namespace latchkey;

/// A form that is higher than its window.
class TestWheelGuard final : public QObject
{
    Q_OBJECT

    struct Form
    {
        Form()
        {
            auto *contents = new QWidget;
            auto *layout = new QVBoxLayout(contents);
            choice->addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
            layout->addWidget(other);
            layout->addWidget(choice);
            layout->addWidget(number);
            layout->addSpacing(2000);
            area.setWidget(contents);
            area.resize(300, 200);
            area.show();
            other->setFocus();
        }

        QScrollArea area;
        QWidget *other = new QPushButton(QStringLiteral("other"));
        QComboBox *choice = new QComboBox;
        QSpinBox *number = new QSpinBox;
    };

    /// Only an event from the system is offered to the parents of the widget.
    static void turnWheelDown(QWidget *over)
    {
        const QPointF point = over->rect().center();
        QWheelEvent event(point, over->mapToGlobal(point), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QSpontaneKeyEvent::setSpontaneous(&event);
        qApp->notify(over, &event);
    }

private Q_SLOTS:
    void fieldWithoutFocus_isScrolledOver()
    {
        const ui::widgets::WheelGuard guard(nullptr);
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        turnWheelDown(form.choice);
        turnWheelDown(form.number);
        QCOMPARE(form.choice->currentIndex(), 0);
        QCOMPARE(form.number->value(), 0);
        QVERIFY(form.area.verticalScrollBar()->value() > 0);
        QVERIFY(form.other->hasFocus());
    }

    void fieldWithFocus_changes()
    {
        const ui::widgets::WheelGuard guard(nullptr);
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        form.choice->setFocus();
        turnWheelDown(form.choice);
        QCOMPARE(form.choice->currentIndex(), 1);
    }

    /// Shows that the first test can fail.
    void withoutTheGuard_theFieldChanges()
    {
        Form form;
        QVERIFY(QTest::qWaitForWindowActive(&form.area));
        turnWheelDown(form.choice);
        QCOMPARE(form.choice->currentIndex(), 1);
    }
};

LATCHKEY_WINDOW_TEST(TestWheelGuard)

} // namespace tst_wheelguard

#include "tst_wheelguard.moc"
