#pragma once

#include "core/foundation/language/language.h"

#include <QTranslator>

namespace latchkey::language {

/// The translations of the programs into one language. A catalogue is empty for English, the language of the sources,
/// and if the build had no lrelease. Owned by main(), which installs it, or by its user.
class Catalogue final : public QTranslator
{
public:
    explicit Catalogue(Language language);

    [[nodiscard]] QString translate(const char *context, const char *english, const char *disambiguation,
                                    int count) const override;
};

/// A guard that keeps all texts in English during its lifetime, for output that other programs read.
class EnglishScope final
{
public:
    EnglishScope() { ++s_count; }
    ~EnglishScope() { --s_count; }
    Q_DISABLE_COPY_MOVE(EnglishScope)

    [[nodiscard]] static bool isWanted() { return s_count > 0; }

private:
    static int s_count;
};

} // namespace latchkey::language
