#include "ui/pages/inspector/recentlyendedbar.h"

#include "ui/kit/widgets/elidedlabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace latchkey::ui::inspector {

namespace {

constexpr int listLines = 6;
constexpr int spacing = 6;

} // namespace

RecentlyEndedBar::RecentlyEndedBar(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_fold(new QToolButton(this))
    , m_summary(new widgets::ElidedLabel(this))
    , m_list(new QLabel(this))
{
    m_fold->setObjectName(QStringLiteral("goneFold"));
    m_fold->setAccessibleName(tr("Show recently ended keys"));
    m_fold->setToolTip(tr("Show recently ended keys"));
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setArrowType(Qt::RightArrow);
    m_summary->setObjectName(QStringLiteral("secondary"));
    m_summary->setProperty("testName", QStringLiteral("goneSummary"));
    m_list->setObjectName(QStringLiteral("secondary"));
    m_list->setProperty("testName", QStringLiteral("goneList"));
    for (QLabel *label : {m_summary, m_list}) {
        label->setTextFormat(Qt::PlainText);
        label->setSizePolicy(QSizePolicy::Ignored,
                             QSizePolicy::Preferred); // A long key is cut instead of widening the page.
    }
    m_list->setFont(appearance.monospaced());
    m_list->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_list->setAlignment(Qt::AlignLeading | Qt::AlignTop);
    m_list->setFixedHeight(QFontMetrics(appearance.monospaced()).lineSpacing() * listLines);
    m_list->setContentsMargins(m_fold->sizeHint().width() + spacing, 0, 0, 0);
    m_list->hide();
    connect(m_fold, &QToolButton::toggled, this, [this](bool isOpen) {
        m_fold->setArrowType(isOpen ? Qt::DownArrow : Qt::RightArrow);
        m_list->setVisible(isOpen);
    });

    auto *all = new QPushButton(tr("Ended keys\u2026"), this);
    all->setObjectName(QStringLiteral("endedKeys"));
    all->setProperty("kind", QStringLiteral("note"));
    all->setToolTip(tr("Lists the keys that ended within the last hour"));
    connect(all, &QPushButton::clicked, this, &RecentlyEndedBar::endedListRequested);

    auto *line = new QHBoxLayout;
    line->setSpacing(spacing);
    line->addWidget(m_fold);
    line->addWidget(m_summary, 1);
    line->addWidget(all);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(line);
    layout->addWidget(m_list);
}

void RecentlyEndedBar::show(const EndedCount &count, const std::vector<keys::EndedKey> &ended, base::MonotonicTime now)
{
    const auto set = [](QLabel *label, const QString &text) {
        if (label->text() != text)
            label->setText(text);
    };
    const bool isOpen = m_fold->isChecked();
    set(m_summary, isOpen ? endedCountText(count) : endedSummary(count, ended, now));
    if (isOpen)
        set(m_list, endedList(ended, now, listLines));
}

} // namespace latchkey::ui::inspector
