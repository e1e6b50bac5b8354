#pragma once

#include <QCoreApplication>

namespace latchkey::ui::diagram {

/// The translation context of the texts painted in the diagram.
struct DiagramText
{
    Q_DECLARE_TR_FUNCTIONS(Diagram)
};

} // namespace latchkey::ui::diagram
