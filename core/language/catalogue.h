#pragma once

#include "core/language/language.h"

#include <QTranslator>

namespace latchkey::language {

/// What the programs say in a language. English is what the sources say: there it is empty, and so it is where the
/// build had no lrelease. Owned by main(), which installs it, or by what it speaks for.
class Catalogue final : public QTranslator
{
public:
    explicit Catalogue(Language language);

    [[nodiscard]] QString translate(const char *context, const char *english, const char *disambiguation,
                                    int count) const override;
};

/// While there is one, everything is worded in English: what other programs are to read is.
class InEnglish final
{
public:
    InEnglish() { ++s_count; }
    ~InEnglish() { --s_count; }
    Q_DISABLE_COPY_MOVE(InEnglish)

    [[nodiscard]] static bool isWanted() { return s_count > 0; }

private:
    static int s_count;
};

} // namespace latchkey::language
