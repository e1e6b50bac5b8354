#include "ui/pages/playground/recipebox.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QPainter>
#include <QStyledItemDelegate>

namespace latchkey::ui::playground {

namespace {

constexpr int titleRole = Qt::UserRole + 1;
constexpr int hasFlawRole = Qt::UserRole + 2;

/// Returns the summary of a recipe and its flaw.
QString explanation(const locks::Recipe &recipe)
{
    const QString summary = recipe.summary.toString();
    return recipe.flaw.isEmpty() ? summary : summary + QLatin1Char('\n') + recipe.flaw.toString();
}

/// A delegate for a recipe in the list: id, title below, and a warning sign for a flawed recipe.
class RecipeDelegate final : public QStyledItemDelegate
{
public:
    RecipeDelegate(theme::Appearance &appearance, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_appearance(appearance)
    {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const theme::Theme &theme = m_appearance.theme();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if ((option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) != 0) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.accentSoft);
            painter->drawRoundedRect(option.rect, 6, 6);
        }
        QRect text = option.rect.adjusted(10, padding, -10, -padding);
        if (index.data(hasFlawRole).toBool()) {
            const QRect sign(text.right() - signSize, text.center().y() - signSize / 2, signSize, signSize);
            m_appearance.icon(QStringLiteral("warning"), theme.warning).paint(painter, sign);
        }
        text.setRight(text.right() - signSize - 8);
        painter->setFont(option.font);
        painter->setPen(theme.text);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignTop, index.data(Qt::DisplayRole).toString());
        const QFont small = smaller(option.font);
        painter->setFont(small);
        painter->setPen(theme.muted);
        painter->drawText(
            text, Qt::AlignLeft | Qt::AlignBottom,
            QFontMetrics(small).elidedText(index.data(titleRole).toString(), Qt::ElideRight, text.width()));
        painter->restore();
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const QFontMetrics title(smaller(option.font));
        const int width = std::max(QFontMetrics(option.font).horizontalAdvance(index.data().toString()),
                                   title.horizontalAdvance(index.data(titleRole).toString()));
        return {width + signSize + 28, QFontMetrics(option.font).height() + title.height() + 2 * padding};
    }

private:
    static constexpr int padding = 4;
    static constexpr int signSize = 14;

    static QFont smaller(QFont font)
    {
        if (font.pixelSize() > 0)
            font.setPixelSize(font.pixelSize() - 2);
        else
            font.setPointSizeF(font.pointSizeF() - 1.5);
        return font;
    }

    theme::Appearance &m_appearance; // Not owned.
};

} // namespace

RecipeBox::RecipeBox(theme::Appearance &appearance, QWidget *parent)
    : QComboBox(parent)
{
    setAccessibleName(tr("Recipe"));
    setItemDelegate(new RecipeDelegate(appearance, this));
    for (const locks::Recipe &recipe : locks::recipes()) {
        addItem(recipe.id, recipe.id);
        setItemData(count() - 1, !recipe.flaw.isEmpty(), hasFlawRole);
    }
    retranslateRecipes();
    connect(this, &QComboBox::currentIndexChanged, this, [this] { setToolTip(explanation(this->recipe())); });
    choose(QStringLiteral("token"));
    setMaxVisibleItems(count());
    view()->setMinimumWidth(view()->sizeHintForColumn(0) + 24);
}

const locks::Recipe &RecipeBox::recipe() const
{
    return *locks::findRecipe(currentData().toString()).value();
}

void RecipeBox::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslateRecipes();
        setToolTip(explanation(recipe()));
    }
    QComboBox::changeEvent(event);
}

void RecipeBox::retranslateRecipes()
{
    int row = 0;
    for (const locks::Recipe &recipe : locks::recipes()) {
        setItemData(row, recipe.title.toString(), titleRole);
        setItemData(row, explanation(recipe), Qt::ToolTipRole);
        setItemData(row, explanation(recipe), Qt::AccessibleDescriptionRole);
        ++row;
    }
}

void RecipeBox::choose(const QString &id)
{
    if (const int index = findData(id); index >= 0)
        setCurrentIndex(index);
}

} // namespace latchkey::ui::playground
