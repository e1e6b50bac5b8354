#include "ui/pages/detail/findingbox.h"

#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace latchkey::ui::detail {

namespace {

constexpr int sideMargin = 10;
constexpr int copySize = 24;

QString toneOf(int severity)
{
    switch (severity) {
    case 2:
        return QStringLiteral("critical");
    case 1:
        return QStringLiteral("warning");
    default:
        return QStringLiteral("info");
    }
}

} // namespace

FindingBox::FindingBox(theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_appearance(appearance)
    , m_copy(new QPushButton(this))
{
    setObjectName(QStringLiteral("finding"));
    m_copy->setObjectName(QStringLiteral("copyFinding"));
    m_copy->setProperty("kind", QStringLiteral("quiet"));
    m_copy->setFixedSize(copySize, copySize);
    const auto updateTexts = [this] {
        m_copy->setAccessibleName(tr("Copy finding"));
        m_copy->setToolTip(tr("Copies the finding as text"));
    };
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this, updateTexts);
    updateTexts();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(sideMargin, 8, sideMargin, 8);
    layout->setSpacing(4);
    for (const char *name : {"sectionTitle", "detailLine", "secondary", "detailLine"}) {
        QLabel *label = widgets::makePlainLabel(QLatin1String(name), {}, this);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_labels += label;
    }
    auto *line = new QHBoxLayout;
    line->setSpacing(4);
    line->addWidget(m_labels.front(), 1);
    line->addWidget(m_copy, 0, Qt::AlignTop);
    layout->addLayout(line);
    for (QLabel *label : m_labels.sliced(1))
        layout->addWidget(label);
    connect(m_copy, &QPushButton::clicked, this, &FindingBox::copyRequested);
    connect(&m_appearance, &theme::Appearance::changed, this, &FindingBox::applyAppearance);
    applyAppearance();
}

void FindingBox::applyAppearance()
{
    m_copy->setIcon(m_appearance.icon(QStringLiteral("copy")));
}

void FindingBox::show(const DetailFinding &finding, int width)
{
    const QString tone = toneOf(finding.severity);
    if (property("tone").toString() != tone) {
        setProperty("tone", tone);
        style()->unpolish(this);
        style()->polish(this);
    }
    const QStringList texts {finding.title, finding.evidence, finding.meaning, finding.advice};
    const int room = width - 2 * sideMargin - 2;
    for (qsizetype i = 0; i < texts.size(); ++i) {
        widgets::setBreakable(*m_labels[i], texts[i], i == 0 ? room - copySize - 4 : room);
        m_labels[i]->setVisible(!texts[i].isEmpty());
    }
}

} // namespace latchkey::ui::detail
