#include "ui/kit/widgets/messagearea.h"

#include <QEvent>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::widgets {

using namespace std::chrono_literals;

namespace {

constexpr int widest = 680;
constexpr int areaMargin = 24;
/// Distance from the lower edge, above the buttons of a page, in pixels.
constexpr int lowerMargin = 66;
constexpr auto secondLook = 2s;

} // namespace

MessageArea::MessageArea(Messages &messages, theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_messages(messages)
    , m_appearance(appearance)
    , m_layout(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("messages"));
    setAccessibleName(tr("Messages"));
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(8);
    connect(&m_messages, &Messages::changed, this, &MessageArea::refresh);
    parent->installEventFilter(this);
    hide();
}

Banner *MessageArea::bannerFor(const QString &topic)
{
    const auto shown = std::ranges::find(m_shown, topic, &VisibleMessage::topic);
    if (shown != m_shown.end())
        return shown->banner;
    auto *banner = new Banner(m_appearance, this);
    m_layout->addWidget(banner);
    connect(banner, &Banner::dismissed, this, [this, topic] { m_messages.remove(topic); });
    m_shown.push_back({topic, banner});
    return banner;
}

void MessageArea::showMessage(Banner &banner, const BannerMessage &message)
{
    const bool isNews = banner.isHidden() || banner.text() != message.text;
    banner.show(message.tone, message.text, message.actionText, message.action);
    if (isNews && message.stays > 0ms)
        QTimer::singleShot(message.stays, &banner,
                           [this, topic = message.topic, text = message.text, stays = message.stays] {
                               const auto &all = m_messages.all();
                               const auto said = std::ranges::find(all, topic, &BannerMessage::topic);
                               if (said != all.end() && said->text == text && said->stays == stays)
                                   expire(topic, secondLook);
                           });
}

/// Removes a message after its time, but not while the pointer or the keyboard focus is on it.
void MessageArea::expire(const QString &topic, std::chrono::milliseconds again)
{
    const auto shown = std::ranges::find(m_shown, topic, &VisibleMessage::topic);
    if (shown == m_shown.end())
        return;
    Banner *banner = shown->banner;
    if (banner->underMouse() || banner->isAncestorOf(window()->focusWidget()))
        QTimer::singleShot(again, banner, [this, topic, again] { expire(topic, again); });
    else
        m_messages.remove(topic);
}

void MessageArea::refresh()
{
    const auto &all = m_messages.all();
    const std::size_t count = std::min(maxShown, all.size());
    const auto first = all.begin();
    const auto last = first + static_cast<std::ptrdiff_t>(count);
    bool hadKeyboard = false;
    std::erase_if(m_shown, [&](const VisibleMessage &shown) {
        if (std::ranges::find(first, last, shown.topic, &BannerMessage::topic) != last)
            return false;
        hadKeyboard = hadKeyboard || shown.banner->isAncestorOf(window()->focusWidget());
        m_layout->removeWidget(shown.banner);
        shown.banner->hide();
        shown.banner->deleteLater(); // Deleted later, because it may be the sender.
        return true;
    });
    for (auto message = first; message != last; ++message)
        showMessage(*bannerFor(message->topic), *message);
    setVisible(count > 0);
    moveToParentEdge();
    if (hadKeyboard)
        Q_EMIT focusReleased();
}

void MessageArea::moveToParentEdge()
{
    if (isHidden())
        return;
    const QRect whole = parentWidget()->rect();
    const int width = std::min(widest, whole.width() - 2 * areaMargin);
    const int height =
        m_layout->hasHeightForWidth() ? m_layout->totalHeightForWidth(width) : m_layout->totalSizeHint().height();
    setGeometry((whole.width() - width) / 2, whole.height() - lowerMargin - height, width, height);
    raise();
}

bool MessageArea::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        moveToParentEdge();
    return QWidget::eventFilter(watched, event);
}

bool MessageArea::event(QEvent *event)
{
    const bool isHandled = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest)
        moveToParentEdge();
    return isHandled;
}

} // namespace latchkey::ui::widgets
