#include "ui/pages/recording/recordingwindow.h"

#include "core/foundation/base/timetext.h"
#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/messagearea.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/recording/filedrop.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLocale>
#include <QShortcut>
#include <QVBoxLayout>

#include <utility>

namespace latchkey::ui::recording {

using latchkey::recording::Header;
using latchkey::recording::Replay;
using widgets::Banner;
using widgets::Pill;

namespace {

const QString problemTopic = QStringLiteral("recording");

} // namespace

RecordingWindow::RecordingWindow(theme::Appearance &appearance, QWidget *parent)
    : QMainWindow(parent)
    , m_own(recognition::UserDialects::defaultFile())
    , m_playback(m_own)
    , m_statePill(new Pill(appearance, this))
    , m_name(new widgets::ElidedLabel(this))
    , m_leftOut(new Pill(appearance, this))
    , m_noCoverage(new Pill(appearance, this))
    , m_page(new inspector::InspectorPage(appearance, m_messages, m_playback.clock(), this))
    , m_transport(new TransportBar(appearance, this))
{
    setObjectName(QStringLiteral("recordingWindow"));
    setUpLayout();
    auto *messages = new widgets::MessageArea(m_messages, appearance, m_page);
    connect(messages, &widgets::MessageArea::focusReleased, m_transport, &TransportBar::takeFocus);
    setUpShortcuts();
    connectParts();
    m_page->setOwnDialects(m_own);
}

RecordingWindow::~RecordingWindow()
{
    m_page->setServer(nullptr);
    delete m_page; // The page uses members that are destroyed before the children of a window are.
}

void RecordingWindow::setUpLayout()
{
    m_statePill->setObjectName(QStringLiteral("recordingSign"));
    m_leftOut->setObjectName(QStringLiteral("recordingLeftOut"));
    m_noCoverage->setObjectName(QStringLiteral("recordingNoCoverage"));
    m_name->setObjectName(QStringLiteral("recordingName"));
    m_name->setTextFormat(Qt::PlainText);

    auto *bar = new QWidget(this);
    bar->setObjectName(QStringLiteral("recordingBar"));
    bar->setAttribute(Qt::WA_StyledBackground);
    auto *line = new QHBoxLayout(bar);
    line->setContentsMargins(24, 12, 24, 12);
    line->setSpacing(12);
    line->addWidget(m_statePill);
    line->addWidget(m_name, 1);
    line->addWidget(m_leftOut);
    line->addWidget(m_noCoverage);

    auto *central = new QWidget(this);
    central->setObjectName(QStringLiteral("page"));
    auto *layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_page, 1);
    layout->addWidget(m_transport);
    setCentralWidget(central);
    resize(1160, 720);
    setMinimumSize(900, 520);
}

void RecordingWindow::setUpShortcuts()
{
    const auto add = [this](const QKeySequence &keys, auto &&action) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, action);
    };
    add(QKeySequence::Find, [this] { m_page->editFilter(); });
    add(QKeySequence::Close, [this] { close(); });
    add(QKeySequence::Quit, [this] { close(); });
    add(Qt::CTRL | Qt::Key_Left, [this] { m_transport->step(false); });
    add(Qt::CTRL | Qt::Key_Right, [this] { m_transport->step(true); });
    // The shortcut is limited to the table, where Space has no other function. On a button, Space presses the button.
    auto *space = new QShortcut(Qt::Key_Space, &m_page->table());
    space->setContext(Qt::WidgetShortcut);
    connect(space, &QShortcut::activated, this, [this] { m_playback.setPlaying(!m_playback.isPlaying()); });
}

void RecordingWindow::connectParts()
{
    connect(&m_playback, &Playback::serverAboutToChange, this, &RecordingWindow::release);
    connect(&m_playback, &Playback::serverReplaced, this, &RecordingWindow::showServer);
    connect(&m_playback, &Playback::changed, this, &RecordingWindow::refresh);
    connect(&m_playback, &Playback::failed, this, &RecordingWindow::printError);
    connect(m_transport, &TransportBar::playRequested, &m_playback, &Playback::setPlaying);
    connect(m_transport, &TransportBar::speedChosen, &m_playback, &Playback::setSpeed);
    connect(m_transport, &TransportBar::positionChosen, &m_playback, &Playback::seek);
    connect(new FileDrop(*this), &FileDrop::dropped, this, &RecordingWindow::openDropped);
}

/// Removes the server from the page, before another replay is shown.
void RecordingWindow::release()
{
    m_viewState = m_page->table().viewState();
    m_page->setServer(nullptr);
}

/// Shows the server of the new position, with the previous selection and order.
void RecordingWindow::showServer()
{
    m_page->setServer(&m_playback.replay()->server());
    m_page->table().restoreViewState(m_viewState);
}

base::Result<void> RecordingWindow::open(const QString &path)
{
    m_viewState = {};
    if (auto opened = m_playback.open(path); !opened)
        return opened;
    m_file = QFileInfo(path).fileName();
    m_reportedProblem.reset();
    m_messages.remove(problemTopic);
    updateTitle();
    m_transport->takeFocus();
    m_playback.setPlaying(true);
    return {};
}

void RecordingWindow::openDropped(const QString &path)
{
    if (const auto opened = open(path); !opened)
        printError(opened.error());
}

void RecordingWindow::updateTitle()
{
    if (m_playback.replay() == nullptr)
        return;
    const Header &heading = m_playback.replay()->heading();
    m_statePill->set(tr("recording"), Pill::Tone::Warning);
    const QString started = QLocale().toString(base::localTime(heading.started), QLocale::ShortFormat);
    m_name->setText(
        QStringList {m_file, heading.server, tr("started %1", "a recording, at a time").arg(started), tr("not live")}
            .join(QStringLiteral("  \u00B7  ")));
    m_leftOut->set(heading.hasValues ? QString() : tr("values left out"), Pill::Tone::Neutral);
    m_leftOut->setToolTip(tr("Values and holders are replaced by digests; equal values have equal digests."));
    m_noCoverage->set(heading.hasCoverage ? QString() : tr("no coverage"), Pill::Tone::Neutral);
    m_noCoverage->setToolTip(tr("This recording of an older version has no coverage. Of the times without "
                                "observations, only lost connections are known."));
    setWindowTitle(tr("Recording: %1 \u2014 Latchkey").arg(m_file));
}

/// Shows the history, which is the purpose of a recording. Its height is unknown before the window is shown.
void RecordingWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    if (!std::exchange(m_wasShown, true))
        m_page->showHistory();
}

void RecordingWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LanguageChange)
        updateTitle();
    QMainWindow::changeEvent(event);
}

void RecordingWindow::refresh()
{
    m_transport->setPlaying(m_playback.isPlaying());
    const QTime wall = base::localTime(m_playback.clock().wallNow()).time();
    m_transport->setPosition(m_playback.position(), m_playback.replay()->length(),
                             QLocale::c().toString(wall, QStringLiteral("HH:mm:ss")));
    showProblem();
}

/// Shows once that the recording is truncated, even if the position is reached again.
void RecordingWindow::showProblem()
{
    const auto &problem = m_playback.replay()->problem();
    if (!problem || m_reportedProblem == problem)
        return;
    m_reportedProblem = problem;
    m_messages.show({problemTopic, Banner::Tone::Warning, widgets::sentence(problem->message()), {}, {}, {}});
}

void RecordingWindow::printError(const base::Error &error)
{
    m_messages.show({problemTopic, Banner::Tone::Critical, widgets::sentence(error.message()), {}, {}, {}});
}

} // namespace latchkey::ui::recording
