#include "ui/pages/inspector/recordcontrol.h"

#include "core/foundation/base/bytesize.h"
#include "core/foundation/base/random.h"
#include "core/foundation/base/timetext.h"
#include "core/foundation/base/version.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/inspector/recorddialog.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>

namespace latchkey::ui::inspector {

using latchkey::recording::Recorder;
using latchkey::recording::RecordingWriter;
using widgets::Banner;

namespace {

const QString recordTopic = QStringLiteral("record");
constexpr auto refreshInterval = std::chrono::milliseconds(500);

/// Formats a duration as "0:07" or "1:02:03".
QString lengthText(std::chrono::nanoseconds length)
{
    const auto seconds = std::chrono::floor<std::chrono::seconds>(length).count();
    const QString end = QStringLiteral("%1:%2")
                            .arg(seconds / 60 % 60, seconds < 3600 ? 1 : 2, 10, QLatin1Char('0'))
                            .arg(seconds % 60, 2, 10, QLatin1Char('0'));
    return seconds < 3600 ? end : QStringLiteral("%1:%2").arg(seconds / 3600).arg(end);
}

} // namespace

RecordControl::RecordControl(theme::Appearance &appearance, widgets::Messages &messages, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_messages(messages)
    , m_begin(new QPushButton(tr("Record"), this))
    , m_record(new QAction(tr("&Record\u2026"), this))
    , m_state(new widgets::Pill(appearance, this))
    , m_stop(new QPushButton(tr("Stop"), this))
{
    setObjectName(QStringLiteral("recordControl"));
    setUpLayout();
    m_refresh.setInterval(refreshInterval);
    connect(&m_refresh, &QTimer::timeout, this, &RecordControl::refresh);
    connect(m_stop, &QPushButton::clicked, this, &RecordControl::stop);
    connect(&m_appearance, &theme::Appearance::changed, this, &RecordControl::applyAppearance);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &RecordControl::refresh);
    applyAppearance();
    refresh();
}

RecordControl::~RecordControl() = default;

void RecordControl::setUpLayout()
{
    auto *menu = new QMenu(m_begin);
    QAction *open = menu->addAction(tr("&Open a recording\u2026"));
    menu->insertAction(open, m_record);
    m_record->setObjectName(QStringLiteral("recordAction"));
    open->setObjectName(QStringLiteral("openRecordingAction"));
    connect(m_record, &QAction::triggered, this, &RecordControl::askContent);
    connect(open, &QAction::triggered, this, &RecordControl::askRecording);
    m_begin->setObjectName(QStringLiteral("recordButton"));
    m_begin->setProperty("kind", QStringLiteral("note"));
    m_begin->setToolTip(tr("Records observations into a file, or opens a recording"));
    m_begin->setMenu(menu);
    m_state->setObjectName(QStringLiteral("recordState"));
    m_stop->setObjectName(QStringLiteral("recordStop"));
    m_stop->setProperty("kind", QStringLiteral("note"));
    m_stop->setProperty("ends", true); // Marks a button without a menu.
    m_stop->setToolTip(tr("Ends the recording and completes the file"));

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_state);
    layout->addWidget(m_stop);
    layout->addWidget(m_begin);
}

void RecordControl::applyAppearance()
{
    m_begin->setIcon(m_appearance.icon(QStringLiteral("record"), m_appearance.theme().muted));
}

void RecordControl::setServer(inspection::InspectedServer *server)
{
    if (server != m_server) {
        stop();
        delete m_question;
    }
    m_server = server;
    setVisible(server == nullptr || !server->isRecording());
    refresh();
}

void RecordControl::askContent()
{
    if (!m_server)
        return;
    auto *dialog = new RecordDialog(m_server->endpoint().display(), this);
    m_question = dialog;
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { askFile(dialog->hasValues(), dialog->maxBytes()); });
    dialog->open();
}

void RecordControl::askFile(bool hasValues, qint64 maxBytes)
{
    auto *dialog = new QFileDialog(this, tr("Record into a file"));
    m_question = dialog;
    dialog->setObjectName(QStringLiteral("recordFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("Recordings (*.latchkey-recording)"));
    dialog->setDefaultSuffix(QStringLiteral("latchkey-recording"));
    // Each recording has its own default name, so that no recording replaces another by mistake.
    const auto now = base::localTime(m_server->clock().wallNow());
    dialog->selectFile(QLocale::c().toString(now, QStringLiteral("'locks'-yyyy-MM-dd-HHmmss'.latchkey-recording'")));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, hasValues, maxBytes](const QString &path) { record(path, hasValues, maxBytes); });
    dialog->open();
}

void RecordControl::askRecording()
{
    auto *dialog = new QFileDialog(this, tr("Open a recording"));
    dialog->setObjectName(QStringLiteral("openRecordingDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Recordings (*.latchkey-recording)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &RecordControl::openRequested);
    dialog->open();
}

void RecordControl::record(const QString &path, bool hasValues, qint64 maxBytes)
{
    stop();
    if (!m_server || m_server->isRecording())
        return;
    auto writer = RecordingWriter::create(path, true);
    if (!writer)
        return failed(writer.error());
    Recorder::Options options;
    options.hasValues = hasValues;
    options.program = base::programVersion();
    options.maxBytes = maxBytes;
    m_path = path;
    m_recorder = std::make_unique<Recorder>(*m_server, std::move(*writer), options, base::SystemRandom::instance());
    connect(m_recorder.get(), &Recorder::failed, this, &RecordControl::failed, Qt::QueuedConnection);
    m_messages.remove(recordTopic);
    m_refresh.start();
    refresh();
}

void RecordControl::end()
{
    m_recorder.reset();
    m_refresh.stop();
    refresh();
}

void RecordControl::stop()
{
    if (!m_recorder)
        return;
    if (const auto finished = m_recorder->finish(); !finished)
        return failed(base::Error(finished.error()));
    end();
    const QString path = m_path;
    m_messages.show({recordTopic,
                     Banner::Tone::Info,
                     tr("The recording is in %1.").arg(QFileInfo(path).fileName()),
                     tr("Open"),
                     [this, path] { Q_EMIT openRequested(path); },
                     {}});
}

void RecordControl::failed(const base::Error &error)
{
    end();
    m_messages.show({recordTopic, Banner::Tone::Critical, widgets::sentence(error.message()), {}, {}, {}});
}

void RecordControl::refresh()
{
    m_record->setEnabled(m_server != nullptr);
    m_begin->setVisible(!isRecording());
    m_stop->setVisible(isRecording());
    if (!isRecording())
        return m_state->set({}, widgets::Pill::Tone::Critical);
    const QString size = base::formatByteSize(m_recorder->size());
    const QString most = base::formatByteSize(m_recorder->maxBytes());
    m_state->set(tr("recording \u00B7 %1 \u00B7 %2 of %3", "how long, how large, size limit")
                     .arg(lengthText(m_recorder->duration()), size, most),
                 widgets::Pill::Tone::Critical);
    m_state->setToolTip(widgets::toolTipText(m_recorder->hasValues() ? tr("To %1, with values").arg(m_path)
                                                                     : tr("To %1, without values").arg(m_path)));
}

} // namespace latchkey::ui::inspector
