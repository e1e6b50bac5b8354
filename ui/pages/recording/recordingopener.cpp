#include "ui/pages/recording/recordingopener.h"

#include "ui/kit/widgets/sentence.h"
#include "ui/pages/recording/filedrop.h"

namespace latchkey::ui::recording {

using widgets::Banner;

namespace {

const QString recordingTopic = QStringLiteral("recording");

} // namespace

RecordingOpener::RecordingOpener(const inspector::InspectorPage &page, widgets::Messages &messages,
                                 theme::Appearance &appearance, QWidget &window)
    : QObject(&window)
    , m_messages(messages)
    , m_appearance(appearance)
{
    connect(&page, &inspector::InspectorPage::recordingRequested, this, &RecordingOpener::open);
    connect(new FileDrop(window), &FileDrop::dropped, this, &RecordingOpener::open);
}

RecordingOpener::~RecordingOpener()
{
    for (const QPointer<RecordingWindow> &window : m_windows)
        delete window;
}

void RecordingOpener::open(const QString &path)
{
    auto window = std::make_unique<RecordingWindow>(m_appearance);
    if (const auto opened = window->open(path); !opened) {
        m_messages.show(
            {recordingTopic, Banner::Tone::Critical, widgets::sentence(opened.error().message()), {}, {}, {}});
        return;
    }
    m_messages.remove(recordingTopic);
    std::erase_if(m_windows, [](const QPointer<RecordingWindow> &closed) { return closed.isNull(); });
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
    m_windows.emplace_back(window.release());
}

} // namespace latchkey::ui::recording
