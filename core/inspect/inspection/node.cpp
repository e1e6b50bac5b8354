#include "core/inspect/inspection/node.h"

namespace latchkey::inspection {

Node::Node(QObject *parent)
    : QObject(parent)
{}

Node::~Node() = default;

} // namespace latchkey::inspection
