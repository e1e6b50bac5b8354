#include "ui/pages/stories/formline.h"

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>
#include <QVariant>

namespace latchkey::ui::stories {

void addFormLine(QWidget &form, QVBoxLayout &lines, std::initializer_list<std::pair<QString, QWidget *>> parts)
{
    auto *line = new QHBoxLayout;
    line->setSpacing(8);
    bool isFull = false;
    for (const auto &[text, field] : parts) {
        if (!text.isEmpty()) {
            auto *label = new QLabel(text, &form);
            label->setObjectName(QStringLiteral("secondary"));
            label->setBuddy(field);
            line->addWidget(label);
        }
        const bool isText = qobject_cast<QLineEdit *>(field) != nullptr;
        isFull = isFull || isText;
        line->addWidget(field, isText ? 1 : 0);
    }
    if (!isFull)
        line->addStretch(1);
    lines.addLayout(line);
}

void setFieldShown(QWidget &field, bool isShown)
{
    field.setVisible(isShown);
    for (QLabel *label : field.parentWidget()->findChildren<QLabel *>(QString(), Qt::FindDirectChildrenOnly)) {
        if (label->buddy() == &field)
            label->setVisible(isShown);
    }
}

void restoreCount(QSpinBox &count, const QVariant &saved)
{
    bool isNumber = false;
    const int value = saved.toInt(&isNumber);
    if (isNumber)
        count.setValue(value);
}

} // namespace latchkey::ui::stories
