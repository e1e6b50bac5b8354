#include "ui/pages/playground/lockform.h"

#include "core/foundation/base/duration.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/pages/playground/keyfield.h"
#include "ui/pages/playground/recipebox.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace latchkey::ui::playground {

namespace {

QLineEdit *makeField(const char *name, const char *first, const QString &title, const QString &explanation,
                     QWidget *parent)
{
    auto *field = new QLineEdit(QLatin1String(first), parent);
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(title);
    field->setToolTip(explanation);
    return field;
}

} // namespace

LockForm::LockForm(theme::Appearance &appearance, QPushButton &acquire, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_recipe(new RecipeBox(appearance, this))
    , m_key(new KeyField(this))
    , m_lease(makeField("lease", "10s", tr("Lease"), tr("Duration of the lease: 500ms, 10s, 2m"), this))
    , m_wait(makeField("wait", "0s", tr("Wait"), tr("Time to retry while the lock is busy; 0s: one attempt"), this))
    , m_work(
          makeField("work", "3s", tr("Work"), tr("Time that an automatic client works while it holds the lock"), this))
    , m_automatic(new QCheckBox(tr("Automatic"), this))
{
    m_recipe->setObjectName(QStringLiteral("recipe"));
    m_key->setKey(base::Key("lock:demo"));
    m_automatic->setObjectName(QStringLiteral("automatic"));
    m_automatic->setToolTip(tr("Repeats acquire, work, write to the resource and release, until stopped"));
    setUpLayout(acquire);
    connect(m_recipe, &QComboBox::currentIndexChanged, this, &LockForm::changed);
    connect(m_automatic, &QCheckBox::toggled, this, [this](bool isAutomatic) {
        m_work->setEnabled(isAutomatic);
        Q_EMIT changed();
    });
    for (QLineEdit *field : {static_cast<QLineEdit *>(m_key), m_lease, m_wait, m_work})
        connect(field, &QLineEdit::returnPressed, this, &LockForm::submitted);
    connect(&m_appearance, &theme::Appearance::changed, this, &LockForm::applyAppearance);
    m_work->setEnabled(false);
    applyAppearance();
}

void LockForm::setUpLayout(QPushButton &acquire)
{
    auto *fields = new QGridLayout(this);
    fields->setContentsMargins(0, 0, 0, 0);
    fields->setHorizontalSpacing(8);
    fields->setVerticalSpacing(4);
    const auto addField = [&](int row, int column, const QString &caption, QWidget *field, int columns = 1) {
        QLabel *label = widgets::makePlainLabel(QStringLiteral("caption"), caption, this);
        label->setBuddy(field);
        fields->addWidget(label, row, column, 1, columns);
        fields->addWidget(field, row + 1, column, 1, columns);
    };
    addField(0, 0, tr("Recipe"), m_recipe, 3);
    addField(0, 3, tr("Key"), m_key, 3);
    addField(2, 0, tr("Lease"), m_lease, 2);
    addField(2, 2, tr("Wait"), m_wait, 2);
    addField(2, 4, tr("Work"), m_work, 2);
    fields->addWidget(m_automatic, 4, 0, 1, 2);
    fields->addWidget(&acquire, 4, 2, 1, 4);
    for (int column = 0; column < 6; ++column)
        fields->setColumnStretch(column, 1);
    m_recipe->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_recipe->setMinimumContentsLength(8);
    for (QLineEdit *field : {static_cast<QLineEdit *>(m_key), m_lease, m_wait, m_work})
        field->setMinimumWidth(field->fontMetrics().horizontalAdvance(QStringLiteral("500ms")) + 24);
}

void LockForm::applyAppearance()
{
    m_key->setClearIcon(m_appearance.icon(QStringLiteral("close")));
}

const locks::Recipe &LockForm::recipe() const
{
    return m_recipe->recipe();
}

base::Key LockForm::key() const
{
    return m_key->key();
}

base::Result<base::Lease> LockForm::lease() const
{
    const auto duration = base::parseDuration(m_lease->text().trimmed());
    if (!duration)
        return base::failure(duration.error());
    return base::Lease::of(*duration);
}

base::Result<std::chrono::milliseconds> LockForm::work() const
{
    return base::parseDuration(m_work->text().trimmed());
}

bool LockForm::isAutomatic() const
{
    return m_automatic->isChecked();
}

base::Result<latchkey::playground::AcquireOrder> LockForm::order() const
{
    latchkey::playground::AcquireOrder order;
    order.recipe = recipe().id;
    order.options.key = key();
    if (order.options.key.isEmpty())
        return base::failure(base::ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "the key is empty."));
    if (recipe().hasLease) {
        const auto given = lease();
        if (!given)
            return base::failure(given.error());
        order.options.lease = *given;
    }
    const auto wait = base::parseDuration(m_wait->text().trimmed());
    if (!wait)
        return base::failure(wait.error());
    order.wait = *wait;
    return order;
}

void LockForm::show(const latchkey::playground::AcquireOrder &order, bool withTimes)
{
    m_key->setKey(order.options.key);
    m_recipe->choose(order.recipe);
    if (!withTimes)
        return;
    if (order.options.lease)
        m_lease->setText(base::formatDuration(order.options.lease->duration()));
    m_wait->setText(base::formatDuration(order.wait));
}

void LockForm::setUsable(bool canOrder, bool canExtend)
{
    for (QWidget *field : {static_cast<QWidget *>(m_recipe), static_cast<QWidget *>(m_key),
                           static_cast<QWidget *>(m_wait), static_cast<QWidget *>(m_automatic)})
        field->setEnabled(canOrder);
    m_work->setEnabled(canOrder && m_automatic->isChecked());
    m_lease->setEnabled(recipe().hasLease && (canOrder || canExtend));
}

QString LockForm::line() const
{
    QStringList parts {recipe().id, base::printable(key().bytes(), 40)};
    if (recipe().hasLease)
        parts += m_lease->text().trimmed();
    return parts.join(QStringLiteral(" \u00b7 "));
}

void LockForm::takeFocus()
{
    m_key->setFocus(Qt::OtherFocusReason);
    m_key->selectAll();
}

} // namespace latchkey::ui::playground
