#include "core/foundation/base/random.h"

#include <QRandomGenerator>

#include <array>

namespace latchkey::base {

RandomSource::~RandomSource() = default;

OwnerToken SystemRandom::freshToken()
{
    std::array<quint32, 4> words {};
    QRandomGenerator::system()->fillRange(words.data(), static_cast<qsizetype>(words.size()));
    return OwnerToken(QByteArray(reinterpret_cast<const char *>(words.data()), sizeof words).toHex());
}

double SystemRandom::unit()
{
    return QRandomGenerator::global()->generateDouble();
}

SystemRandom &SystemRandom::instance()
{
    static SystemRandom random;
    return random;
}

} // namespace latchkey::base
