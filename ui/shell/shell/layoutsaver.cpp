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
    m_calm.setSingleShot(true);
    m_calm.setInterval(calm);
    connect(&m_calm, &QTimer::timeout, this, &LayoutSaver::save);
    connect(&m_page, &inspector::InspectorPage::layoutChanged, &m_calm, qOverload<>(&QTimer::start));
}

void LayoutSaver::save()
{
    m_calm.stop();
    m_settings.setInspectorLayout(m_page.saveLayout());
}

} // namespace latchkey::ui::shell
