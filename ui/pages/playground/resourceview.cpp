#include "ui/pages/playground/resourceview.h"

#include "ui/kit/widgets/bidi.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/pages/playground/stablelabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::playground {

ResourceView::ResourceView(QWidget *parent)
    : QFrame(parent)
    , m_number(widgets::makePlainLabel(QStringLiteral("insideNumber"), QString(), this))
    , m_who(new StableLabel(QStringLiteral("insideWho"), this, 1))
    , m_writes(widgets::makePlainLabel(QStringLiteral("secondary"), QString(), this))
{
    setObjectName(QStringLiteral("resource"));
    setAccessibleName(tr("The protected resource"));
    setToolTip(tr("The resource that the lock protects. A client is inside while it believes that it holds the lock. "
                  "The resource refuses a write with a smaller fencing number than one before."));
    m_writes->setWordWrap(true);
    auto *words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(m_who);
    words->addWidget(m_writes);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 6, 14, 6);
    layout->setSpacing(12);
    layout->addWidget(m_number);
    layout->addLayout(words, 1);
    showHolders({});
    showWrites({});
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            [this] { showHolders(std::exchange(m_inside, std::nullopt).value_or(BelievedHolders())); });
}

QString ResourceView::nameOf(const BelievedHolder &insider)
{
    switch (insider.mistake) {
    case BelievedHolder::Mistake::None:
        return insider.name;
    case BelievedHolder::Mistake::LeaseOver:
        return tr("%1 (lease over)").arg(insider.name);
    case BelievedHolder::Mistake::KeyGone:
        return tr("%1 (key gone)").arg(insider.name);
    }
    Q_UNREACHABLE();
}

void ResourceView::showHolders(const BelievedHolders &inside)
{
    if (m_inside == inside)
        return; // Most reports of clients do not change the resource.
    m_inside = inside;
    std::size_t maximum = 0;
    bool isMistaken = false;
    QStringList locks;
    for (const auto &[key, insiders] : inside) {
        maximum = std::max(maximum, insiders.size());
        QStringList who;
        for (const BelievedHolder &insider : insiders) {
            isMistaken = isMistaken || insider.mistake != BelievedHolder::Mistake::None;
            who += nameOf(insider);
        }
        locks += tr("%1: %2").arg(widgets::isolated(base::printable(key.bytes(), 40)),
                                  widgets::isolated(who.join(QStringLiteral(", "))));
    }
    const QString who =
        locks.isEmpty() ? tr("No client inside") : tr("Inside %1").arg(locks.join(QStringLiteral(" \u00b7 ")));
    m_count = maximum;
    m_number->setText(QString::number(m_count));
    m_who->setText(who);
    const QString tone = m_count > 1  ? QStringLiteral("critical")
                       : isMistaken   ? QStringLiteral("late")
                       : m_count == 1 ? QStringLiteral("good")
                                      : QString();
    // The labels must be restyled too: their colours depend on the property of the frame.
    for (QWidget *part : std::initializer_list<QWidget *> {this, m_number, m_who})
        widgets::restyle(*part, "tone", tone);
    setAccessibleDescription(who);
}

void ResourceView::showWrites(const scenarios::Resource &resource)
{
    QStringList parts;
    if (!resource.written().isEmpty())
        parts += tr("writes accepted: %1, last by %2")
                     .arg(QString::number(resource.written().size()), widgets::isolated(resource.written().last()));
    if (!resource.refused().isEmpty())
        parts += tr("refused: %1, last by %2")
                     .arg(QString::number(resource.refused().size()), widgets::isolated(resource.refused().last()));
    if (const auto largest = resource.largest())
        parts += tr("largest fencing number %1").arg(widgets::isolated(QString::number(*largest)));
    m_writes->setText(parts.isEmpty() ? tr("No writes yet") : parts.join(QStringLiteral(" · ")));
}

} // namespace latchkey::ui::playground
