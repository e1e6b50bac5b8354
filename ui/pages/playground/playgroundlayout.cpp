// The layout and the sizes of the Playground page. The content is in playgroundpage.cpp.

#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/presenting.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/playground/flowlayout.h"
#include "ui/pages/playground/playgroundpage.h"
#include "ui/pages/playground/presentedclient.h"
#include "ui/pages/playground/resourceview.h"
#include "ui/pages/playground/serverstrip.h"
#include "ui/pages/playground/stablelabel.h"
#include "ui/views/commandlog/commandlogview.h"
#include "ui/views/diagram/diagrampanel.h"

#include <QApplication>
#include <QFontInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::playground {

namespace {

constexpr int minSideWidth = 260;
constexpr int minDiagramWidth = 380;
/// Minimum width in pixels for the server's keys. In a narrower page they are hidden in favour of the diagram, unless
/// the user has opened them.
constexpr int widthWithSide = 1250;

} // namespace

void PlaygroundPage::setUpButtons()
{
    m_add->setObjectName(QStringLiteral("addClient"));
    m_add->setProperty("kind", QStringLiteral("primary"));
    m_showSide->setObjectName(QStringLiteral("showServer"));
    m_showSide->setProperty("kind", QStringLiteral("quiet"));
    m_showSide->setCheckable(true);
    m_showSide->setToolTip(tr("Keys on the server and log of all commands"));
    m_present->setObjectName(QStringLiteral("present"));
    m_present->setProperty("kind", QStringLiteral("quiet"));
    m_present->setToolTip(
        tr("Shows the clients' controls, the diagram and the resource full screen, in large type (F11)"));
    connect(m_add, &QPushButton::clicked, this, &PlaygroundPage::addClient);
    connect(m_present, &QPushButton::clicked, this, [this] { setPresenting(true); });
    m_leave->setObjectName(QStringLiteral("leavePresenting"));
    m_leave->setProperty("kind", QStringLiteral("quiet"));
    m_leave->setToolTip(tr("Back to the clients"));
    connect(m_leave, &QPushButton::clicked, this, [this] { setPresenting(false); });
    connect(m_showSide, &QPushButton::clicked, this, [this](bool isWanted) {
        m_isSideWanted = isWanted;
        fitSide();
    });
}

QWidget *PlaygroundPage::makeHeader()
{
    auto *header = new QWidget(this);
    auto *heading = new QVBoxLayout;
    heading->setSpacing(2);
    heading->addWidget(widgets::makePlainLabel(QLatin1String("pageTitle"), tr("Playground"), header));
    heading->addWidget(m_summary);
    auto *layout = new QHBoxLayout(header);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(heading, 1);
    layout->addWidget(m_presetMenu);
    layout->addWidget(m_serverCount);
    layout->addWidget(m_showSide);
    layout->addWidget(m_present);
    layout->addWidget(m_add);
    widgets::tabInLayoutOrder(*layout);
    return header;
}

void PlaygroundPage::arrange()
{
    m_header = makeHeader();
    m_scroll->setObjectName(QStringLiteral("pageScroll"));
    m_scroll->setFocusPolicy(Qt::NoFocus); // The focus scrolls to the controls of the cards.
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_cardArea->setLayout(m_places);
    m_cardArea->installEventFilter(this);
    m_scroll->setWidget(m_cardArea);

    m_side = makeSide();
    m_columns->setObjectName(QStringLiteral("columns"));
    m_columns->addWidget(m_scroll);
    m_columns->addWidget(makeMiddle());
    m_columns->addWidget(m_side);
    m_columns->setChildrenCollapsible(false);
    m_columns->setHandleWidth(14);
    m_columns->setStretchFactor(1, 1);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 14, 20, 14);
    layout->setSpacing(10);
    layout->addWidget(m_header);
    layout->addWidget(m_hint);
    layout->addWidget(m_controls);
    layout->addWidget(m_servers);
    layout->addWidget(m_columns, 1);
}

QWidget *PlaygroundPage::makeMiddle()
{
    auto *middle = new QWidget(m_columns);
    middle->setMinimumWidth(minDiagramWidth);
    auto *layout = new QVBoxLayout(middle);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_diagram, 1);
    layout->addWidget(m_sentence);
    layout->addWidget(m_resourceView);
    m_sentence->hide();
    m_controls->hide();
    return middle;
}

QWidget *PlaygroundPage::makeSide()
{
    auto *side = new QWidget(m_columns);
    side->setMinimumWidth(minSideWidth);
    auto *rows = new QSplitter(Qt::Vertical, side);
    rows->setChildrenCollapsible(false);
    rows->setHandleWidth(10);
    const auto addPart = [rows](const QString &title, QWidget *content, int stretch) {
        auto *part = new QWidget(rows);
        auto *layout = new QVBoxLayout(part);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(6);
        layout->addWidget(widgets::makePlainLabel(QLatin1String("sectionTitle"), title, part));
        layout->addWidget(content, 1);
        rows->addWidget(part);
        rows->setStretchFactor(rows->count() - 1, stretch);
    };
    addPart(tr("Keys on the server"), m_table, 3);
    addPart(tr("Command log"), m_commandLog, 2);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(rows);
    return side;
}

/// Sets up the shortcuts of the page. The window has the other shortcuts, see shell::MainWindow.
void PlaygroundPage::setUpShortcuts()
{
    auto *leave = new QShortcut(Qt::Key_Escape, this);
    leave->setContext(Qt::WidgetWithChildrenShortcut);
    connect(leave, &QShortcut::activated, this, [this] { setPresenting(false); });
}

void PlaygroundPage::requestClient()
{
    m_add->click();
}

void PlaygroundPage::applySizes()
{
    const int pixels = widgets::presentedPixels(window()->size());
    // Font sizes of the style sheet do not follow the font of the page.
    const auto sized = [](const char *names, int size) {
        return QStringLiteral("%1 { font-size: %2px; } ").arg(QLatin1String(names)).arg(size);
    };
    setStyleSheet(m_isPresenting ? sized("#page #conflict, #page #sentence", pixels * 11 / 10)
                                       + sized("#page #insideWho, #page #resource #secondary", pixels)
                                       + sized("#page #insideNumber", pixels * 3 / 2)
                                 : QString());
    m_controls->setNamePixels(pixels);
    applyAppearance();
    m_diagram->view().setScale(
        m_isPresenting ? static_cast<double>(pixels + 1) / QFontInfo(QApplication::font()).pixelSize() : 1);
    QTimer::singleShot(0, this, &PlaygroundPage::fitCards);
}

void PlaygroundPage::setPresenting(bool isPresenting)
{
    if (m_isPresenting == isPresenting)
        return;
    m_isPresenting = isPresenting;
    Q_EMIT presentingChanged(isPresenting);
    m_header->setVisible(!isPresenting);
    m_scroll->setVisible(!isPresenting);
    m_sentence->setVisible(isPresenting);
    m_controls->setVisible(isPresenting);
    m_diagram->setPresented(isPresenting);
    namePresets();
    applySizes();
    fitSide();
    fitServers();
    if (isPresenting)
        m_diagram->view().setFocus();
}

void PlaygroundPage::fitSide()
{
    const bool isShown = !m_isPresenting && m_isSideWanted.value_or(width() >= widthWithSide);
    m_side->setVisible(isShown);
    m_showSide->setChecked(isShown);
}

void PlaygroundPage::fitCards()
{
    // Without a card, the column must be wide enough for the text in place of the cards.
    const int forWords = 40 * fontMetrics().averageCharWidth();
    const int forCards = m_places->count() > 0 ? m_places->minimumSize().width() : forWords;
    const int most = m_columns->width() - minDiagramWidth - m_columns->handleWidth() - widthOfSide();
    const int narrowest = std::min(forCards + m_scroll->verticalScrollBar()->sizeHint().width(), most);
    m_scroll->setMinimumWidth(narrowest);
    const qsizetype cards = std::min<qsizetype>(m_places->count(), 2);
    if (m_sharedCards < cards || m_columns->sizes().front() < narrowest)
        shareColumns(narrowest);
    m_sharedCards = cards == 0 ? 0 : std::max(cards, m_sharedCards);
}

int PlaygroundPage::widthOfSide() const
{
    constexpr int more = 40; // The log has long lines.
    return m_side->isVisibleTo(this) ? minSideWidth + more : 0;
}

void PlaygroundPage::shareColumns(int minCardsWidth)
{
    const int forSide = widthOfSide();
    const int two = 2 * minCardsWidth + m_places->spacing() - m_scroll->verticalScrollBar()->sizeHint().width();
    const int margins = 2 * m_columns->handleWidth() + layout()->contentsMargins().left() * 2;
    const bool isRoomForTwo = m_places->count() > 1 && two + minDiagramWidth + forSide + margins <= width();
    const int cards = isRoomForTwo ? two : minCardsWidth;
    m_columns->setSizes({cards, std::max(minDiagramWidth, width() - cards - forSide), forSide});
}

void PlaygroundPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitSide();
    if (m_isPresenting)
        applySizes();
}

} // namespace latchkey::ui::playground
