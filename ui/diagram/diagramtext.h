#pragma once

#include <QCoreApplication>

namespace latchkey::ui::diagram {

/// The context under which the texts that are painted into the diagram are translated.
struct DiagramText
{
    Q_DECLARE_TR_FUNCTIONS(Diagram)
};

} // namespace latchkey::ui::diagram
