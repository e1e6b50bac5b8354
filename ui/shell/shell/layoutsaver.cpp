#include "ui/shell/shell/layoutsaver.h"

#include "ui/pages/inspector/inspectorpage.h"
#include "ui/shell/shell/settings.h"

namespace latchkey::ui::shell {

LayoutSaver::LayoutSaver(inspector::InspectorPage &page, Settings &settings, QObject *parent)
    : QObject(parent)
    , m_page(page)
    , m_settings(settings)
{
    constexpr auto calm = std::chrono::milliseconds(300);
    m_page.restoreLayout(settings.inspectorLayout());
    m_saveTimer.setSingleShot(true);
    m_saveTimer.setInterval(calm);
    connect(&m_saveTimer, &QTimer::timeout, this, &LayoutSaver::save);
    connect(&m_page, &inspector::InspectorPage::layoutChanged, &m_saveTimer, qOverload<>(&QTimer::start));
}

void LayoutSaver::save()
{
    m_saveTimer.stop();
    m_settings.setInspectorLayout(m_page.saveLayout());
}

} // namespace latchkey::ui::shell
