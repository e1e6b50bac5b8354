#include "ui/kit/theme/theme.h"

namespace latchkey::ui::theme {

namespace {

const Theme &light()
{
    static const Theme theme {
        Scheme::Light,
        QColor(0xF4F5F8), // window
        QColor(0xFFFFFF), // surface
        QColor(0xF2F4F8), // raised
        QColor(0xEBEDF3), // rail
        QColor(0xDFE3EB), // border
        QColor(0x171B24), // text
        QColor(0x4E5767), // muted
        QColor(0x5D677A), // faint
        QColor(0x98A1B2), // disabled
        QColor(0x3D57D6), // accent
        QColor(0xFFFFFF), // onAccent
        QColor(0xE6EAFD), // accentSoft
        QColor(0x0C724E), // good
        QColor(0x92550B), // warning
        QColor(0xBB2A2A), // critical
        QColor(0x7646CE), // endless
        QColor(0xE7EAF1), // track
    };
    return theme;
}

const Theme &dark()
{
    static const Theme theme {
        Scheme::Dark,
        QColor(0x0F1219), // window
        QColor(0x171B24), // surface
        QColor(0x1F2531), // raised
        QColor(0x0B0E14), // rail
        QColor(0x2A3140), // border
        QColor(0xE7EAF1), // text
        QColor(0xA7B1C2), // muted
        QColor(0x8E97A8), // faint
        QColor(0x667085), // disabled
        QColor(0x8AA2FF), // accent
        QColor(0x0B0E14), // onAccent
        QColor(0x222B4A), // accentSoft
        QColor(0x3ECF97), // good
        QColor(0xF2B04A), // warning
        QColor(0xFF7168), // critical
        QColor(0xB794F6), // endless
        QColor(0x272E3C), // track
    };
    return theme;
}

} // namespace

const Theme &theme(Scheme scheme)
{
    return scheme == Scheme::Dark ? dark() : light();
}

QColor tint(const QColor &colour, const QColor &over, double share)
{
    const auto mix = [share](int top, int bottom) { return static_cast<int>(top * share + bottom * (1 - share)); };
    return {mix(colour.red(), over.red()), mix(colour.green(), over.green()), mix(colour.blue(), over.blue())};
}

} // namespace latchkey::ui::theme
