#include "ui/kit/i18n/retranslation.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QListWidget>
#include <QMetaProperty>
#include <QTabBar>

namespace latchkey::ui::i18n {

namespace {

class Rewording final
{
public:
    Rewording(const RetranslatingTranslator &before, const RetranslatingTranslator &after)
        : m_before(before)
        , m_after(after)
    {}

    /// Translates every text property again, including tool tips, titles and texts for screen readers.
    void rewordProperties(QObject &object) const
    {
        const QVariant shortcut = object.property("shortcut");
        const QMetaObject *meta = object.metaObject();
        for (int i = 0; i < meta->propertyCount(); ++i) {
            const QMetaProperty property = meta->property(i);
            if (property.metaType().id() != QMetaType::QString || !property.isWritable() || isDocument(property))
                continue;
            if (const auto text = reworded(property.read(&object)))
                property.write(&object, *text);
        }
        // A button loses its shortcut with a new text. A mnemonic of the old text is not restored.
        if (shortcut.isValid() && object.property("shortcut") != shortcut && !isMnemonic(shortcut))
            object.setProperty("shortcut", shortcut);
    }

    void rewordTabs(QTabBar &bar) const
    {
        for (int tab = 0; tab < bar.count(); ++tab) {
            if (const auto text = reworded(bar.tabText(tab)))
                bar.setTabText(tab, *text);
            if (const auto text = reworded(bar.tabToolTip(tab)))
                bar.setTabToolTip(tab, *text);
        }
    }

    void rewordRows(QAbstractItemModel &model) const
    {
        for (int row = 0; row < model.rowCount(); ++row) {
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole)}) {
                if (const auto text = reworded(model.index(row, 0).data(role)))
                    model.setData(model.index(row, 0), *text, role);
            }
        }
    }

    void rewordHeader(QAbstractItemModel &model) const
    {
        for (int column = 0; column < model.columnCount(); ++column) {
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole)}) {
                if (const auto text = reworded(model.headerData(column, Qt::Horizontal, role)))
                    model.setHeaderData(column, Qt::Horizontal, *text, role);
            }
        }
    }

private:
    static bool isMnemonic(const QVariant &shortcut)
    {
        const auto keys = shortcut.value<QKeySequence>();
        return keys.count() == 1 && keys[0].keyboardModifiers() == Qt::AltModifier;
    }

    /// Documents are skipped: reading one is slow and creates new characters.
    static bool isDocument(const QMetaProperty &property)
    {
        return qstrcmp(property.name(), "plainText") == 0 || qstrcmp(property.name(), "html") == 0
            || qstrcmp(property.name(), "markdown") == 0;
    }

    [[nodiscard]] std::optional<QString> reworded(const QVariant &value) const
    {
        if (value.metaType().id() != QMetaType::QString)
            return std::nullopt;
        const auto question = m_before.sourceOf(value.toString());
        return question ? std::optional(m_after.answer(*question)) : std::nullopt;
    }

    const RetranslatingTranslator &m_before; // Not owned, like m_after.
    const RetranslatingTranslator &m_after;
};

} // namespace

void retranslate(const RetranslatingTranslator &before, const RetranslatingTranslator &after)
{
    const Rewording rewording(before, after);
    for (QWidget *widget : QApplication::allWidgets()) {
        rewording.rewordProperties(*widget);
        for (QAction *action : widget->actions())
            rewording.rewordProperties(*action);
        if (auto *tabs = qobject_cast<QTabBar *>(widget))
            rewording.rewordTabs(*tabs);
        else if (auto *box = qobject_cast<QComboBox *>(widget))
            rewording.rewordRows(*box->model());
        else if (auto *list = qobject_cast<QListWidget *>(widget))
            rewording.rewordRows(*list->model());
        else if (auto *view = qobject_cast<QAbstractItemView *>(widget); view != nullptr && view->model() != nullptr)
            rewording.rewordHeader(*view->model());
        widget->update(); // Painted texts are translated while painting.
    }
}

} // namespace latchkey::ui::i18n
