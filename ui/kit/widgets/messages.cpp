#include "ui/kit/widgets/messages.h"

#include <algorithm>

namespace latchkey::ui::widgets {

void Messages::show(BannerMessage message)
{
    const auto same = std::ranges::find(m_all, message.topic, &BannerMessage::topic);
    if (same == m_all.end())
        m_all.push_back(std::move(message));
    else
        *same = std::move(message);
    Q_EMIT changed();
}

void Messages::remove(const QString &topic)
{
    if (std::erase_if(m_all, [&](const BannerMessage &message) { return message.topic == topic; }) > 0)
        Q_EMIT changed();
}

} // namespace latchkey::ui::widgets
