#pragma once

// Checks that no text of a window is cut, covered or interpreted as HTML.

#include "tests/support/await.h"
#include "ui/kit/widgets/banner.h"
#include "ui/kit/widgets/emptystate.h"
#include "ui/kit/widgets/pill.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QCoreApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QTest>

namespace latchkey::test {

/// Whether Qt would interpret the text as HTML with an image.
[[nodiscard]] inline bool isDangerous(const QString &text)
{
    return text.contains(QStringLiteral("<img"));
}

/// Whether the widget is in a scroll area, where it need not fit. A placeholder over an empty view does not scroll, nor
/// does the content of the window in a window of usual size.
[[nodiscard]] inline bool isInsideScrollArea(const QWidget &widget)
{
    for (const QWidget *up = &widget; up != nullptr && !up->isWindow(); up = up->parentWidget()) {
        if (qobject_cast<const ui::widgets::EmptyState *>(up) != nullptr)
            return false;
        if (up != &widget && qobject_cast<const QAbstractScrollArea *>(up) != nullptr
            && up->objectName() != QLatin1String("content"))
            return true;
    }
    return false;
}

[[nodiscard]] inline QString nameOf(const QWidget &widget)
{
    return QStringLiteral("%1 \"%2\"").arg(QLatin1String(widget.metaObject()->className()), widget.objectName());
}

/// Returns a description if a label, a button or a pill has too little room for its text.
[[nodiscard]] inline QString cutOff(const QWidget &widget)
{
    const auto *label = qobject_cast<const QLabel *>(&widget);
    const bool isText = label != nullptr && !label->text().isEmpty();
    if (isText && label->wordWrap() && label->height() < label->heightForWidth(label->width()))
        return QStringLiteral("needs %1 pixels of height, has %2")
            .arg(label->heightForWidth(label->width()))
            .arg(label->height());
    const bool isWhole = (isText && !label->wordWrap()) || qobject_cast<const QPushButton *>(&widget) != nullptr
                      || qobject_cast<const ui::widgets::Pill *>(&widget) != nullptr;
    if (isWhole && widget.width() < widget.minimumSizeHint().width())
        return QStringLiteral("needs %1 pixels of width, has %2")
            .arg(widget.minimumSizeHint().width())
            .arg(widget.width());
    return {};
}

inline void checkWidget(const QWidget &widget)
{
    if (const auto *label = qobject_cast<const QLabel *>(&widget))
        QVERIFY2(!isDangerous(label->text()) || label->textFormat() == Qt::PlainText, qPrintable(nameOf(widget)));
    QVERIFY2(!isDangerous(widget.toolTip()), qPrintable(nameOf(widget)));
    if (!widget.isVisible() || widget.isWindow())
        return;
    // A text that has just changed gets its width by the next layout.
    const QPointer<const QWidget> there(&widget);
    if (!cutOff(widget).isEmpty())
        (void)test::waitFor([&] { return there == nullptr || cutOff(*there).isEmpty(); }, std::chrono::seconds(5));
    if (there == nullptr)
        return;
    const QString problem = cutOff(widget);
    QVERIFY2(problem.isEmpty(), qPrintable(nameOf(widget) + u' ' + problem));
    if (isInsideScrollArea(widget))
        return;
    // Qt mirrors the children of a splitter one pixel too far.
    const int slack = qobject_cast<const QSplitter *>(widget.parentWidget()) != nullptr ? 1 : 0;
    QVERIFY2(widget.parentWidget()->rect().adjusted(0, 0, slack, 0).contains(widget.geometry()),
             qPrintable(QStringLiteral("%1 from %2 to %3 of %4")
                            .arg(nameOf(widget))
                            .arg(widget.geometry().left())
                            .arg(widget.geometry().right())
                            .arg(widget.parentWidget()->width())));
}

/// Whether the user reads or clicks the widget itself, not its children. A banner lies over the page on purpose.
[[nodiscard]] inline bool isControl(const QWidget &widget)
{
    if (!widget.isVisible() || widget.isWindow() || isInsideScrollArea(widget)
        || qobject_cast<const QLineEdit *>(widget.parentWidget()) != nullptr)
        return false;
    for (const QWidget *up = &widget; up != nullptr; up = up->parentWidget()) {
        if (qobject_cast<const ui::widgets::Banner *>(up) != nullptr)
            return false;
    }
    const auto *label = qobject_cast<const QLabel *>(&widget);
    return (label != nullptr && !label->text().isEmpty()) || qobject_cast<const QAbstractButton *>(&widget) != nullptr
        || qobject_cast<const QLineEdit *>(&widget) != nullptr || qobject_cast<const QComboBox *>(&widget) != nullptr;
}

/// Checks that no two controls of a window overlap.
inline void checkOverlaps(const QWidget &window)
{
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    QList<const QWidget *> controls;
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        if (isControl(*widget))
            controls += widget;
    }
    const auto place = [&](const QWidget *widget) { return QRect(widget->mapTo(&window, QPoint()), widget->size()); };
    for (qsizetype i = 0; i < controls.size(); ++i) {
        for (qsizetype j = 0; j < i; ++j) {
            const bool isPart = controls[i]->isAncestorOf(controls[j]) || controls[j]->isAncestorOf(controls[i]);
            QVERIFY2(isPart || !place(controls[i]).intersects(place(controls[j])),
                     qPrintable(nameOf(*controls[i]) + QStringLiteral(" overlaps ") + nameOf(*controls[j])));
        }
    }
}

inline void checkWindow(const QWidget &window)
{
    // Layouts are updated at the next turn of the event loop.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        checkWidget(*widget);
        if (QTest::currentTestFailed())
            return;
    }
}

} // namespace latchkey::test
